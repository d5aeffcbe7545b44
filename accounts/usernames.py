"""Validation of usernames.

Usernames are stored in lower case, so that a look-up costs one command regardless of case.
"""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

MAX_LENGTH = 30
PATTERN = r"[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*"

RESERVED_NAMES = frozenset(
    {
        "about",
        "abuse",
        "account",
        "accounts",
        "admin",
        "administrator",
        "api",
        "auth",
        "everyone",
        "help",
        "here",
        "home",
        "info",
        "moderator",
        "moderators",
        "news",
        "nobody",
        "postmaster",
        "root",
        "security",
        "settings",
        "staff",
        "support",
        "system",
        "webmaster",
    }
)

PLACEHOLDER = re.compile(r"person_([0-9]+)(?:_[a-z0-9]{3})?")
"""The names that moderators give to users (``services.moderation.reset_name``), with the uid."""


def local_username(handle: str) -> str:
    """Return "alice" for "Alice", "@alice" or "alice@this.site", and "" for accounts of other sites."""
    text = handle.replace("\uff20", "@").strip().removeprefix("@").lower()
    name, _sign, host = text.partition("@")
    return name if host in ("", urlsplit(settings.SITE_URL).netloc.lower()) else ""


def is_placeholder(*, username: str, uid: int) -> bool:
    """Return whether moderators gave this name to the user."""
    match = PLACEHOLDER.fullmatch(username)
    return match is not None and match[1] == str(uid)


def reject_reserved_name(value: str) -> None:
    """Raise ValidationError for names that look official, and for placeholders of reset names."""
    name = value.lower()
    if name in RESERVED_NAMES or PLACEHOLDER.fullmatch(name):
        raise ValidationError(_("This username is reserved. Choose another one."), code="reserved")


validators: list[Callable[[str], None]] = [
    RegexValidator(
        rf"\A{PATTERN}\Z",
        _("Use only the letters a to z, digits and underscores, with single dots between them."),
    ),
]

sign_up_validators: list[Callable[[str], None]] = [*validators, reject_reserved_name]
