"""The standard pages: their current texts and older versions."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.conf import settings
from django.http import Http404
from django.template.loader import render_to_string

from accounts.brand.current import current_brand
from socialsite.moderation.models import PageVersion, StandardPage

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


def get_page_or_404(name: str) -> StandardPage:
    if name not in StandardPage.values:
        raise Http404("No such page.")
    return StandardPage(name)


def page_text(*, page: StandardPage) -> PageText:
    """Return the current text of a page. Costs one database command."""
    return _page_text(page, PageVersion.objects.filter(page=page).order_by("-pk").first())


def page_texts() -> list[PageText]:
    """Return the current texts of all pages. Costs one database command per page."""
    return [page_text(page=page) for page in StandardPage]


def page_versions(*, page: StandardPage) -> list[PageVersion]:
    """Return the newest versions of a page, without their texts."""
    versions = PageVersion.objects.filter(page=page).order_by("-pk").defer("text")
    return list(versions[:MAX_VERSIONS])


def get_version_or_404(*, page: StandardPage, version_id: int) -> PageVersion:
    version = PageVersion.objects.filter(pk=version_id, page=page).first()
    if version is None:
        raise Http404("No such version.")
    return version


def default_text(*, page: StandardPage) -> str:
    """Return the text of a page that nobody has edited."""
    context = {
        "site_name": current_brand().name,
        "erase_after_days": settings.ERASE_AFTER_DAYS,
        "counts_views": settings.COUNT_VIEWS,
        "has_contact": bool(settings.CONTACT_EMAIL or settings.CONTACT_ACCOUNT),
    }
    return render_to_string(f"moderation/default_pages/{page}.md", context).strip()


def _page_text(page: StandardPage, version: PageVersion | None) -> PageText:
    if version is None or not version.text:
        changed_at = DEFAULTS_CHANGED_AT if version is None else version.saved_at
        return PageText(page, default_text(page=page), changed_at, is_default=True)
    return PageText(page, version.text, version.saved_at, is_default=False)
