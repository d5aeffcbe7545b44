"""Which entries a stretch of the home timeline is made of, before it is asked who may see them.

What a strategy holds comes from there, together with the posts that are not pushed (``Post.is_pushed``)
and those with hashtags that the reader follows;
below its floor the posts of the followed people are asked, with no seam between the two. No more are looked
at for one page than ``TIMES`` as many as it shows and ``EXAMINED``, so that filtering always ends: where
most is hidden, pages are short.
"""

from dataclasses import dataclass
from functools import cached_property

from django.utils import timezone

from accounts import selectors as people
from accounts.ids import MAX_ID
from feed import strategies
from feed.activities import distributed
from feed.store import posts
from feed.store.reading import BeforeHome
from feed.store.rows import Bounds, PostRow

from .filtering import Filtering

EXAMINED = 250
TIMES = 3


@dataclass(frozen=True, slots=True)
class Candidates:
    """``ids`` in the order of the page, also of posts that are gone; ``rows`` are those there are.

    ``more``: whether there is anything to go on to behind the last of ``ids``.
    """

    ids: list[int]
    rows: dict[int, PostRow]
    more: bool
    held: int = 0
    being_built: bool = False


class Reader:
    """What a page asks about its reader, each thing at most once."""

    def __init__(self, *, uid: int, before: BeforeHome) -> None:
        self.uid = uid
        self._large_authors = before.large_authors
        self.tags = before.tags
        self.kinds = {one.name for one in distributed()} - set(before.hidden_kinds)
        self.filtering = Filtering(filters=before.filters, now=timezone.now())

    @cached_property
    def following(self) -> set[int]:
        return set(people.followees(uid=self.uid))

    @cached_property
    def merged_authors(self) -> list[int]:
        """Whose posts may not have been pushed."""
        if not self._large_authors:
            return []
        return [one for one in self._large_authors if one in self.following or one == self.uid]

    def authors(self) -> set[int]:
        """Whose posts to ask for where nothing is held. Without the muted, who might fill whole pages."""
        if not self.following:
            return {self.uid}
        return {self.uid, *self.following} - people.hidden_by(viewer=self.uid).mutes


def downwards(
    *, reader: Reader, bounds: Bounds, limit: int, reach: int | None = None
) -> Candidates:
    """The newest entries within the bounds, enough for ``limit``, and on to the id ``reach`` if that
    is among what is held."""
    held = strategies.current().entries(reader=reader.uid)
    below = MAX_ID if bounds.below is None else bounds.below
    ids, floor = _within(held.newest, bounds), held.floor
    has_all = False
    is_enough = len(ids) > limit and (reach is None or ids[-1] <= reach)
    if not is_enough and below > floor + 1:
        everything, floor = held.everything()
        ids, has_all = _within(everything, bounds), True
        is_enough = len(ids) > limit or floor <= bounds.above
    if not is_enough:
        # The page begins below the floor or crosses it. What is held are posts of the same people,
        # so the posts answer for both sides at once.
        number = EXAMINED if reach is not None else _examined_for(limit)
        found = _from_posts(reader, bounds, number, upwards=False)
        return Candidates(*found, held=held.held, being_built=held.being_built)
    number = _examined_for(limit)
    if reach is not None:
        merged = EXAMINED if reader.merged_authors or reader.tags else 0
        number = max(number, merged, sum(one > reach for one in ids) + 1)
    lowest = max(bounds.above, floor) if has_all else ids[-1]
    examined, rows, cut = _examined(
        reader, ids, Bounds(above=lowest, below=bounds.below), number, upwards=False
    )
    more = cut or not has_all or floor > bounds.above
    return Candidates(examined, rows, more, held=held.held)


def above_top(*, reader: Reader, top: int, limit: int) -> Candidates:
    """The newest entries above an id that is near the newest: one command if there are none."""
    bounds = Bounds(above=top)
    held = strategies.current().entries(reader=reader.uid)
    if not held.newest or held.newest[-1] > top:
        return downwards(reader=reader, bounds=bounds, limit=limit)
    ids = _within(held.newest, bounds)
    return Candidates(*_examined(reader, ids, bounds, EXAMINED, upwards=False))


def has_newer(*, reader: Reader, above: int) -> bool:
    """Whether there is any entry above an id, held or not."""
    ids, _, _ = _from_posts(reader, Bounds(above=above), 1, upwards=False)
    return bool(ids)


def upwards(*, reader: Reader, bounds: Bounds, limit: int) -> Candidates:
    """The entries just above ``bounds.above``, the oldest first."""
    held = strategies.current().entries(reader=reader.uid)
    everything, floor = held.everything()
    if bounds.above < floor:
        found = _from_posts(reader, bounds, _examined_for(limit), upwards=True)
        return Candidates(*found, being_built=held.being_built)
    ids = _within(everything, bounds)[::-1]
    return Candidates(*_examined(reader, ids, bounds, _examined_for(limit), upwards=True))


def _examined_for(limit: int) -> int:
    return min(EXAMINED, TIMES * limit)


def _within(ids: list[int], bounds: Bounds) -> list[int]:
    below = MAX_ID + 1 if bounds.below is None else bounds.below
    return [one for one in ids if bounds.above < one < below]


def _examined(
    reader: Reader, ids: list[int], bounds: Bounds, number: int, *, upwards: bool
) -> tuple[list[int], dict[int, PostRow], bool]:
    """The first ``number`` of ``ids`` and of what is merged, with their posts; and whether that cut
    anything off."""
    first = ids[:number]
    if not (reader.merged_authors or reader.tags):
        return first, posts.by_ids(ids=first) if first else {}, len(ids) > number
    rows, merged = posts.by_ids_and_merged(
        ids=first,
        authors=reader.merged_authors,
        tags=reader.tags,
        bounds=bounds,
        limit=number + 1,
        upwards=upwards,
    )
    both = sorted({*first, *merged}, reverse=not upwards)
    return both[:number], rows, len(both) > number or len(ids) > number


def _from_posts(
    reader: Reader, bounds: Bounds, number: int, *, upwards: bool
) -> tuple[list[int], dict[int, PostRow], bool]:
    """Fan-out on read: what the followed people have posted, whatever is held."""
    rows = posts.by_authors(
        authors=reader.authors(),
        reader=reader.uid,
        bounds=bounds,
        limit=number + 1,
        upwards=upwards,
        tags=reader.tags,
    )
    taken = rows[:number]
    return [one.id for one in taken], {one.id: one for one in taken}, len(rows) > number
