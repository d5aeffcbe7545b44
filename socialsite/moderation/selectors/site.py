"""Public counts of the site."""

from datetime import timedelta

from django.core.cache import cache
from django.utils import timezone

from accounts.models import User
from feed.models import Post
from feed.selectors.visibility import SHAREABLE

CACHE_SECONDS = 3600


def site_counts() -> dict[str, int]:
    """Return ``{people, posts, active_month}``. The counts are cached for an hour.

    ``posts`` leaves out posts for followers, direct posts and hidden posts.
    """
    counts: dict[str, int] | None = cache.get("site_counts")
    if counts is None:
        month_ago = timezone.now() - timedelta(days=30)
        listed = Post.objects.filter(visibility__in=SHAREABLE)
        counts = {
            "people": User.objects.filter(is_active=True).count(),
            "posts": listed.count() - listed.filter(hidden__gt="").count(),
            "active_month": User.objects.filter(is_active=True, last_login__gte=month_ago).count(),
        }
        cache.set("site_counts", counts, CACHE_SECONDS)
    return counts
