"""Candidates: the entries of a range of the home timeline, before visibility is checked.

Above the floor of the inbox, the candidates are the ids in the inbox, the posts of large authors that were
not delivered (``Post.is_pushed``), and posts with followed hashtags. Below the floor, the posts of the
followed users are read from the collection of posts.

Most pages hide few candidates. So a page first examines few candidates for each entry it may show. Only if
too few of them are visible, it examines more (``READS_PER_ENTRY``), but never more than ``MAX_EXAMINED``.
Otherwise a private account could empty pages. Unread entries are counted among the first ``MAX_COUNTED``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils import timezone

from accounts.infra.ids import MAX_ID
from accounts.infra.store.unions import read_union
from accounts.selectors.follow_graph import followee_ids, followee_queries, followees_in
from accounts.selectors.relationships import hidden_users
from feed.activities import home_kinds
from feed.selectors.filters import ActiveFilters
from feed.store import home_states, posts
from feed.store.post_rows import IdRange, PostRow
from feed.timeline import strategies
from feed.timeline.strategies.contents import InboxContents

MAX_EXAMINED, MAX_COUNTED = 1_000, 250
READS_PER_ENTRY = (1.5, 3.0, float(MAX_EXAMINED))


@dataclass(frozen=True, slots=True)
class Candidates:
    """The examined entries of a page.

    Attributes:
        ids: ids in page order, which may include deleted posts.
        rows: the posts that exist, by id.
        has_more: whether more entries of the range follow the last id.
        is_building: whether a worker is still filling the inbox.
    """

    ids: list[int]
    rows: dict[int, PostRow]
    has_more: bool
    is_building: bool = False


class HomeViewer:
    """The viewer's inbox, follows, filters and settings for a home page. Each is read at most once.

    One command reads the home state and the head of the inbox, and with ``with_followees`` the followed
    users, which most pages need.
    """

    def __init__(self, *, uid: int, with_followees: bool = False) -> None:
        self.uid = uid
        self._strategy = strategies.active_strategy()
        self._union = read_union(
            queries=[
                *home_states.home_state_queries(viewer=uid),
                *self._strategy.head_queries(owner=uid),
                *(followee_queries(follower=uid) if with_followees else ()),
            ]
        )
        if with_followees:
            self.followed_uids = set(followees_in(union=self._union))
        self.state = state = home_states.home_state_in(union=self._union)
        self.followed_tags = state.followed_tags
        self.visible_kinds = {kind.name for kind in home_kinds()} - set(state.hidden_kinds)
        self.filters = ActiveFilters(filters=state.filters, now=timezone.now())

    @cached_property
    def inbox(self) -> InboxContents:
        return self._strategy.read_inbox(owner=self.uid, union=self._union)

    @cached_property
    def followed_uids(self) -> set[int]:
        return set(followee_ids(follower=self.uid))

    @cached_property
    def all_inbox_ids(self) -> tuple[list[int], int]:
        """All ids in the inbox, newest first, and its floor."""
        return self.inbox.read_all()

    @cached_property
    def merged_authors(self) -> list[int]:
        """The large authors whose posts to merge: followed users, and the viewer."""
        return [
            author
            for author in self.state.large_authors
            if author in self.followed_uids or author == self.uid
        ]

    def source_authors(self) -> set[int]:
        """Return the authors whose posts a page reads below the floor.

        Muted users and members of exclusive lists are left out, because their posts could fill whole
        pages.
        """
        if not self.followed_uids:
            return {self.uid}
        hidden = hidden_users(viewer=self.uid)
        return {self.uid, *self.followed_uids} - hidden.muted - hidden.hidden_from_home


def newest_candidates(
    *,
    home_viewer: HomeViewer,
    id_range: IdRange,
    limit: int,
    per_entry: float = READS_PER_ENTRY[1],
    reach_id: int | None = None,
) -> Candidates:
    """Return the newest entries in the range, ``per_entry`` for each of the ``limit`` posts of a page.

    If ``reach_id`` is given, such as the reading position, return all entries of the inbox down to this id,
    so that unread posts can be counted.
    """
    inbox = home_viewer.inbox
    below = MAX_ID if id_range.below is None else id_range.below
    ids, floor = _ids_within(inbox.newest_ids, id_range), inbox.floor
    has_all, max_count = False, _max_examined(limit, per_entry)
    is_enough = len(ids) > limit and (reach_id is None or ids[-1] <= reach_id)
    if not is_enough and below > floor + 1:
        all_ids, floor = home_viewer.all_inbox_ids
        ids, has_all = _ids_within(all_ids, id_range), True
        is_enough = len(ids) > limit or floor <= id_range.above
    if not is_enough:
        # The page begins below the floor or crosses the floor. The followed users' posts include all
        # posts in the inbox, so one query is enough for both sides of the floor.
        if reach_id is not None:
            max_count = max(max_count, MAX_COUNTED)
        candidates = _read_from_authors(home_viewer, id_range, max_count)
        return Candidates(*candidates, is_building=inbox.is_building)
    if reach_id is not None:
        max_merged = MAX_COUNTED if home_viewer.merged_authors or home_viewer.followed_tags else 0
        max_count = max(max_count, max_merged, sum(entry_id > reach_id for entry_id in ids) + 1)
    lowest_id = max(id_range.above, floor) if has_all else ids[-1]
    examined_ids, rows, is_truncated = _examine(
        home_viewer, ids, IdRange(above=lowest_id, below=id_range.below), max_count
    )
    has_more = is_truncated or not has_all or floor > id_range.above
    return Candidates(examined_ids, rows, has_more)


def candidates_since(*, home_viewer: HomeViewer, since_id: int, limit: int) -> Candidates:
    """Return the newest entries above ``since_id``, an id near the top of the timeline.

    Without new entries, the only command is the one that reads the inbox, and for viewers who follow large
    authors or hashtags one that reads their posts.
    """
    id_range = IdRange(above=since_id)
    inbox = home_viewer.inbox
    if not inbox.newest_ids or inbox.newest_ids[-1] > since_id:
        return newest_candidates(home_viewer=home_viewer, id_range=id_range, limit=limit)
    ids = _ids_within(inbox.newest_ids, id_range)
    return Candidates(*_examine(home_viewer, ids, id_range, MAX_COUNTED))


def oldest_candidates(
    *, home_viewer: HomeViewer, id_range: IdRange, limit: int, per_entry: float
) -> Candidates:
    """Return the entries just above ``id_range.above``, oldest first. The range is ascending."""
    inbox = home_viewer.inbox
    all_ids, floor = home_viewer.all_inbox_ids
    if id_range.above < floor:
        candidates = _read_from_authors(home_viewer, id_range, _max_examined(limit, per_entry))
        return Candidates(*candidates, is_building=inbox.is_building)
    ids = _ids_within(all_ids, id_range)[::-1]
    return Candidates(*_examine(home_viewer, ids, id_range, _max_examined(limit, per_entry)))


def _max_examined(limit: int, per_entry: float) -> int:
    return min(MAX_EXAMINED, int(per_entry * limit) + 1)


def _ids_within(ids: Sequence[int], id_range: IdRange) -> list[int]:
    below = MAX_ID + 1 if id_range.below is None else id_range.below
    return [entry_id for entry_id in ids if id_range.above < entry_id < below]


def _examine(
    home_viewer: HomeViewer, ids: list[int], id_range: IdRange, max_count: int
) -> tuple[list[int], dict[int, PostRow], bool]:
    """Merge ``ids`` from the inbox with posts that were not delivered.

    Return the first ``max_count`` ids, the posts by id, and whether more ids follow.
    """
    inbox_ids = ids[:max_count]
    if not (home_viewer.merged_authors or home_viewer.followed_tags):
        return inbox_ids, posts.by_ids(ids=inbox_ids) if inbox_ids else {}, len(ids) > max_count
    rows, merged_ids = posts.posts_with_merged(
        ids=inbox_ids,
        authors=home_viewer.merged_authors,
        hashtags=home_viewer.followed_tags,
        id_range=id_range,
        limit=max_count + 1,
    )
    all_ids = sorted({*inbox_ids, *merged_ids}, reverse=not id_range.is_ascending)
    return all_ids[:max_count], rows, len(all_ids) > max_count or len(ids) > max_count


def _read_from_authors(
    home_viewer: HomeViewer, id_range: IdRange, max_count: int
) -> tuple[list[int], dict[int, PostRow], bool]:
    """Fan-out on read: read the posts of the followed users, without the inbox."""
    rows = posts.by_authors(
        authors=home_viewer.source_authors(),
        viewer=home_viewer.uid,
        id_range=id_range,
        limit=max_count + 1,
        hashtags=home_viewer.followed_tags,
        in_timeline=True,
    )
    examined = rows[:max_count]
    return [row.id for row in examined], {row.id: row for row in examined}, len(rows) > max_count
