"""Usernames: validation, and the words by which the search finds users.

Usernames are stored in lower case, so that a look-up costs one command regardless of case.
"""

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


MAX_NAME_WORDS = 20
WORD_PATTERN = re.compile(r"[^\W_]+")


def split_names(*names: str) -> list[str]:
    """Return up to ``MAX_NAME_WORDS`` distinct words of the names, without changing case."""
    return list(dict.fromkeys(word for name in names for word in WORD_PATTERN.findall(name)))[
        :MAX_NAME_WORDS
    ]


class NameWordsField(ArrayField):
    """All words of a user's names in one array, updated when the user is saved.

    ``store.name_search`` reads the array with a multikey index.
    """

    def pre_save(self, model_instance: Any, add: bool) -> list[str]:
        words = split_names(model_instance.display_name, model_instance.username)
        setattr(model_instance, self.attname, words)
        return words
