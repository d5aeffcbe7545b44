"""Who looks on while it is measured: a progress bar, or nobody."""

from typing import Protocol


class ProgressListener(Protocol):
    def start(self, *, label: str, total: int) -> None:
        """Something begins that takes ``total`` steps."""

    def step(self, *, number: int = 1) -> None: ...


class SilentProgress:
    def start(self, *, label: str, total: int) -> None: ...

    def step(self, *, number: int = 1) -> None: ...
