"""Several processes count the same action at once: ``python -m tests.accounts.rate_limit_process``.

Prints how many calls were allowed. All are forks of this process, which never opens a connection itself.
"""

import multiprocessing

import django

# Models can be imported only after this. Hence E402 below.
django.setup()

from accounts.infra import rate_limits  # noqa: E402

PROCESSES, EACH, LIMIT = 4, 40, 50

fork = multiprocessing.get_context("fork")


def count_actions(start, allowed):
    start.wait()
    for _ in range(EACH):
        try:
            rate_limits.count_action(action="post", subject=7)
        except rate_limits.RateLimited:
            continue
        with allowed:
            allowed.value += 1


def main():
    start, allowed = fork.Barrier(PROCESSES), fork.Value("i")
    processes = [
        fork.Process(target=count_actions, args=(start, allowed)) for _ in range(PROCESSES)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert not any(process.exitcode for process in processes)
    print(allowed.value)  # noqa: T201 - for the test


if __name__ == "__main__":
    main()
