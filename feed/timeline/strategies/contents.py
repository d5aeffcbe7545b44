"""The contents of an inbox that a strategy returns."""

from collections.abc import Callable
from dataclasses import dataclass, field

from accounts.infra.ids import MAX_ID


@dataclass(frozen=True)
class InboxContents:
    """The entries of one inbox. By default none, so that pages read the whole timeline from the posts.

    Attributes:
        newest_ids: the newest ids without gaps, newest first. Older ids may be missing.
        floor: as in ``store.lifecycle``.
        read_all: a function that returns all ids above the floor, newest first and without duplicates, and
            the current floor.
        is_building: whether a worker is still filling the inbox, which has no ids until then.
    """

    newest_ids: list[int] = field(default_factory=list)
    floor: int = MAX_ID
    read_all: Callable[[], tuple[list[int], int]] = lambda: ([], MAX_ID)
    is_building: bool = False
