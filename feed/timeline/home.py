"""Pages of the home timeline: the posts of followed users, down to the oldest post.

``candidates`` finds the entries of a page, and ``feed.selectors.visibility`` decides which entries the
viewer may see. A cursor is the id of the last visible entry, or of the last examined entry if the page is
empty. Any id works as a cursor, even the id of a deleted post.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

from django.utils import timezone

from accounts.infra.cursors import PageBounds
from accounts.infra.ids import MAX_ID, first_id_at
from accounts.infra.ids.layout import EPOCH
from accounts.infra.store.unions import Query, read_union
from accounts.selectors.follow_graph import followee_queries, followees_in
from accounts.selectors.relationships import hidden_user_queries, hidden_users_in, relationships
from feed.activities import activity_kind
from feed.selectors.post_view import PostView
from feed.selectors.shown_posts import post_views
from feed.selectors.timeline_pages import HomePage
from feed.selectors.visibility import (
    VisibleEntries,
    VisibleEntry,
    drop_repeated_shares,
    involved_uids,
    is_author_in_home,
    is_entry_in_home,
)
from feed.selectors.visible_posts import readable_entries
from feed.store import home_states, interactions, posts
from feed.store.home_states import HomePosition
from feed.store.post_rows import IdRange

from .candidates import (
    READS_PER_ENTRY,
    Candidates,
    HomeViewer,
    candidates_since,
    newest_candidates,
    oldest_candidates,
)

SHARE_WINDOW = first_id_at(moment=EPOCH + timedelta(days=7))
"""How much newer another share must be to show a post again, as a difference of ids: a week."""


MAX_UNREAD = 99


def home_page(
    *,
    viewer: int,
    bounds: PageBounds,
    top_id: int | None = None,
    counts_unread: bool = True,
) -> HomePage:
    """Return the newest posts within ``bounds``, newest first.

    Args:
        top_id: id of the newest entry on the first page. The links to older pages pass this id on.
        counts_unread: False if nobody shows the number of unread posts, which costs the examination of all
            entries above the reading position.
    """
    home_viewer = HomeViewer(uid=viewer, with_followees=True)
    state, position = home_viewer.state, home_viewer.state.position
    has_unseen_below = state.has_unseen_older
    limit, id_range = bounds.limit, IdRange.within(bounds)
    if bounds.is_ascending:
        return _page_above(home_viewer, id_range, limit, position)
    max_id = bounds.max_id
    is_first = max_id is None and bounds.since_id is None
    candidates, seen = _examined_entries(
        home_viewer, id_range, limit, reach_id=position if is_first and counts_unread else None
    )
    visible = seen.entries
    views = post_views(shown=visible[:limit], seen=seen)
    if is_first:
        top_id = visible[0].entry.id if visible else None
        if position is None and top_id is not None:
            # On the first visit, existing posts do not count as unread.
            home_states.advance_position(viewer=viewer, position=top_id, now=timezone.now())
            position, has_unseen_below = top_id, True
    newer = None
    if max_id is not None:
        newer = str(visible[0].entry.id if visible else max(0, max_id - 1))
    older = _next_cursor(candidates, visible, limit)
    unread_count, is_exact = None, True
    if is_first and counts_unread:
        unread_count, is_exact = _count_unread(home_viewer, candidates, visible, position)
    has_followed_users = bool(seen.relationships.followed)
    caught_up_id = None
    if top_id is not None and has_followed_users:
        caught_up_id = _caught_up_id(views, position, max_id=max_id)
    if (
        caught_up_id is not None
        and not is_first
        and _entries_since(home_viewer, top_id or 0, MAX_UNREAD)
    ):
        # Newer posts arrived after the first page, so the viewer is not caught up.
        caught_up_id = None
    return HomePage(
        posts=views,
        older_cursor=older,
        newer_cursor=newer,
        empty_reason=""
        if views or older or not is_first or candidates.is_building
        else _empty_reason(home_viewer),
        is_backfilling=candidates.is_building,
        position=position,
        unread_count=unread_count,
        is_unread_exact=is_exact,
        newest_seen_id=top_id,
        caught_up_id=caught_up_id,
        has_unseen_below=has_unseen_below,
        has_followed_users=has_followed_users,
        can_suggest=is_first and not state.hides_suggestions,
        followed_tags=tuple(state.followed_tags),
    )


def home_page_oldest_first(*, viewer: int, limit: int, min_id: int | None = None) -> HomePage:
    """Return the posts just above ``min_id`` or the reading position, oldest first."""
    if min_id is None:
        min_id = home_states.home_state(viewer=viewer).position or 0
    page = home_page(viewer=viewer, bounds=PageBounds(limit=limit, min_id=min_id))
    # If no entry is visible, the next page continues after the last examined entry.
    newest_seen_id = page.posts[0].entry_id if page.posts else int(page.newer_cursor or min_id)
    return replace(page, posts=page.posts[::-1], newest_seen_id=newest_seen_id)


def count_new_posts(*, viewer: int, since_id: int, limit: int) -> int:
    """Count the posts of other users above the entry ``since_id``, up to ``limit``.

    Pages poll this count. Mostly there are no new posts, and the count takes one command, or up to three
    for viewers who follow hashtags or large authors.
    """
    home_viewer = HomeViewer(uid=viewer)
    shown = _entries_since(home_viewer, since_id, limit)
    return min(limit, sum(visible.entry.author != viewer for visible in shown))


def new_posts_at_home(*, viewer: int, post_ids: Collection[int]) -> tuple[PostView, ...]:
    """Return the posts with these ids that the viewer currently sees in the home timeline, oldest first."""
    home_viewer = HomeViewer(uid=viewer)
    rows = posts.by_ids(ids=post_ids)
    newest_first = sorted(rows, reverse=True)
    candidates = Candidates(newest_first, rows, has_more=False)
    seen = visible_candidates(
        home_viewer=home_viewer, candidates=candidates, limit=len(newest_first)
    )
    return post_views(shown=seen.entries, seen=seen)[::-1]


def home_sources(*, viewer: int) -> tuple[set[int], list[str]]:
    """Return the users, without the viewer, and the hashtags whose posts the home timeline shows.

    One command.
    """
    union = read_union(
        queries=[
            *home_states.home_state_queries(viewer=viewer),
            *followee_queries(follower=viewer),
            *hidden_user_queries(viewer=viewer),
        ]
    )
    hidden = hidden_users_in(union=union)
    authors = set(followees_in(union=union)) - hidden.muted - hidden.hidden_from_home
    return authors, home_states.home_state_in(union=union).followed_tags


def advance_home_position(*, viewer: int, position: int) -> None:
    """Move the viewer's reading position up to the entry ``position``. The position never moves down."""
    # A position in the future would hide all new posts.
    now = timezone.now()
    newest = first_id_at(moment=now)
    home_states.advance_position(viewer=viewer, position=min(position, newest), now=now)


