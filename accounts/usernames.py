"""Which user names there may be. They are kept in lower case, so that one look-up finds them."""

from collections.abc import Callable

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

MAX_LENGTH = 30
PATTERN = r"[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*"

RESERVED = frozenset(
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


def refuse_reserved(value: str) -> None:
    """Raises ValidationError for names that people would take for the site's own."""
    if value.lower() in RESERVED:
        raise ValidationError(_("This name is reserved. Please choose another."), code="reserved")


validators: list[Callable[[str], None]] = [
    RegexValidator(
        rf"\A{PATTERN}\Z",
        _("Use the letters a to z, digits, underscores, and dots between them."),
    ),
]

of_newcomers: list[Callable[[str], None]] = [*validators, refuse_reserved]
