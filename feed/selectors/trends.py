"""Read trending posts: the most liked and shared public posts of the last day."""

from datetime import timedelta

from django.core.cache import cache
from django.utils import timezone

from accounts.infra.ids import first_id_at
from feed.store import posts

from .lists import visible_entries
from .pages import PostView, post_views
from .tags import CACHE_SECONDS

DAY = timedelta(days=1)
MAX_TRENDING_POSTS = 40
CANDIDATE_POSTS = 400
"""Number of cached post ids, more than a page needs, because some posts are not visible to each viewer."""

MIN_USERS = 2
"""Minimum number of users who like or share a trending post."""


def trending_posts(*, viewer: int | None) -> tuple[PostView, ...]:
    """Return the trending posts visible to the viewer, without muted authors.

    The ids of trending posts are cached for ``CACHE_SECONDS``.
    """
    ids = cache.get("trending_posts")
    if ids is None:
        above = first_id_at(moment=timezone.now() - DAY)
        ids = posts.most_liked_ids(above=above, min_interactions=MIN_USERS, limit=CANDIDATE_POSTS)
        cache.set("trending_posts", ids, CACHE_SECONDS)
    views: list[PostView] = []
    for start in range(0, len(ids), MAX_TRENDING_POSTS):
        part = ids[start : start + MAX_TRENDING_POSTS]
        rows = posts.by_ids(ids=part)
        seen = visible_entries(
            rows=[rows[post_id] for post_id in part if post_id in rows],
            viewer=viewer,
            should_filter=True,
        )
        views += post_views(shown=seen.entries[: MAX_TRENDING_POSTS - len(views)], seen=seen)
        if len(views) == MAX_TRENDING_POSTS:
            break
    return tuple(views)
