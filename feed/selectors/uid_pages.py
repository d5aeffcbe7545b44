"""Lists of people and names for programs, cut by cursors that are places in them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from accounts.infra.ids import MAX_ID
from feed.store.post_rows import IdRange

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class UidPage:
    """``older`` is a cursor for ``max_id``, ``newer`` one for ``min_id``; None where there is nothing. A
    short page is not the end."""

    uids: tuple[int, ...]
    older_cursor: str | None
    newer_cursor: str | None

    def without(self, left_out: Collection[int]) -> "UidPage":
        return replace(self, uids=tuple(uid for uid in self.uids if uid not in left_out))


def uid_page(
    *, rows: Sequence[tuple[int, int]], limit: int, id_range: IdRange, ascending: bool
) -> UidPage:
    """``found``: up to one more (cursor, uid) than fit, in the order in which they were read."""
    shown, more = list(rows[:limit]), len(rows) > limit
    older: int | None
    newer: int | None
    if ascending:
        shown.reverse()
        older = shown[-1][0] if shown else min(MAX_ID, id_range.above + 1)
        newer = shown[0][0] if more else None
    else:
        older = shown[-1][0] if more else None
        # Also from the first page: programs ask for what has come since.
        newer = shown[0][0] if shown else None
        if newer is None and id_range.below is not None:
            newer = max(0, id_range.below - 1)
    return UidPage(
        tuple(uid for _cursor, uid in shown),
        None if older is None else str(older),
        None if newer is None else str(newer),
    )


def numbered_slice(
    *, items: Sequence[T], id_range: IdRange, limit: int, ascending: bool
) -> list[tuple[int, T]]:
    """Of a list that is read as a whole, (place, item) of the last within the bounds, or with ``upwards``
    of the first; places count from 1."""
    last = len(items) if id_range.below is None else min(len(items), id_range.below - 1)
    places = range(id_range.above + 1, last + 1)
    return [(place, items[place - 1]) for place in (places if ascending else places[::-1])[:limit]]
