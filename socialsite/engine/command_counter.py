"""Count the database commands of each thread, for the metrics."""

import threading

from pymongo import monitoring


class CommandCounter(monitoring.CommandListener):
    def __init__(self) -> None:
        self._local = threading.local()

    @property
    def count(self) -> int:
        """The number of commands that this thread has sent since it started."""
        return getattr(self._local, "count", 0)

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        self._local.count = self.count + 1

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None:
        pass

    def failed(self, event: monitoring.CommandFailedEvent) -> None:
        pass


command_counter = CommandCounter()
