"""Build pages of uids for the API.

``uid_page`` takes rows of pairs (cursor, uid). For a list without ids, ``numbered_slice`` returns such rows
with positions in the list as cursors.
"""

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

    Callers pass ``older_cursor`` as ``max_id``, and ``newer_cursor`` as ``min_id``. ``older_cursor`` is
    None on the last page. A page may be short, because ``without`` drops uids.
    """

    uids: tuple[int, ...]
    older_cursor: str | None
    newer_cursor: str | None

    def without(self, excluded_uids: Collection[int]) -> "UidPage":
        return replace(self, uids=tuple(uid for uid in self.uids if uid not in excluded_uids))


def uid_page(*, rows: Sequence[tuple[int, int]], bounds: PageBounds) -> UidPage:
    """Return the page for ``rows``.

    Args:
        rows: up to ``bounds.limit + 1`` pairs (cursor, uid), in the order of the query. The extra pair
            shows that there is another page.
    """
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
        # Even the first page has a newer cursor, which apps use to poll for new rows.
        newer = shown[0][0] if shown else None
        if newer is None and id_range.below is not None:
            newer = max(0, id_range.below - 1)
    return UidPage(
        tuple(uid for _cursor, uid in shown),
        None if older is None else str(older),
        None if newer is None else str(newer),
    )


def numbered_slice(*, items: Sequence[T], bounds: PageBounds) -> list[tuple[int, T]]:
    """Return up to ``bounds.limit + 1`` pairs (position, item) of a list, as rows for ``uid_page``.

    Positions count from 1.
    """
    last = len(items) if bounds.max_id is None else min(len(items), bounds.max_id - 1)
    positions = range(bounds.lower_bound + 1, last + 1)
    return [
        (position, items[position - 1])
        for position in (positions if bounds.is_ascending else positions[::-1])[: bounds.limit + 1]
    ]
