"""Count the same action in several processes at once, and print how many calls were allowed.

Run this module with ``python -m tests.accounts.rate_limit_process``. The processes are forks of this
process, which must not open a database connection, because forks cannot share a connection.
"""

import multiprocessing

import django

# Django allows the import of models only after this call, so the imports below need "noqa: E402".
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
