"""Posts and comments in one list: by their ids, what somebody keeps, and what somebody likes.

A list costs the same number of commands however long it is, and two more where there are comments in it.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from accounts.infra.ids import MAX_ID
from feed.store import bookmarks, comments, likes, posts
from feed.store.post_rows import IdRange

from .comments import CommentWithPost, comments_with_posts
from .lists import direction, remaining_bounds, visible_entries
from .pages import PostView, post_views

Content = PostView | CommentWithPost

READ_FACTORS = (1, 10, 50)
"""As in ``lists``; here nearly all can be read."""


@dataclass(frozen=True, slots=True)
class ContentPage:
    """``older`` and ``newer`` as in ``TimelinePage``; a short page is not the end. ``top``: the cursor of
    the first that was looked at."""

    contents: tuple[Content, ...]
    older_cursor: str | None
    newer_cursor: str | None
    first_cursor: str | None = None


def content_by_id(*, ids: Sequence[int], viewer: int | None) -> dict[int, Content]:
    """Those of these posts, shares and comments that the viewer may read, by their ids, in this order."""
    rows = posts.by_ids(ids=ids) if ids else {}
    missing = [id_ for id_ in ids if id_ not in rows]
    said = comments.by_ids(ids=missing) if missing else {}
    about = {id_.post for id_ in said.values()} - rows.keys()
    every = rows | (posts.by_ids(ids=about) if about else {})
    seen = visible_entries(rows=list(every.values()), viewer=viewer)
    views = {view.entry_id: view for view in post_views(shown=seen.entries, seen=seen)}
    found: dict[int, Content] = {one: view for one, view in views.items() if one in rows}
    if said:
        placed = comments_with_posts(
            rows=list(said.values()), posts=views, viewer=viewer, include_muted=True
        )
        found |= {post.comment.id: post for post in placed}
    return {id_: found[id_] for id_ in ids if id_ in found}


def visible_post_ids(*, ids: Collection[int], viewer: int | None) -> set[int]:
    """Return those of these posts that the viewer may see. A constant number of commands."""
    rows = posts.by_ids(ids=ids) if ids else {}
    seen = visible_entries(rows=list(rows.values()), viewer=viewer)
    return {shown.post.id for shown in seen.entries}


def bookmarks_page(
    *,
    owner: int,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> ContentPage:
    """What somebody keeps and may still read, the last kept first. Its cursors are ids of bookmarks."""
    upwards, bounds = direction(max_id, min_id, since_id)

    def read(bounds: IdRange, limit: int) -> list[tuple[int, int]]:
        found = bookmarks.bookmarks_of(owner=owner, id_range=bounds, limit=limit, ascending=upwards)
        return [(bookmark.id, bookmark.post) for bookmark in found]

    return _page(read, owner, limit, bounds, upwards)


def likes_page(
    *,
    owner: int,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> ContentPage:
    """What somebody likes and may still read, the newest post or comment first. Its cursors are their
    ids: when they were liked is not kept."""
    upwards, bounds = direction(max_id, min_id, since_id)

    def read(bounds: IdRange, limit: int) -> list[tuple[int, int]]:
        found = likes.liked_ids_of_user(uid=owner, id_range=bounds, limit=limit, ascending=upwards)
        return [(post_id, post_id) for post_id in found]

    return _page(read, owner, limit, bounds, upwards)


def _page(
    read: Callable[[IdRange, int], list[tuple[int, int]]],
    viewer: int,
    limit: int,
    bounds: IdRange,
    upwards: bool,
) -> ContentPage:
    """Read on until the page is full, as ``lists.filled_page`` does.

    ``read`` returns up to so many (cursor, id) within these bounds, in the order of the page.
    """
    rest, top, further = bounds, None, None
    items: dict[int, Content] = {}  # by their cursors
    for factor in READ_FACTORS:
        rows = read(rest, factor * limit + 1)
        examined, has_more = rows[: factor * limit], len(rows) > factor * limit
        top = examined[0][0] if top is None and examined else top
        visible = content_by_id(ids=[entry for _cursor, entry in examined], viewer=viewer)
        fitting = [(at, visible[entry]) for at, entry in examined if entry in visible]
        is_over = len(items) + len(fitting) > limit
        items |= fitting[: limit - len(items)]
        further = examined[-1][0] if has_more else None
        if is_over:
            further = next(reversed(items))
        if len(items) == limit or not has_more:
            break
        rest = remaining_bounds(rest, examined[-1][0], upwards)
    cursor = None if further is None else str(further)
    if upwards:
        older = next(iter(items), None) or min(MAX_ID, bounds.above + 1)
        return ContentPage(tuple(reversed(items.values())), str(older), cursor)
    newer = None
    if bounds.below is not None:
        newer = str(top or max(0, bounds.below - 1))
    return ContentPage(tuple(items.values()), cursor, newer, None if top is None else str(top))
