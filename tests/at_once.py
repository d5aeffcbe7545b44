"""Run several functions at the same moment, to simulate users who act concurrently."""

import threading
from collections.abc import Callable

from django.db import connection


def at_once(*works: Callable[[], object]) -> None:
    """Run each function in its own thread. Start all threads together and raise the first error."""
    start, failures = threading.Barrier(len(works)), list[BaseException]()

    def run(work: Callable[[], object]) -> None:
        try:
            start.wait()
            work()
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
