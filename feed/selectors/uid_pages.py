"""Pages of uids and names for the API, with positions as cursors."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from accounts.infra.cursors import PageBounds
from accounts.infra.ids import MAX_ID
from feed.store.post_rows import IdRange

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class UidPage:
    """A page of uids.

    ``older_cursor`` is passed as ``max_id``, ``newer_cursor`` as ``min_id``. A cursor is None at that end
    of the list. A page may be short before the end.
    """

    uids: tuple[int, ...]
    older_cursor: str | None
    newer_cursor: str | None

    def without(self, excluded_uids: Collection[int]) -> "UidPage":
        return replace(self, uids=tuple(uid for uid in self.uids if uid not in excluded_uids))


def uid_page(*, rows: Sequence[tuple[int, int]], bounds: PageBounds) -> UidPage:
    """Return the page of ``rows``: up to ``limit + 1`` pairs (cursor, uid), in the order of the query."""
    id_range = IdRange.within(bounds)
    shown, more = list(rows[: bounds.limit]), len(rows) > bounds.limit
    older: int | None
    newer: int | None
    if bounds.is_ascending:
        shown.reverse()
        older = shown[-1][0] if shown else min(MAX_ID, id_range.above + 1)
        newer = shown[0][0] if more else None
    else:
        older = shown[-1][0] if more else None
        # The first page has a newer cursor too, with which apps poll for new rows.
        newer = shown[0][0] if shown else None
        if newer is None and id_range.below is not None:
            newer = max(0, id_range.below - 1)
    return UidPage(
        tuple(uid for _cursor, uid in shown),
        None if older is None else str(older),
        None if newer is None else str(newer),
    )


def numbered_slice(*, items: Sequence[T], bounds: PageBounds) -> list[tuple[int, T]]:
    """Return pairs (position, item) of a list: one more than fits on the page, in the order of the query.

    Positions count from 1.
    """
    last = len(items) if bounds.max_id is None else min(len(items), bounds.max_id - 1)
    positions = range(bounds.lower_bound + 1, last + 1)
    return [
        (position, items[position - 1])
        for position in (positions if bounds.is_ascending else positions[::-1])[: bounds.limit + 1]
    ]
