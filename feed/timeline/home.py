"""The home timeline: what the followed people have posted, down to the first post ever.

``candidates`` says which entries a page is made of, ``visible`` who may see them; here the two meet. A
cursor is the id of the last entry *examined*; any id works, also that of a post which is gone.
"""

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from accounts.infra.ids import MAX_ID, first_id_at
from accounts.infra.ids.layout import EPOCH
from accounts.selectors.relationships import relationships
from feed.activities import activity_kind
from feed.selectors.pages import HomePage, PostView, post_views
from feed.selectors.visibility import (
    VisibleEntries,
    VisibleEntry,
    drop_repeated_shares,
    involved_uids,
    is_author_in_home,
    is_entry_in_home,
    visible_entry,
)
from feed.store import interactions, posts, reading
from feed.store.post_rows import IdRange, PostRow

from .candidates import (
    EXAMINED_PER_ENTRY,
    Candidates,
    HomeViewer,
    candidates_since,
    has_newer_entry,
    newest_candidates,
    oldest_candidates,
)

MAX_UNREAD = 99


def home_page(
    *,
    viewer: int,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
    top_id: int | None = None,
) -> HomePage:
    """The newest posts, below ``max_id`` and above ``since_id``; or those just above ``min_id``.

    ``top``: the newest entry of the first page, from which the reader has come down here.
    """
    before = reading.home_state(viewer=viewer)
    me, position = HomeViewer(uid=viewer, state=before), before.position
    has_unseen_below = before.has_unseen_older
    if min_id is not None:
        return _page_above(me, IdRange(above=min_id, below=max_id), limit, position)
    bounds = IdRange(above=since_id or 0, below=max_id)
    is_first = max_id is None and since_id is None
    found = newest_candidates(
        viewer=me, id_range=bounds, limit=limit, reach_id=position if is_first else None
    )
    seen = visible_candidates(reader=me, candidates=found, limit=limit)
    visible = seen.entries
    views = post_views(shown=visible[:limit], seen=seen)
    if is_first:
        top_id = found.ids[0] if found.ids else None
        if position is None and top_id is not None:
            # The first visit: what is there already does not count as missed.
            reading.advance_position(viewer=viewer, position=top_id, now=timezone.now())
            position, has_unseen_below = top_id, True
    newer = None
    if max_id is not None:
        newer = visible[0].entry.id if visible else max(0, max_id - 1)
    older = _next(found, visible, limit)
    unread, is_exact = _unread(me, found, visible, position) if is_first else (None, True)
    line = None if top_id is None else _line(views, position, max_id=max_id)
    if line is not None and not is_first and has_newer_entry(viewer=me, since_id=top_id or 0):
        line = None  # something has come since the reader was at the top
    return HomePage(
        posts=views,
        older_cursor=older,
        newer_cursor=_cursor(newer),
        empty_reason="" if views or older or not is_first or found.is_building else _why_empty(me),
        is_backfilling=found.is_building,
        position=position,
        unread_count=unread,
        is_unread_exact=is_exact,
        inbox_size=found.held_count,
        newest_seen_id=top_id,
        caught_up_id=line,
        has_unseen_below=has_unseen_below,
    )


def home_page_oldest_first(*, viewer: int, limit: int, min_id: int | None = None) -> HomePage:
    """The posts just above ``min_id``, or above where the reader has stopped; the oldest first."""
    if min_id is None:
        min_id = reading.home_state(viewer=viewer).position or 0
    page = home_page(viewer=viewer, limit=limit, min_id=min_id)
    return HomePage(
        posts=page.posts[::-1],
        older_cursor=page.older_cursor,
        newer_cursor=page.newer_cursor,
        is_backfilling=page.is_backfilling,
        position=page.position,
        # Where nothing may be seen, one goes on behind what was looked at.
        newest_seen_id=page.posts[0].entry_id if page.posts else int(page.newer_cursor or min_id),
    )


def count_new_posts(*, viewer: int, since_id: int, limit: int) -> int:
    """How many posts of others have come to the reader's home above this entry, up to ``limit``. Two
    commands if none has."""
    me = HomeViewer(uid=viewer, state=reading.home_state(viewer=viewer))
    found = candidates_since(viewer=me, since_id=since_id, limit=limit)
    if not found.ids:
        return 0
    shown = visible_candidates(reader=me, candidates=found, limit=limit).entries
    return min(limit, sum(one.entry.author != viewer for one in shown))


