"""Several processes do the same at once: ``python -m tests.accounts.counting``.

Prints how many got through. All are forks of this process, which never speaks to the database itself.
"""

import multiprocessing

import django

# A process of its own, not a test: models can be imported only after this. Hence E402 below.
django.setup()

from accounts.infra import rate_limits  # noqa: E402

PROCESSES, EACH, LIMIT = 4, 40, 50

fork = multiprocessing.get_context("fork")


def do(start, through):
    start.wait()
    for _ in range(EACH):
        try:
            rate_limits.count_action(action="post", subject=7)
        except rate_limits.RateLimited:
            continue
        with through:
            through.value += 1


def main():
    start, through = fork.Barrier(PROCESSES), fork.Value("i")
    processes = [fork.Process(target=do, args=(start, through)) for _ in range(PROCESSES)]
    for one in processes:
        one.start()
    for one in processes:
        one.join()
    assert not any(one.exitcode for one in processes)
    print(through.value)  # noqa: T201 - for the test


if __name__ == "__main__":
    main()
