"""The public posts that most people like and share, of those of the last day."""

from datetime import timedelta

from django.core.cache import cache
from django.utils import timezone

from accounts.ids import first_id_at
from feed.store import posts, trending

from .lists import readable_by
from .pages import PostView, post_views
from .tags import FRESH_SECONDS

DAY = timedelta(days=1)
TRENDS = 40
CANDIDATES = 400
"""So many posts are known to trend; some of them a viewer may not see."""

AT_LEAST = 2
"""People who like or have shared it."""


def trending_posts(*, viewer: int | None) -> tuple[PostView, ...]:
    """As far as the viewer may read them, without those whom they mute; counted anew once a minute."""
    ids = cache.get("trending_posts")
    if ids is None:
        above = first_id_at(moment=timezone.now() - DAY)
        ids = trending.most_liked(above=above, at_least=AT_LEAST, limit=CANDIDATES)
        cache.set("trending_posts", ids, FRESH_SECONDS)
    views: list[PostView] = []
    for start in range(0, len(ids), TRENDS):
        part = ids[start : start + TRENDS]
        rows = posts.by_ids(ids=part)
        seen = readable_by(
            rows=[rows[post_id] for post_id in part if post_id in rows], viewer=viewer, wanted=True
        )
        views += post_views(shown=seen.shown[: TRENDS - len(views)], seen=seen)
        if len(views) == TRENDS:
            break
    return tuple(views)
