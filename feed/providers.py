"""Data that the feed needs from apps it cannot import. These apps register functions at startup."""

from collections.abc import Callable, Collection
from typing import Any

MutedPostsQuery = Callable[[int, Collection[int]], tuple[str, list[dict[str, Any]]]]
"""Takes a uid and ids of posts.

Returns a collection, and a pipeline that finds ``{post}`` of each of these posts whose thread the user
muted.
"""

UnreadPostsQuery = Callable[[int], tuple[str, list[dict[str, Any]]]]
"""Takes a uid.

Returns a collection, and a pipeline that finds ``{post}`` of each direct post with unread messages.
"""

_muted_posts_queries: list[MutedPostsQuery] = []
_unread_posts_queries: list[UnreadPostsQuery] = []


def register_muted_posts(query: MutedPostsQuery) -> None:
    _muted_posts_queries.append(query)


def register_unread_posts(query: UnreadPostsQuery) -> None:
    _unread_posts_queries.append(query)


def muted_posts_queries(
    *, viewer: int, posts: Collection[int]
) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the queries for those of ``posts`` whose threads the viewer muted."""
    return [query(viewer, posts) for query in _muted_posts_queries]


def unread_posts_queries(*, viewer: int) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the queries for the direct posts that have unread messages for the viewer."""
    return [query(viewer) for query in _unread_posts_queries]
