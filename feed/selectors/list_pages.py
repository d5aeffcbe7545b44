"""Build pages of uids or hashtags for the API.

``list_page`` takes rows of pairs (cursor, item). For a list without ids, ``numbered_slice`` returns such
rows with positions in the list as cursors.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from accounts.infra.cursors import PageBounds
from accounts.infra.ids import MAX_ID
from feed.store.post_rows import IdRange

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ListPage(Generic[T]):
    """A page of items.

    Callers pass ``older_cursor`` as ``max_id``, and ``newer_cursor`` as ``min_id``. ``older_cursor`` is
    None on the last page. A page may be short, because ``without`` drops items.
    """

    items: tuple[T, ...]
    older_cursor: str | None
    newer_cursor: str | None

    def without(self, excluded: Collection[T]) -> "ListPage[T]":
        return replace(
            self, items=tuple(element for element in self.items if element not in excluded)
        )


def list_page(*, rows: Sequence[tuple[int, T]], bounds: PageBounds) -> ListPage[T]:
    """Return the page for ``rows``.

    Args:
        rows: up to ``bounds.limit + 1`` pairs (cursor, item), in the order of the query. The extra pair
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
    return ListPage(
        tuple(row[1] for row in shown),
        None if older is None else str(older),
        None if newer is None else str(newer),
    )


def numbered_slice(*, items: Sequence[T], bounds: PageBounds) -> list[tuple[int, T]]:
    """Return up to ``bounds.limit + 1`` pairs (position, item) of a list, as rows for ``list_page``.

    Positions count from 1.
    """
    last = len(items) if bounds.max_id is None else min(len(items), bounds.max_id - 1)
    positions = range(bounds.lower_bound + 1, last + 1)
    return [
        (position, items[position - 1])
        for position in (positions if bounds.is_ascending else positions[::-1])[: bounds.limit + 1]
    ]
