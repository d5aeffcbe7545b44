"""Several people, or clicks, in the same moment."""

import threading
from collections.abc import Callable

from django.db import connection


def at_once(*works: Callable[[], object]) -> None:
    """Run each in a thread of its own, all started together; raises what any of them raised."""
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