def home_position(*, viewer: int) -> HomePosition | None:
    """Return the viewer's reading position, or None before the first visit."""
    return home_states.home_position(viewer=viewer)


def _entries_since(home_viewer: HomeViewer, since_id: int, limit: int) -> list[VisibleEntry]:
    """Return the visible entries above ``since_id``. They may be more than ``limit``."""
    candidates = candidates_since(home_viewer=home_viewer, since_id=since_id, limit=limit)
    if not candidates.ids:
        return []
    return visible_candidates(home_viewer=home_viewer, candidates=candidates, limit=limit).entries


def _examined_entries(
    home_viewer: HomeViewer, id_range: IdRange, limit: int, *, reach_id: int | None = None
) -> tuple[Candidates, VisibleEntries]:
    """Examine entries until the page is full, and whether another visible entry follows is known."""
    read: Callable[..., Candidates] = partial(newest_candidates, reach_id=reach_id)
    if id_range.is_ascending:
        read = oldest_candidates
    for per_entry in READS_PER_ENTRY:
        candidates = read(
            home_viewer=home_viewer, id_range=id_range, limit=limit, per_entry=per_entry
        )
        seen = visible_candidates(home_viewer=home_viewer, candidates=candidates, limit=limit)
        if len(seen.entries) > limit or not candidates.has_more:
            break
    return candidates, seen


def _page_above(
    home_viewer: HomeViewer, id_range: IdRange, limit: int, position: int | None
) -> HomePage:
    candidates, seen = _examined_entries(home_viewer, id_range, limit)
    visible = seen.entries
    shown = visible[:limit][::-1]
    return HomePage(
        posts=post_views(shown=shown, seen=seen),
        older_cursor=str(shown[-1].entry.id if shown else min(MAX_ID, id_range.above + 1)),
        newer_cursor=_next_cursor(candidates, visible, limit),
        is_backfilling=candidates.is_building,
        position=position,
    )


