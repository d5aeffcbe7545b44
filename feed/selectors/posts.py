"""Read the pinned posts of a profile, and read posts by author or id for moderators."""

from collections.abc import Sequence
from datetime import datetime

from accounts.infra.ids import first_id_at
from feed.models import Post
from feed.store import pins, posts

from .lists import visible_entries
from .pages import PostView, post_views


def pinned_posts(*, author: int, viewer: int | None) -> tuple[PostView, ...]:
    """Return the pinned posts visible to the viewer, newest pin first."""
    return posts_in_order(ids=pins.pinned_ids(author=author), viewer=viewer)


def posts_in_order(*, ids: Sequence[int], viewer: int | None) -> tuple[PostView, ...]:
    """Return the posts visible to the viewer in the order of ``ids``."""
    if not ids:
        return ()
    rows = posts.by_ids(ids=ids)
    page = visible_entries(
        rows=[rows[post_id] for post_id in ids if post_id in rows], viewer=viewer
    )
    return post_views(shown=page.entries, seen=page)


def post_ids_since(*, author: int, since: datetime, limit: int) -> list[int]:
    """Return the ids of a user's posts since a time, newest first, without shares and direct posts."""
    author_posts = Post.objects.filter(
        author_id=author, pk__gte=first_id_at(moment=since), share_of=None
    )
    visible_posts = author_posts.exclude(visibility=Post.Visibility.DIRECT).order_by("-pk")
    return list(visible_posts.values_list("pk", flat=True)[:limit])


def posts_by_id(*, ids: Sequence[int]) -> list[Post]:
    """Return the existing posts in the order of ``ids``."""
    posts_by_id = Post.objects.in_bulk(list(ids))
    return [posts_by_id[post_id] for post_id in ids if post_id in posts_by_id]
