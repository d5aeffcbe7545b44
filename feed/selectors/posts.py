"""What is pinned to a profile."""

from feed.store import pins, posts

from .lists import visible_entries
from .pages import PostView, post_views


def pinned_posts(*, author: int, viewer: int | None) -> tuple[PostView, ...]:
    """The posts at the top of a profile, as far as the viewer may read them, the one pinned last first."""
    ids = pins.pinned_ids(author=author)
    if not ids:
        return ()
    rows = posts.by_ids(ids=ids)
    seen = visible_entries(rows=[rows[one] for one in ids if one in rows], viewer=viewer)
    return post_views(shown=seen.entries, seen=seen)


def pinned_post_ids(*, author: int) -> set[int]:
    return set(pins.pinned_ids(author=author))


def is_pinned(*, author: int, post_id: int) -> bool:
    return post_id in pins.pinned_ids(author=author)
