"""Posts and comments in one list: by their ids, what somebody keeps, and what somebody likes.

A list costs the same number of commands however long it is, and two more where there are comments in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.ids import MAX_ID
from feed.store import bookmarks, comments, likes, posts
from feed.store.rows import Bounds

from .comments import CommentOnPost, comments_on
from .lists import direction, readable_by
from .pages import PostView, post_views

Writing = PostView | CommentOnPost


@dataclass(frozen=True, slots=True)
class WritingsPage:
    """``older`` and ``newer`` as in ``TimelinePage``; a short page is not the end. ``top``: the cursor of
    the first that was looked at."""

    items: tuple[Writing, ...]
    older: str | None
    newer: str | None
    top: str | None = None


def writings(*, ids: Sequence[int], viewer: int | None) -> dict[int, Writing]:
    """Those of these posts, shares and comments that the viewer may read, by their ids, in this order."""
    rows = posts.by_ids(ids=ids) if ids else {}
    missing = [one for one in ids if one not in rows]
    said = comments.by_ids(ids=missing) if missing else {}
    about = {one.post for one in said.values()} - rows.keys()
    every = rows | (posts.by_ids(ids=about) if about else {})
    seen = readable_by(rows=list(every.values()), viewer=viewer)
    views = {view.entry: view for view in post_views(shown=seen.shown, seen=seen)}
    found: dict[int, Writing] = {one: view for one, view in views.items() if one in rows}
    if said:
        placed = comments_on(rows=list(said.values()), posts=views, viewer=viewer, with_muted=True)
        found |= {one.comment.id: one for one in placed}
    return {one: found[one] for one in ids if one in found}


def bookmarks_page(
    *,
    owner: int,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> WritingsPage:
    """What somebody keeps and may still read, the last kept first. Its cursors are ids of bookmarks."""
    upwards, bounds = direction(max_id, min_id, since_id)
    found = bookmarks.page(owner=owner, bounds=bounds, limit=limit + 1, upwards=upwards)
    listed = [(one.id, one.post) for one in found]
    return _page(listed, owner, limit, bounds, upwards)


def likes_page(
    *,
    owner: int,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> WritingsPage:
    """What somebody likes and may still read, the newest post or comment first. Its cursors are their
    ids: when they were liked is not kept."""
    upwards, bounds = direction(max_id, min_id, since_id)
    found = likes.liked_by(uid=owner, bounds=bounds, limit=limit + 1, upwards=upwards)
    return _page([(one, one) for one in found], owner, limit, bounds, upwards)


def _page(
    found: list[tuple[int, int]], viewer: int, limit: int, bounds: Bounds, upwards: bool
) -> WritingsPage:
    """``found``: up to one more (cursor, id) than fit, in the order in which they were read."""
    shown, more = found[:limit], len(found) > limit
    if upwards:
        shown.reverse()
    items = tuple(writings(ids=[one for _cursor, one in shown], viewer=viewer).values())
    if upwards:
        older = shown[-1][0] if shown else min(MAX_ID, bounds.above + 1)
        return WritingsPage(items, str(older), str(shown[0][0]) if more else None)
    top = str(shown[0][0]) if shown else None
    newer = None
    if bounds.below is not None:
        newer = top or str(max(0, bounds.below - 1))
    return WritingsPage(items, str(shown[-1][0]) if more else None, newer, top)
