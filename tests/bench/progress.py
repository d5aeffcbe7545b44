"""The progress of a measurement: the protocol, and an implementation that shows nothing."""

from typing import Protocol


class ProgressListener(Protocol):
    def start_step(self, *, label: str, total: int) -> None:
        """Start a step that is finished after ``total`` calls of ``step``."""

    def step(self, *, number: int = 1) -> None: ...


class SilentProgress:
    def start_step(self, *, label: str, total: int) -> None: ...

    def step(self, *, number: int = 1) -> None: ...
