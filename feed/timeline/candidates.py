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

from accounts.infra.ids import MAX_ID
from accounts.selectors.follow_graph import followee_ids
from accounts.selectors.relationships import hidden_users
from feed.activities import home_kinds
from feed.selectors.filters import ActiveFilters
from feed.store import posts
from feed.store.post_rows import IdRange, PostRow
from feed.store.reading import HomeState
from feed.timeline import strategies

MAX_EXAMINED = 250
EXAMINED_PER_ENTRY = 3


@dataclass(frozen=True, slots=True)
class Candidates:
    """``ids`` in the order of the page, also of posts that are gone; ``rows`` are those there are.

    ``more``: whether there is anything to go on to behind the last of ``ids``.
    """

    ids: list[int]
    rows: dict[int, PostRow]
    has_more: bool
    held_count: int = 0
    is_building: bool = False


class HomeViewer:
    """What a page asks about its reader, each thing at most once."""

    def __init__(self, *, uid: int, state: HomeState) -> None:
        self.uid = uid
        self._large_authors = state.large_authors
        self.followed_tags = state.followed_tags
        self.visible_kinds = {one.name for one in home_kinds()} - set(state.hidden_kinds)
        self.filters = ActiveFilters(filters=state.filters, now=timezone.now())

    @cached_property
    def followed_uids(self) -> set[int]:
        return set(followee_ids(uid=self.uid))

    @cached_property
    def merged_authors(self) -> list[int]:
        """Whose posts may not have been pushed."""
        if not self._large_authors:
            return []
        return [one for one in self._large_authors if one in self.followed_uids or one == self.uid]

    def source_authors(self) -> set[int]:
        """Whose posts to ask for where nothing is held. Without the muted, who might fill whole pages."""
        if not self.followed_uids:
            return {self.uid}
        return {self.uid, *self.followed_uids} - hidden_users(viewer=self.uid).muted


def newest_candidates(
    *, viewer: HomeViewer, id_range: IdRange, limit: int, reach_id: int | None = None
) -> Candidates:
    """The newest entries within the bounds, enough for ``limit``, and on to the id ``reach`` if that
    is among what is held."""
    held = strategies.active_strategy().read_inbox(owner=viewer.uid)
    below = MAX_ID if id_range.below is None else id_range.below
    ids, floor = _within(held.newest_ids, id_range), held.floor
    has_all = False
    is_enough = len(ids) > limit and (reach_id is None or ids[-1] <= reach_id)
    if not is_enough and below > floor + 1:
        everything, floor = held.read_all()
        ids, has_all = _within(everything, id_range), True
        is_enough = len(ids) > limit or floor <= id_range.above
    if not is_enough:
        # The page begins below the floor or crosses it. What is held are posts of the same people,
        # so the posts answer for both sides at once.
        number = MAX_EXAMINED if reach_id is not None else _examined_for(limit)
        found = _from_posts(viewer, id_range, number, upwards=False)
        return Candidates(*found, held_count=held.count, is_building=held.is_building)
    number = _examined_for(limit)
    if reach_id is not None:
        merged = MAX_EXAMINED if viewer.merged_authors or viewer.followed_tags else 0
        number = max(number, merged, sum(one > reach_id for one in ids) + 1)
    lowest = max(id_range.above, floor) if has_all else ids[-1]
    examined, rows, cut = _examined(
        viewer, ids, IdRange(above=lowest, below=id_range.below), number, upwards=False
    )
    more = cut or not has_all or floor > id_range.above
    return Candidates(examined, rows, more, held_count=held.count)


def candidates_since(*, viewer: HomeViewer, since_id: int, limit: int) -> Candidates:
    """The newest entries above an id that is near the newest: one command if there are none."""
    bounds = IdRange(above=since_id)
    held = strategies.active_strategy().read_inbox(owner=viewer.uid)
    if not held.newest_ids or held.newest_ids[-1] > since_id:
        return newest_candidates(viewer=viewer, id_range=bounds, limit=limit)
    ids = _within(held.newest_ids, bounds)
    return Candidates(*_examined(viewer, ids, bounds, MAX_EXAMINED, upwards=False))


def has_newer_entry(*, viewer: HomeViewer, since_id: int) -> bool:
    """Whether there is any entry above an id, held or not."""
    ids, _, _ = _from_posts(viewer, IdRange(above=since_id), 1, upwards=False)
    return bool(ids)


def oldest_candidates(*, viewer: HomeViewer, id_range: IdRange, limit: int) -> Candidates:
    """The entries just above ``bounds.above``, the oldest first."""
    held = strategies.active_strategy().read_inbox(owner=viewer.uid)
    everything, floor = held.read_all()
    if id_range.above < floor:
        found = _from_posts(viewer, id_range, _examined_for(limit), upwards=True)
        return Candidates(*found, is_building=held.is_building)
    ids = _within(everything, id_range)[::-1]
    return Candidates(*_examined(viewer, ids, id_range, _examined_for(limit), upwards=True))


def _examined_for(limit: int) -> int:
    return min(MAX_EXAMINED, EXAMINED_PER_ENTRY * limit)


def _within(ids: list[int], bounds: IdRange) -> list[int]:
    below = MAX_ID + 1 if bounds.below is None else bounds.below
    return [one for one in ids if bounds.above < one < below]


def _examined(
    reader: HomeViewer, ids: list[int], bounds: IdRange, number: int, *, upwards: bool
) -> tuple[list[int], dict[int, PostRow], bool]:
    """The first ``number`` of ``ids`` and of what is merged, with their posts; and whether that cut
    anything off."""
    first = ids[:number]
    if not (reader.merged_authors or reader.followed_tags):
        return first, posts.by_ids(ids=first) if first else {}, len(ids) > number
    rows, merged = posts.posts_with_merged(
        ids=first,
        authors=reader.merged_authors,
        hashtags=reader.followed_tags,
        id_range=bounds,
        limit=number + 1,
        ascending=upwards,
    )
    both = sorted({*first, *merged}, reverse=not upwards)
    return both[:number], rows, len(both) > number or len(ids) > number


def _from_posts(
    reader: HomeViewer, bounds: IdRange, number: int, *, upwards: bool
) -> tuple[list[int], dict[int, PostRow], bool]:
    """Fan-out on read: what the followed people have posted, whatever is held."""
    rows = posts.by_authors(
        authors=reader.source_authors(),
        viewer=reader.uid,
        id_range=bounds,
        limit=number + 1,
        ascending=upwards,
        hashtags=reader.followed_tags,
    )
    taken = rows[:number]
    return [one.id for one in taken], {one.id: one for one in taken}, len(rows) > number