def _page_above(me: HomeViewer, bounds: IdRange, limit: int, position: int | None) -> HomePage:
    found = oldest_candidates(viewer=me, id_range=bounds, limit=limit)
    seen = visible_candidates(reader=me, candidates=found, limit=limit)
    visible = seen.entries
    shown = visible[:limit][::-1]
    return HomePage(
        posts=post_views(shown=shown, seen=seen),
        older_cursor=_cursor(shown[-1].entry.id if shown else min(MAX_ID, bounds.above + 1)),
        newer_cursor=_next(found, visible, limit),
        is_backfilling=found.is_building,
        position=position,
    )


def visible_candidates(*, reader: HomeViewer, candidates: Candidates, limit: int) -> VisibleEntries:
    """Those candidates that the reader sees at home, in their order; ``limit`` of them will be shown."""
    rows = [candidates.rows[one] for one in candidates.ids if one in candidates.rows]
    targets = shared_posts_of(rows)
    shared_posts = {one.share_of for one in rows if one.share_of in targets}
    marked, earlier = interactions.interactions_and_shares(
        viewer=reader.uid,
        posts={one.share_of or one.id for one in rows},
        sharers={reader.uid, *reader.followed_uids} if shared_posts else (),
        shared=shared_posts,
        before_id=max((one.id for one in rows), default=0),
    )
    uids = involved_uids(rows=rows, shared_posts=targets, sample_size=EXAMINED_PER_ENTRY * limit)
    uids |= {one.author for one in earlier}
    relations = relationships(viewer=reader.uid, uids=uids - {reader.uid})
    visible = [
        shown
        for row in rows
        if (
            shown := visible_entry(
                entry=row, shared_posts=targets, viewer=reader.uid, relationships=relations
            )
        )
        and is_entry_in_home(
            entry=shown,
            viewer=reader.uid,
            relationships=relations,
            followed_tags=reader.followed_tags,
        )
        and shown.entry.kind in reader.visible_kinds
        and not (
            shown.entry.author == reader.uid and activity_kind(shown.entry.kind).is_side_effect
        )
        and not (shown.post.author != reader.uid and reader.filters.hides_post(shown.post))
    ]
    if shared_posts:
        visible = drop_repeated_shares(
            entries=visible,
            earlier_shares=[
                (one.id, one.post)
                for one in earlier
                if is_author_in_home(author=one.author, viewer=reader.uid, relationships=relations)
                and one.author not in relations.shares_hidden
            ],
            viewer=reader.uid,
            relationships=relations,
            window=_share_window(),
        )
    return VisibleEntries(
        reader.uid, visible, marked, relations, uids, reader.filters, reader.followed_tags
    )


def shared_posts_of(entries: Sequence[PostRow]) -> dict[int, PostRow]:
    """The posts that are shared by these, as far as they still exist."""
    wanted = {one.share_of for one in entries if one.share_of is not None}
    return posts.by_ids(ids=wanted) if wanted else {}


def _next(found: Candidates, visible: list[VisibleEntry], limit: int) -> str | None:
    if len(visible) > limit:
        return str(visible[limit - 1].entry.id)
    return str(found.ids[-1]) if found.has_more and found.ids else None


def _unread(
    me: HomeViewer, found: Candidates, visible: list[VisibleEntry], position: int | None
) -> tuple[int | None, bool]:
    if position is None:
        return None, True
    unread = sum(one.entry.id > position and one.entry.author != me.uid for one in visible)
    reached = not found.has_more or bool(found.ids and found.ids[-1] <= position)
    return min(unread, MAX_UNREAD), reached and unread <= MAX_UNREAD


def _line(views: Sequence[PostView], position: int | None, *, max_id: int | None) -> int | None:
    """Where "you are all caught up" stands: on the page on which the posts begin that the reader has
    seen before."""
    if position is None or not views or views[-1].entry_id > position:
        return None
    return position if max_id is None or max_id > position else None


def _share_window() -> int:
    """The days in which a shared post comes once, as a difference of ids."""
    return first_id_at(moment=EPOCH + timedelta(days=settings.FEED_SHARE_WINDOW_DAYS))


def _why_empty(me: HomeViewer) -> str:
    return "nobody_posted" if me.followed_uids or me.followed_tags else "follows_nobody"


def _cursor(id: int | None) -> str | None:
    return None if id is None else str(id)
