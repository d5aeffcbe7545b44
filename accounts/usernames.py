"""Validation of usernames.

Usernames are stored in lower case, so that a look-up costs one command regardless of case.
"""

from collections.abc import Callable

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


def reject_reserved_name(value: str) -> None:
    """Raise ValidationError for names that look official."""
    if value.lower() in RESERVED_NAMES:
        raise ValidationError(_("This username is reserved. Choose another one."), code="reserved")


validators: list[Callable[[str], None]] = [
    RegexValidator(
        rf"\A{PATTERN}\Z",
        _("Use only the letters a to z, digits and underscores, with single dots between them."),
    ),
]

sign_up_validators: list[Callable[[str], None]] = [*validators, reject_reserved_name]
