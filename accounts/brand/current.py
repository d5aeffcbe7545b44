"""The brand that pages, mails and the API show now."""

from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formataddr, parseaddr
from functools import lru_cache

from django.conf import settings
from django.urls import reverse

from accounts.infra.paths import path_for
from accounts.infra.process_cache import ProcessCache

from . import colors
from .models import Brand

CACHE_SECONDS = 20.0
"""How long a process shows a brand that another process has changed."""

_rows: ProcessCache[int, Brand] = ProcessCache(name="brand")


@dataclass(frozen=True, slots=True)
class CurrentBrand:
    """The brand with all defaults. ``accent``, ``logo`` and ``landing_text`` are "" by default."""

    name: str
    description: str
    landing_text: str
    accent: str
    logo: str
    language: str
    has_own_name: bool

    @property
    def logo_url(self) -> str:
        """Return the path of the logo, which browsers may cache forever, or ""."""
        return path_for("site_logo", self.logo) if self.logo else ""

    @property
    def theme_url(self) -> str:
        """Return the path of the style sheet with the accent, or "" for the default accent."""
        return _css_url(self.accent, colors.site_css) if self.accent else ""

    @property
    def admin_theme_url(self) -> str:
        return _css_url(self.accent, colors.admin_css) if self.accent else ""

    @property
    def palette(self) -> colors.Palette:
        """Return the colors, for mails and files that cannot use the style sheets."""
        return colors.palette(self.accent)

    @property
    def subject_prefix(self) -> str:
        """Return the start of the subject of every mail."""
        return f"[{self.name}] "

    @property
    def mail_sender(self) -> str:
        """Return the sender of mails: DEFAULT_FROM_EMAIL, with the name from the admin if there is one."""
        if not self.has_own_name:
            return str(settings.DEFAULT_FROM_EMAIL)
        return formataddr((self.name, parseaddr(settings.DEFAULT_FROM_EMAIL)[1]))


def current_brand() -> CurrentBrand:
    """Return the brand of the site.

    A process caches the row for ``CACHE_SECONDS``, so most calls need no database command. The process that
    saves the brand shows it at once.
    """
    row = _rows.get([Brand.ONLY_ID]).get(Brand.ONLY_ID)
    if row is None:
        version = _rows.version()
        row = stored_brand()
        _rows.put({Brand.ONLY_ID: row}, version=version, seconds=CACHE_SECONDS)
    return brand_from_row(row)


def stored_brand() -> Brand:
    """Return the stored row, or a row with empty fields. Costs one database command."""
    return Brand.objects.filter(pk=Brand.ONLY_ID).first() or Brand(pk=Brand.ONLY_ID)


def brand_from_row(row: Brand) -> CurrentBrand:
    """Return the brand of a row that need not be saved, such as that of a preview."""
    return CurrentBrand(
        name=row.name or settings.SITE_NAME,
        description=row.description or settings.SITE_DESCRIPTION,
        landing_text=row.landing_text,
        accent=row.accent,
        logo=row.logo,
        language=row.language or settings.LANGUAGE_CODE,
        has_own_name=bool(row.name),
    )


def clear_brand_cache() -> None:
    """Clear this process's cache, so that the next call of ``current_brand`` reads the database."""
    _rows.clear()


@lru_cache(maxsize=16)
def _css_url(accent: str, css_of: Callable[[str], str]) -> str:
    digest = colors.css_digest(css_of(accent))
    return reverse("site_theme", args=[accent.removeprefix("#"), digest])
