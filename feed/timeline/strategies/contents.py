"""What a strategy answers: the ids it holds for a reader, and how far down they are complete."""

from collections.abc import Callable
from dataclasses import dataclass

from accounts.infra.ids import MAX_ID


@dataclass(frozen=True)
class InboxContents:
    """``newest``: ids of which it is certain that no newer ones are missing, newest first.

    ``floor``: above it all entries are held, at or below it none counts. ``everything`` reads all
    ids above the floor, newest first, each once; it returns the floor too, for it may have risen.
    ``held``: how many entries there are, told without reading them. ``being_built``: the reader has
    come back and a worker collects the entries; until then nothing is held.
    """

    newest_ids: list[int]
    floor: int
    read_all: Callable[[], tuple[list[int], int]]
    count: int = 0
    is_building: bool = False


def empty_inbox(*, is_building: bool = False) -> InboxContents:
    """All of the timeline is to be read from the posts."""
    return InboxContents(
        newest_ids=[], floor=MAX_ID, read_all=lambda: ([], MAX_ID), is_building=is_building
    )
