"""The contents of an inbox as a strategy returns them: ids, and the floor above which they are complete."""

from collections.abc import Callable
from dataclasses import dataclass

from accounts.infra.ids import MAX_ID


@dataclass(frozen=True)
class InboxContents:
    """The entries of one inbox.

    * ``newest_ids``: newest first, without gaps; older ids may be missing.
    * ``floor``: the inbox is complete above it; entries at or below it do not count.
    * ``read_all``: returns all ids above the floor, newest first and each once, and the floor, which
      may have risen since.
    * ``count``: the number of entries, known without reading them.
    * ``is_building``: a worker is still filling the inbox, which is empty until then.
    """

    newest_ids: list[int]
    floor: int
    read_all: Callable[[], tuple[list[int], int]]
    count: int = 0
    is_building: bool = False


def empty_inbox(*, is_building: bool = False) -> InboxContents:
    """Return an inbox without entries: the whole timeline is read from the posts."""
    return InboxContents(
        newest_ids=[], floor=MAX_ID, read_all=lambda: ([], MAX_ID), is_building=is_building
    )
