"""Data that the feed needs from apps it cannot import. These apps append functions at startup."""

from collections.abc import Callable, Collection
from typing import Any

Query = tuple[str, list[dict[str, Any]]]
"""A collection, and a pipeline that finds ``{post}`` of each post."""

muted_posts_queries: list[Callable[[int, Collection[int]], Query]] = []
"""Each function takes a uid and ids of posts. The query finds those posts whose thread the user muted."""

unread_posts_queries: list[Callable[[int], Query]] = []
"""Each function takes a uid. The query finds the direct posts with unread messages."""
