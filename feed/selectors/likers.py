"""Read pages of users who like or share a post, newest first.

Callers check that the viewer may read the post. The pages of uids omit blocked, muted and unavailable
users. Pages of sharers also omit private users whom the viewer does not follow.
"""

from accounts.infra.cursors import PageBounds
from accounts.selectors.relationships import relationships
from accounts.selectors.user_pages import PAGE_SIZE, UserPage, user_rows
from feed.store import likes, shares
from feed.store.post_rows import IdRange

from .list_pages import ListPage, list_page
from .visibility import hidden_authors


def likers_page(*, post_id: int, viewer: int | None, max_id: int | None = None) -> UserPage:
    """Return a page of users who like a post. ``max_id`` is a position among the likes, not an id."""
    newest = likes.newest_likes(post=post_id, limit=PAGE_SIZE + 1, before_position=max_id)
    shown = newest[:PAGE_SIZE]
    return UserPage(
        rows=user_rows(uids=[like.uid for like in shown], viewer=viewer),
        older_cursor=str(shown[-1].position) if len(newest) > len(shown) else None,
        newer_cursor=None,
    )


def liker_uid_page(
    *,
    target_id: int,
    viewer: int | None,
    bounds: PageBounds,
) -> ListPage[int]:
    """Return uids of users who like a post or comment.

    Cursors are positions among the likes, counted from 1. Costs two database commands.
    """
    id_range = IdRange.within(bounds)
    if bounds.is_ascending:
        newest = likes.likes_after(
            post=target_id, after_position=id_range.above - 1, limit=bounds.limit + 1
        )
    else:
        below = None if id_range.below is None else id_range.below - 1
        newest = likes.newest_likes(post=target_id, limit=bounds.limit + 1, before_position=below)
    rows = [(like.position + 1, like.uid) for like in newest if like.position >= id_range.above]
    page = list_page(rows=rows, bounds=bounds)
    relations = relationships(viewer=viewer, uids=set(page.items) - {viewer})
    return page.without(relations.invisible | relations.muted)


def sharer_uid_page(
    *,
    post_id: int,
    viewer: int | None,
    bounds: PageBounds,
) -> ListPage[int]:
    """Return uids of users who share a post. Cursors are share ids. Costs two database commands."""
    newest = shares.visible_shares(
        post=post_id,
        viewer=viewer,
        id_range=IdRange.within(bounds),
        limit=bounds.limit + 1,
    )
    rows = [(share.id, share.author) for share in newest]
    page = list_page(rows=rows, bounds=bounds)
    relations = relationships(viewer=viewer, uids=set(page.items) - {viewer})
    return page.without(hidden_authors(relationships=relations))
