"""Read lists that mix posts and comments: bookmarks, likes, profiles, and posts and comments by id.

A list costs a constant number of database commands, and a few more if it contains comments.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from accounts.infra.cursors import PageBounds
from accounts.infra.ids import MAX_ID
from feed.store import bookmarks, comment_pages, comments, likes, posts
from feed.store.post_rows import IdRange

from .comment_views import CommentWithPost, comments_with_posts
from .post_pages import excluded_visibilities
from .post_view import PostView
from .shown_posts import post_views
from .visible_posts import visible_entries

Content = PostView | CommentWithPost

READ_FACTORS = (1, 10, 50)
"""Rows per read, as multiples of the page length, and one more row, which shows that another page follows.
The first read needs no spare rows, because viewers may read nearly all their bookmarked and liked posts.
"""


PROFILE_READ_FACTORS = READ_FACTORS[:2]
"""Fewer rows for profiles, because strangers may read few of the comments of a user."""


@dataclass(frozen=True, slots=True)
class ContentPage:
    """A page of posts and comments, with the same cursors as ``TimelinePage``.

    ``first_cursor`` is the cursor of the newest row, even if the viewer may no longer read that post or
    comment. It is None if the page is empty or was read in ascending order.
    """

    contents: tuple[Content, ...]
    older_cursor: str | None
    newer_cursor: str | None
    first_cursor: str | None = None


def content_by_id(*, ids: Sequence[int], viewer: int | None) -> dict[int, Content]:
    """Return the visible posts, shares and comments by id, in the order of ``ids``."""
    rows = posts.by_ids(ids=ids) if ids else {}
    missing = [id_ for id_ in ids if id_ not in rows]
    comment_rows = comments.by_ids(ids=missing) if missing else {}
    parent_ids = {row.post for row in comment_rows.values()} - rows.keys()
    all_posts = rows | (posts.by_ids(ids=parent_ids) if parent_ids else {})
    seen = visible_entries(rows=list(all_posts.values()), viewer=viewer)
    views = {view.entry_id: view for view in post_views(shown=seen.entries, seen=seen)}
    contents: dict[int, Content] = {id_: view for id_, view in views.items() if id_ in rows}
    if comment_rows:
        visible_comments = comments_with_posts(
            rows=list(comment_rows.values()), posts=views, viewer=viewer, include_muted=True
        )
        contents |= {content.comment.id: content for content in visible_comments}
    return {id_: contents[id_] for id_ in ids if id_ in contents}


def bookmarks_page(
    *,
    owner: int,
    bounds: PageBounds,
) -> ContentPage:
    """Return a page of visible bookmarks, newest bookmark first. Cursors are bookmark ids."""
    return _page(partial(bookmarks.bookmarks_of, owner=owner), owner, bounds)


def likes_page(
    *,
    owner: int,
    bounds: PageBounds,
) -> ContentPage:
    """Return a page of liked posts and comments that are visible, newest post or comment first.

    The store has no date for likes, so the order and the cursors use the ids of posts and comments.
    """

    def read(id_range: IdRange, limit: int) -> list[tuple[int, int]]:
        ids = likes.liked_ids_of_user(uid=owner, id_range=id_range, limit=limit)
        return [(post_id, post_id) for post_id in ids]

    return _page(read, owner, bounds)


def profile_content_page(
    *,
    author: int,
    viewer: int | None,
    bounds: PageBounds,
    is_following: bool,
    with_posts: bool,
    exclude_shares: bool = False,
) -> ContentPage:
    """Return a page of the comments of a user that the viewer may read, newest first.

    Call this only if the viewer may see the posts of the user (``Profile.can_view_posts``). Comments on
    posts that the viewer may not read are left out. Cursors are ids of posts and comments on the page. Only
    if the page is short, because the viewer may not read many comments in a row, a cursor is the id of
    another comment.

    Args:
        is_following: value of ``Profile.is_following`` for the viewer.
        with_posts: True to include the posts and, without ``exclude_shares``, the shares of the user.
    """
    hidden = excluded_visibilities(is_close=is_following or author == viewer)

    def read(id_range: IdRange, limit: int) -> list[tuple[int, int]]:
        ids = comment_pages.ids_by_author(uid=author, id_range=id_range, limit=limit)
        if with_posts:
            ids += posts.ids_by_authors(
                authors=[author],
                viewer=viewer,
                id_range=id_range,
                limit=limit,
                excluded_visibilities=hidden,
                in_timeline=False,
            )
            ids.sort(reverse=not bounds.is_ascending)
        return [(content_id, content_id) for content_id in ids[:limit]]

    page = _page(
        read,
        viewer,
        bounds,
        is_wanted=_is_no_share if exclude_shares else None,
        read_factors=PROFILE_READ_FACTORS,
    )
    ids = [content_id_of(content=content) for content in page.contents]
    first_cursor = str(ids[0]) if ids else None
    is_full = len(ids) == bounds.limit
    if bounds.is_ascending:
        newer = first_cursor if is_full and page.newer_cursor else page.newer_cursor
        return replace(page, newer_cursor=newer)
    newer = page.newer_cursor and (first_cursor or str(max(0, (bounds.max_id or 0) - 1)))
    older = str(ids[-1]) if is_full and page.older_cursor else page.older_cursor
    return replace(page, older_cursor=older, newer_cursor=newer, first_cursor=first_cursor)


def content_id_of(*, content: Content) -> int:
    """Return the id of a comment, or of the post or share."""
    return content.entry_id if isinstance(content, PostView) else content.comment.id


def _is_no_share(content: Content) -> bool:
    return not isinstance(content, PostView) or content.shared_by is None


def _page(
    read: Callable[..., list[tuple[int, int]]],
    viewer: int | None,
    bounds: PageBounds,
    is_wanted: Callable[[Content], bool] | None = None,
    read_factors: Sequence[int] = READ_FACTORS,
) -> ContentPage:
    """Read rows until the page is full, like ``post_pages.read_visible_page``.

    Args:
        read: a function that returns up to ``limit`` pairs (cursor, id of a post or comment) within
            ``id_range``, a range of cursors, in the order of the page.
        is_wanted: a function that selects the posts and comments of the page. None selects all.
    """
    limit, id_range = bounds.limit, IdRange.within(bounds)
    rest, top, further = id_range, None, None
    contents: dict[int, Content] = {}  # keys are cursors
    for factor in read_factors:
        number = factor * limit + 1
        rows = read(id_range=rest, limit=number + 1)
        examined, has_more = rows[:number], len(rows) > number
        top = examined[0][0] if top is None and examined else top
        visible = content_by_id(ids=[entry for _cursor, entry in examined], viewer=viewer)
        fitting = [
            (at, visible[entry])
            for at, entry in examined
            if entry in visible and (is_wanted is None or is_wanted(visible[entry]))
        ]
        is_over = len(contents) + len(fitting) > limit
        contents |= fitting[: limit - len(contents)]
        further = examined[-1][0] if has_more else None
        if is_over or (has_more and len(contents) == limit):
            further = next(reversed(contents))
        if is_over or not has_more:
            break
        rest = rest.after(examined[-1][0])
    cursor = None if further is None else str(further)
    if bounds.is_ascending:
        older = next(iter(contents), None) or min(MAX_ID, id_range.above + 1)
        return ContentPage(tuple(reversed(contents.values())), str(older), cursor)
    newer = None
    if id_range.below is not None:
        newer = str(top or max(0, id_range.below - 1))
    return ContentPage(tuple(contents.values()), cursor, newer, None if top is None else str(top))
