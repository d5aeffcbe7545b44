"""Who likes a post or comment and who has shared a post, as uids: the newest first, page by page.

Whether the viewer may read it is asked before, on the road to it. Left out are those who are apart from
the viewer, whom the viewer mutes, and of sharers those who share with their followers alone.
"""

from collections.abc import Sequence

from accounts import selectors as people
from feed.store import likes, shares

from .lists import direction
from .positions import UidPage, page_between


def liker_uids(
    *,
    liked: int,
    viewer: int | None,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> UidPage:
    """Its cursors are positions among the likes, counted from 1: two commands."""
    upwards, bounds = direction(max_id, min_id, since_id)
    if upwards:
        found = likes.next_above(post=liked, above=bounds.above - 1, limit=limit + 1)
    else:
        below = None if bounds.below is None else bounds.below - 1
        found = likes.newest(post=liked, limit=limit + 1, below=below)
    rows = [(one.position + 1, one.uid) for one in found if one.position >= bounds.above]
    page = page_between(found=rows, limit=limit, bounds=bounds, upwards=upwards)
    return page.but(_unheard(page.uids, viewer))


def sharer_uids(
    *,
    post: int,
    viewer: int | None,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> UidPage:
    """Its cursors are ids of shares: two commands."""
    upwards, bounds = direction(max_id, min_id, since_id)
    found = shares.of_post(post=post, bounds=bounds, limit=limit + 1, upwards=upwards)
    rows = [(one.id, one.author) for one in found]
    page = page_between(found=rows, limit=limit, bounds=bounds, upwards=upwards)
    return page.but(_unheard(page.uids, viewer, is_private=True))


def _unheard(
    uids: Sequence[int], viewer: int | None, *, is_private: bool = False
) -> frozenset[int]:
    is_to = people.relations(viewer=viewer, uids=set(uids) - {viewer})
    private = is_to.private - is_to.follows if is_private else frozenset[int]()
    return is_to.blocks | is_to.mutes | is_to.gone | private