def visible_candidates(
    *, home_viewer: HomeViewer, candidates: Candidates, limit: int
) -> VisibleEntries:
    """Return the candidates that the viewer sees in the home timeline, in page order.

    A page shows at most ``limit`` entries. The result may have more.
    """
    rows = [candidates.rows[entry_id] for entry_id in candidates.ids if entry_id in candidates.rows]

    def earlier_share_queries(shared_ids: Collection[int]) -> list[Query]:
        return interactions.share_queries(
            sharers={home_viewer.uid, *home_viewer.followed_uids} if shared_ids else (),
            posts=shared_ids,
            before_id=max((row.id for row in rows), default=0),
        )

    seen, union = readable_entries(
        rows=rows,
        viewer=home_viewer.uid,
        sample_size=3 * limit,
        further_queries=earlier_share_queries,
    )
    uids, relations = set(seen.checked_uids), seen.relationships
    earlier_shares = interactions.shares_in(union=union)
    other_sharers = {share.author for share in earlier_shares} - uids
    if other_sharers:
        uids |= other_sharers
        relations = relations.joined_with(
            relationships(viewer=home_viewer.uid, uids=other_sharers - {home_viewer.uid})
        )
    visible = [
        shown
        for shown in seen.entries
        if is_entry_in_home(
            entry=shown,
            viewer=home_viewer.uid,
            relationships=relations,
            followed_tags=home_viewer.followed_tags,
        )
        and home_viewer.visible_kinds.issuperset((shown.entry.kind, shown.post.kind))
        and not (
            shown.entry.author == home_viewer.uid and activity_kind(shown.entry.kind).is_side_effect
        )
        and not (
            shown.post.author != home_viewer.uid and home_viewer.filters.hides_post(shown.post)
        )
    ]
    if any(row.share_of for row in rows):
        visible = drop_repeated_shares(
            entries=visible,
            earlier_shares=[
                (share.id, share.post)
                for share in earlier_shares
                if is_author_in_home(
                    author=share.author, viewer=home_viewer.uid, relationships=relations
                )
                and share.author not in relations.shares_hidden
            ],
            viewer=home_viewer.uid,
            relationships=relations,
            window=SHARE_WINDOW,
            followed_tags=home_viewer.followed_tags,
        )
    # If many entries are hidden, the page shows posts outside of the sample.
    rows, targets = [shown.entry for shown in visible[:limit]], seen.related_posts or {}
    named_uids = involved_uids(rows=rows, shared_posts=targets, sample_size=limit)
    if missing_uids := named_uids - uids - {home_viewer.uid}:
        relations = relations.joined_with(relationships(viewer=home_viewer.uid, uids=missing_uids))
        uids |= missing_uids
    return replace(
        seen,
        entries=visible,
        relationships=relations,
        checked_uids=uids,
        filters=home_viewer.filters,
        followed_tags=home_viewer.followed_tags,
    )


def _next_cursor(candidates: Candidates, visible: list[VisibleEntry], limit: int) -> str | None:
    if visible and (len(visible) > limit or candidates.has_more):
        return str(visible[:limit][-1].entry.id)
    return str(candidates.ids[-1]) if candidates.has_more and candidates.ids else None


def _count_unread(
    home_viewer: HomeViewer,
    candidates: Candidates,
    visible: list[VisibleEntry],
    position: int | None,
) -> tuple[int | None, bool]:
    """Return the number of unread posts by other users, and whether the number is exact.

    The number is None before the first visit.
    """
    if position is None:
        return None, True
    unread_count = sum(
        shown.entry.id > position and shown.entry.author != home_viewer.uid for shown in visible
    )
    has_reached_position = not candidates.has_more or bool(
        candidates.ids and candidates.ids[-1] <= position
    )
    return min(unread_count, MAX_UNREAD), has_reached_position and unread_count <= MAX_UNREAD


def _caught_up_id(
    views: Sequence[PostView], position: int | None, *, max_id: int | None
) -> int | None:
    """Return the reading position if the page shows the line "you are all caught up", otherwise None.

    Only the page on which the posts that the viewer has already seen begin shows this line, above them.
    """
    if position is None or not views or views[-1].entry_id > position:
        return None
    return position if max_id is None or max_id > position else None


def _empty_reason(home_viewer: HomeViewer) -> str:
    return (
        "nobody_posted"
        if home_viewer.followed_uids or home_viewer.followed_tags
        else "follows_nobody"
    )
