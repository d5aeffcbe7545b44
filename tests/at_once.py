"""Run several functions at the same moment, as if several users acted."""

import threading
from collections.abc import Callable

from django.db import connection


def at_once(*works: Callable[[], object]) -> None:
    """Run each function in its own thread, all started together. Raise the first error of any."""
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
