"""What a strategy answers: the ids it holds for a reader, and how far down they are complete."""

from collections.abc import Callable
from dataclasses import dataclass

from accounts.ids import MAX_ID


@dataclass(frozen=True)
class Entries:
    """``newest``: ids of which it is certain that no newer ones are missing, newest first.

    ``floor``: above it all entries are held, at or below it none counts. ``everything`` reads all
    ids above the floor, newest first, each once; it returns the floor too, for it may have risen.
    ``held``: how many entries there are, told without reading them. ``being_built``: the reader has
    come back and a worker collects the entries; until then nothing is held.
    """

    newest: list[int]
    floor: int
    everything: Callable[[], tuple[list[int], int]]
    held: int = 0
    being_built: bool = False


def nothing_held(*, being_built: bool = False) -> Entries:
    """All of the timeline is to be read from the posts."""
    return Entries(
        newest=[], floor=MAX_ID, everything=lambda: ([], MAX_ID), being_built=being_built
    )
