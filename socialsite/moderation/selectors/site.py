"""Public counts of the site, and its standard pages: their current texts and older versions."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.core.cache import cache
from django.http import Http404
from django.template.loader import render_to_string
from django.utils import timezone

from accounts.brand.current import current_brand
from accounts.models import User
from feed.models import Post
from feed.selectors.visibility import SHAREABLE
from socialsite.moderation.models import PageVersion, StandardPage

CACHE_SECONDS = 3600

MAX_VERSIONS = 100
"""Maximum number of versions that the admin lists."""

DEFAULTS_CHANGED_AT = datetime(2026, 11, 24, tzinfo=UTC)
"""When the default texts in ``templates/moderation/default_pages`` last changed."""


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a standard page, in Markdown."""

    page: StandardPage
    text: str
    changed_at: datetime
    is_default: bool


def site_counts() -> dict[str, int]:
    """Return ``{people, posts, active_month}``. The counts are cached for an hour.

    ``posts`` leaves out posts for followers, direct posts and hidden posts.
    """
    return cache.get_or_set("site_counts", _count_site, CACHE_SECONDS) or {}


def _count_site() -> dict[str, int]:
    month_ago = timezone.now() - timedelta(days=30)
    listed = Post.objects.filter(visibility__in=SHAREABLE)
    return {
        "people": User.objects.filter(is_active=True).count(),
        "posts": listed.count() - listed.filter(hidden__gt="").count(),
        "active_month": User.objects.filter(is_active=True, last_login__gte=month_ago).count(),
    }


def get_page_or_404(name: str) -> StandardPage:
    if name not in StandardPage.values:
        raise Http404("No such page.")
    return StandardPage(name)


def page_text(*, page: StandardPage) -> PageText:
    """Return the current text of a page. Costs one database command."""
    version = PageVersion.objects.filter(page=page).order_by("-pk").first()
    changed_at = version.saved_at if version else DEFAULTS_CHANGED_AT
    if version and version.text:
        return PageText(page, version.text, changed_at, is_default=False)
    return PageText(page, default_text(page=page), changed_at, is_default=True)


def page_texts() -> list[PageText]:
    """Return the current texts of all pages. Costs one database command per page."""
    return [page_text(page=page) for page in StandardPage]


def page_versions(*, page: StandardPage) -> list[PageVersion]:
    """Return the newest versions of a page, without their texts."""
    versions = PageVersion.objects.filter(page=page).order_by("-pk").defer("text")
    return list(versions[:MAX_VERSIONS])


def default_text(*, page: StandardPage) -> str:
    """Return the text of a page that nobody has edited."""
    context = {
        "site_name": current_brand().name,
        "erase_after_days": settings.ERASE_AFTER_DAYS,
        "counts_views": settings.COUNT_VIEWS,
        "has_contact": bool(settings.CONTACT_EMAIL or settings.CONTACT_ACCOUNT),
    }
    return render_to_string(f"moderation/default_pages/{page}.md", context).strip()
