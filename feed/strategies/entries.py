"""What a strategy answers: the ids it holds for a reader, and how far down they are complete."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Entries:
    """``newest``: ids of which it is certain that no newer ones are missing, newest first.

    ``floor``: above it all entries are held, at or below it none counts. ``everything`` reads all
    ids above the floor, newest first, each once; it returns the floor too, for it may have risen.
    """

    newest: list[int]
    floor: int
    everything: Callable[[], tuple[list[int], int]]
