"""The home timeline: what the followed people have posted, down to the first post ever.

``candidates`` says which entries a page is made of, ``visible`` who may see them; here the two meet. A
cursor is the id of the last entry *examined*; any id works, also that of a post which is gone.
"""

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from accounts import selectors as people
from accounts.ids import MAX_ID, first_id_at
from accounts.ids.layout import EPOCH
from feed.activities import activity
from feed.store import marks, posts, reading
from feed.store.rows import Bounds, PostRow

from .candidates import TIMES, Candidates, Reader, above_top, downwards, has_newer, upwards
from .pages import HomePage, PostView, post_views
from .visible import Seen, Shown, drop_repeated_shares, is_in_home, people_of, readable, speaks_to

UNREAD_MAX = 99


def home_page(
    *,
    reader: int,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
    top: int | None = None,
) -> HomePage:
    """The newest posts, below ``max_id`` and above ``since_id``; or those just above ``min_id``.

    ``top``: the newest entry of the first page, from which the reader has come down here.
    """
    before = reading.before_home(reader=reader)
    me, position = Reader(uid=reader, before=before), before.position
    has_unseen_below = before.has_unseen_below
    if min_id is not None:
        return _page_above(me, Bounds(above=min_id, below=max_id), limit, position)
    bounds = Bounds(above=since_id or 0, below=max_id)
    is_first = max_id is None and since_id is None
    found = downwards(reader=me, bounds=bounds, limit=limit, reach=position if is_first else None)
    seen = seen_by(reader=me, candidates=found, limit=limit)
    visible = seen.shown
    views = post_views(shown=visible[:limit], seen=seen)
    if is_first:
        top = found.ids[0] if found.ids else None
        if position is None and top is not None:
            # The first visit: what is there already does not count as missed.
            reading.advance(reader=reader, position=top, at=timezone.now())
            position, has_unseen_below = top, True
    newer = None
    if max_id is not None:
        newer = visible[0].entry.id if visible else max(0, max_id - 1)
    older = _next(found, visible, limit)
    unread, is_exact = _unread(me, found, visible, position) if is_first else (None, True)
    line = None if top is None else _line(views, position, max_id=max_id)
    if line is not None and not is_first and has_newer(reader=me, above=top or 0):
        line = None  # something has come since the reader was at the top
    return HomePage(
        posts=views,
        older=older,
        newer=_cursor(newer),
        reason="" if views or older or not is_first or found.being_built else _why_empty(me),
        being_built=found.being_built,
        position=position,
        unread=unread,
        unread_is_exact=is_exact,
        held=found.held,
        top=top,
        line_after=line,
        has_unseen_below=has_unseen_below,
    )


def oldest_first_page(*, reader: int, limit: int, min_id: int | None = None) -> HomePage:
    """The posts just above ``min_id``, or above where the reader has stopped; the oldest first."""
    if min_id is None:
        min_id = reading.before_home(reader=reader).position or 0
    page = home_page(reader=reader, limit=limit, min_id=min_id)
    return HomePage(
        posts=page.posts[::-1],
        older=page.older,
        newer=page.newer,
        being_built=page.being_built,
        position=page.position,
        # Where nothing may be seen, one goes on behind what was looked at.
        top=page.posts[0].entry if page.posts else int(page.newer or min_id),
    )


def new_posts(*, reader: int, above: int, limit: int) -> int:
    """How many posts of others have come to the reader's home above this entry, up to ``limit``. Two
    commands if none has."""
    me = Reader(uid=reader, before=reading.before_home(reader=reader))
    found = above_top(reader=me, top=above, limit=limit)
    if not found.ids:
        return 0
    shown = seen_by(reader=me, candidates=found, limit=limit).shown
    return min(limit, sum(one.entry.author != reader for one in shown))


def _page_above(me: Reader, bounds: Bounds, limit: int, position: int | None) -> HomePage:
    found = upwards(reader=me, bounds=bounds, limit=limit)
    seen = seen_by(reader=me, candidates=found, limit=limit)
    visible = seen.shown
    shown = visible[:limit][::-1]
    return HomePage(
        posts=post_views(shown=shown, seen=seen),
        older=_cursor(shown[-1].entry.id if shown else min(MAX_ID, bounds.above + 1)),
        newer=_next(found, visible, limit),
        being_built=found.being_built,
        position=position,
    )


def seen_by(*, reader: Reader, candidates: Candidates, limit: int) -> Seen:
    """Those candidates that the reader sees at home, in their order; ``limit`` of them will be shown."""
    rows = [candidates.rows[one] for one in candidates.ids if one in candidates.rows]
    targets = targets_of(rows)
    shared_posts = {one.share_of for one in rows if one.share_of in targets}
    marked, earlier = marks.with_shares(
        viewer=reader.uid,
        posts={one.share_of or one.id for one in rows},
        authors={reader.uid, *reader.following} if shared_posts else (),
        shared=shared_posts,
        below=max((one.id for one in rows), default=0),
    )
    uids = people_of(rows=rows, targets=targets, sampled=TIMES * limit)
    uids |= {one.author for one in earlier}
    relations = people.relations(viewer=reader.uid, uids=uids - {reader.uid})
    visible = [
        shown
        for row in rows
        if (shown := readable(entry=row, targets=targets, viewer=reader.uid, relations=relations))
        and is_in_home(shown=shown, reader=reader.uid, relations=relations, tags=reader.tags)
        and shown.entry.kind in reader.kinds
        and not (shown.entry.author == reader.uid and activity(shown.entry.kind).is_doing)
        and not (shown.post.author != reader.uid and reader.filtering.hides(shown.post))
    ]
    if shared_posts:
        visible = drop_repeated_shares(
            entries=visible,
            earlier_shares=[
                (one.id, one.post)
                for one in earlier
                if speaks_to(author=one.author, reader=reader.uid, relations=relations)
                and one.author not in relations.hides_shares
            ],
            viewer=reader.uid,
            relations=relations,
            window=_share_window(),
        )
    return Seen(reader.uid, visible, marked, relations, uids, reader.filtering, reader.tags)


def targets_of(rows: Sequence[PostRow]) -> dict[int, PostRow]:
    """The posts that are shared by these, as far as they still exist."""
    wanted = {one.share_of for one in rows if one.share_of is not None}
    return posts.by_ids(ids=wanted) if wanted else {}


def _next(found: Candidates, visible: list[Shown], limit: int) -> str | None:
    if len(visible) > limit:
        return str(visible[limit - 1].entry.id)
    return str(found.ids[-1]) if found.more and found.ids else None


def _unread(
    me: Reader, found: Candidates, visible: list[Shown], position: int | None
) -> tuple[int | None, bool]:
    if position is None:
        return None, True
    unread = sum(one.entry.id > position and one.entry.author != me.uid for one in visible)
    reached = not found.more or bool(found.ids and found.ids[-1] <= position)
    return min(unread, UNREAD_MAX), reached and unread <= UNREAD_MAX


def _line(views: Sequence[PostView], position: int | None, *, max_id: int | None) -> int | None:
    """Where "you are all caught up" stands: on the page on which the posts begin that the reader has
    seen before."""
    if position is None or not views or views[-1].entry > position:
        return None
    return position if max_id is None or max_id > position else None


def _share_window() -> int:
    """The days in which a shared post comes once, as a difference of ids."""
    return first_id_at(moment=EPOCH + timedelta(days=settings.FEED_SHARE_WINDOW_DAYS))


def _why_empty(me: Reader) -> str:
    return "nobody_posted" if me.following or me.tags else "follows_nobody"


def _cursor(id: int | None) -> str | None:
    return None if id is None else str(id)
