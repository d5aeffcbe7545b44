"""Which user names there may be. They are kept in lower case, so that one look-up finds them."""

import re
from collections.abc import Callable
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _
from django_mongodb_backend.fields import ArrayField

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
    """Raises ValidationError for names that people would take for the site's own."""
    if value.lower() in RESERVED_NAMES:
        raise ValidationError(_("This name is reserved. Please choose another."), code="reserved")


validators: list[Callable[[str], None]] = [
    RegexValidator(
        rf"\A{PATTERN}\Z",
        _("Use the letters a to z, digits, underscores, and dots between them."),
    ),
]

sign_up_validators: list[Callable[[str], None]] = [*validators, reject_reserved_name]


# MERGED FROM accounts.usernames: The words of a user's names, to be found by any of them.  Kept with the user in one array, for one multikey index (``store.names``).
MAX_NAME_WORDS = 20
WORD_PATTERN = re.compile(r"[^\W_]+")


def split_names(*names: str) -> list[str]:
    """The words of these names as they are written, each once."""
    return list(dict.fromkeys(word for name in names for word in WORD_PATTERN.findall(name)))[
        :MAX_NAME_WORDS
    ]


class NameWordsField(ArrayField):
    """Filled from the names whenever the user is saved."""

    def pre_save(self, model_instance: Any, add: bool) -> list[str]:
        words = split_names(model_instance.display_name, model_instance.username)
        setattr(model_instance, self.attname, words)
        return words
