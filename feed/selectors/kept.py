"""What people keep: their bookmarks, and what is pinned to a profile."""

from accounts.ids import MAX_ID
from feed.store import bookmarks, pins, posts

from .lists import direction, readable_by
from .pages import PostView, TimelinePage, post_views


def bookmarks_page(
    *,
    owner: int,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> TimelinePage:
    """What somebody keeps and may still read, the last kept first. Its cursors are ids of bookmarks."""
    upwards, bounds = direction(max_id, min_id, since_id)
    found = bookmarks.page(owner=owner, bounds=bounds, limit=limit + 1, upwards=upwards)
    kept, more = found[:limit], len(found) > limit
    if upwards:
        kept.reverse()
    rows = posts.by_ids(ids=[one.post for one in kept]) if kept else {}
    seen = readable_by(rows=[rows[one.post] for one in kept if one.post in rows], viewer=owner)
    views = post_views(shown=seen.shown, seen=seen)
    if upwards:
        older = kept[-1].id if kept else min(MAX_ID, bounds.above + 1)
        return TimelinePage(views, str(older), str(kept[0].id) if more else None)
    newer = None
    if bounds.below is not None:
        newer = str(kept[0].id if kept else max(0, bounds.below - 1))
    return TimelinePage(views, str(kept[-1].id) if more else None, newer)


def pinned_posts(*, author: int, viewer: int | None) -> tuple[PostView, ...]:
    """The posts at the top of a profile, as far as the viewer may read them, the one pinned last first."""
    ids = pins.get(author=author)
    if not ids:
        return ()
    rows = posts.by_ids(ids=ids)
    seen = readable_by(rows=[rows[one] for one in ids if one in rows], viewer=viewer)
    return post_views(shown=seen.shown, seen=seen)


def pinned_ids(*, author: int) -> set[int]:
    return set(pins.get(author=author))


def is_pinned(*, author: int, post: int) -> bool:
    return post in pins.get(author=author)
