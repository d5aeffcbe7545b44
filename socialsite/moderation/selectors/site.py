"""Public counts of the site."""

from datetime import timedelta

from django.core.cache import cache
from django.utils import timezone

from accounts.models import User
from feed.models import Post

CACHE_SECONDS = 3600


def site_counts() -> dict[str, int]:
    """Return ``{people, posts, active_month}``. The counts are cached for an hour."""
    counts: dict[str, int] | None = cache.get("site_counts")
    if counts is None:
        month_ago = timezone.now() - timedelta(days=30)
        counts = {
            "people": User.objects.filter(is_active=True).count(),
            "posts": Post.objects.count(),
            "active_month": User.objects.filter(is_active=True, last_login__gte=month_ago).count(),
        }
        cache.set("site_counts", counts, CACHE_SECONDS)
    return counts
