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
AT_LEAST = 2
"""People who like or have shared it."""


def trending_posts(*, viewer: int | None) -> tuple[PostView, ...]:
    """As far as the viewer may read them, without those whom they mute; counted anew once a minute."""
    ids = cache.get("trending_posts")
    if ids is None:
        above = first_id_at(moment=timezone.now() - DAY)
        ids = trending.most_liked(above=above, at_least=AT_LEAST, limit=TRENDS)
        cache.set("trending_posts", ids, FRESH_SECONDS)
    rows = posts.by_ids(ids=ids) if ids else {}
    there = [rows[one] for one in ids if one in rows]
    seen = readable_by(rows=there, viewer=viewer, wanted=True)
    return post_views(shown=seen.shown, seen=seen)
