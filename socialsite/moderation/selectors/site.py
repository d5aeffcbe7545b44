"""The site in numbers."""

from datetime import timedelta

from django.core.cache import cache
from django.utils import timezone

from accounts.models import User
from feed.models import Post

CACHE_SECONDS = 3600


def site_counts() -> dict[str, int]:
    """``{people, posts, active_month}``; about, and counted once an hour."""
    found: dict[str, int] | None = cache.get("site_counts")
    if found is None:
        lately = timezone.now() - timedelta(days=30)
        found = {
            "people": User.objects.filter(is_active=True).count(),
            "posts": Post.objects.count(),
            "active_month": User.objects.filter(is_active=True, last_login__gte=lately).count(),
        }
        cache.set("site_counts", found, CACHE_SECONDS)
    return found
