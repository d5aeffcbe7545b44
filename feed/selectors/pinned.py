"""What is pinned to a profile."""

from feed.store import pins, posts

from .lists import readable_by
from .pages import PostView, post_views


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
