"""Who likes a post, the newest first, page by page."""

from collections.abc import Sequence

from accounts.selectors.relationships import relationships
from accounts.selectors.user_pages import PAGE_SIZE, UserPage, user_rows
from feed.store import likes, shares

from .lists import direction
from .uid_pages import UidPage, uid_page


def likers_page(*, post_id: int, viewer: int | None, max_id: int | None = None) -> UserPage:
    """The cursor is a position among the likes, not an id. Whether the viewer may read the post is
    asked before, on the road to it."""
    found = likes.newest_likes(post=post_id, limit=PAGE_SIZE + 1, before_position=max_id)
    shown = found[:PAGE_SIZE]
    return UserPage(
        rows=user_rows(uids=[one.uid for one in shown], viewer=viewer),
        older_cursor=str(shown[-1].position) if len(found) > len(shown) else None,
        newer_cursor=None,
    )


# MERGED FROM feed.selectors.likers: Who likes a post or comment and who has shared a post, as uids: the newest first, page by page.  Whether the viewer may read it is asked before, on the road to it. Left out are those who are apart from the viewer, whom the viewer mutes, and of sharers those who share with their followers alone.
def liker_uid_page(
    *,
    target_id: int,
    viewer: int | None,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> UidPage:
    """Its cursors are positions among the likes, counted from 1: two commands."""
    upwards, bounds = direction(max_id, min_id, since_id)
    if upwards:
        found = likes.likes_after(post=target_id, after_position=bounds.above - 1, limit=limit + 1)
    else:
        below = None if bounds.below is None else bounds.below - 1
        found = likes.newest_likes(post=target_id, limit=limit + 1, before_position=below)
    rows = [(one.position + 1, one.uid) for one in found if one.position >= bounds.above]
    page = uid_page(rows=rows, limit=limit, id_range=bounds, ascending=upwards)
    return page.without(_unheard(page.uids, viewer))


def sharer_uid_page(
    *,
    post_id: int,
    viewer: int | None,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> UidPage:
    """Its cursors are ids of shares: two commands."""
    upwards, bounds = direction(max_id, min_id, since_id)
    found = shares.shares_of_post(post=post_id, id_range=bounds, limit=limit + 1, ascending=upwards)
    rows = [(one.id, one.author) for one in found]
    page = uid_page(rows=rows, limit=limit, id_range=bounds, ascending=upwards)
    return page.without(_unheard(page.uids, viewer, is_private=True))


def _unheard(
    uids: Sequence[int], viewer: int | None, *, is_private: bool = False
) -> frozenset[int]:
    is_to = relationships(viewer=viewer, uids=set(uids) - {viewer})
    private = is_to.private - is_to.followed if is_private else frozenset[int]()
    return is_to.blocked | is_to.muted | is_to.unavailable | private
