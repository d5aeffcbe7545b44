"""Lists of people and names for programs, cut by cursors that are places in them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from accounts.ids import MAX_ID
from feed.store.rows import Bounds

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class UidPage:
    """``older`` is a cursor for ``max_id``, ``newer`` one for ``min_id``; None where there is nothing. A
    short page is not the end."""

    uids: tuple[int, ...]
    older: str | None
    newer: str | None

    def but(self, left_out: Collection[int]) -> "UidPage":
        return replace(self, uids=tuple(uid for uid in self.uids if uid not in left_out))


def page_between(
    *, found: Sequence[tuple[int, int]], limit: int, bounds: Bounds, upwards: bool
) -> UidPage:
    """``found``: up to one more (cursor, uid) than fit, in the order in which they were read."""
    shown, more = list(found[:limit]), len(found) > limit
    older: int | None
    newer: int | None
    if upwards:
        shown.reverse()
        older = shown[-1][0] if shown else min(MAX_ID, bounds.above + 1)
        newer = shown[0][0] if more else None
    else:
        older = shown[-1][0] if more else None
        # Also from the first page: programs ask for what has come since.
        newer = shown[0][0] if shown else None
        if newer is None and bounds.below is not None:
            newer = max(0, bounds.below - 1)
    return UidPage(
        tuple(uid for _cursor, uid in shown),
        None if older is None else str(older),
        None if newer is None else str(newer),
    )


def numbered(
    *, items: Sequence[T], bounds: Bounds, limit: int, upwards: bool
) -> list[tuple[int, T]]:
    """Of a list that is read as a whole, (place, item) of the last within the bounds, or with ``upwards``
    of the first; places count from 1."""
    last = len(items) if bounds.below is None else min(len(items), bounds.below - 1)
    places = range(bounds.above + 1, last + 1)
    return [(place, items[place - 1]) for place in (places if upwards else places[::-1])[:limit]]
