"""Whom a text mentions: ``@name``, wherever a name may begin."""

import re

from accounts.models import User
from accounts.usernames import MAX_LENGTH, PATTERN

_MENTION = re.compile(rf"(?<![\w@/.])@({PATTERN})(?![\w@])")


def names_in(*, text: str) -> list[str]:
    """The user names that a text mentions, each once, in lower case; there need be no such people."""
    found = (one.lower() for one in _MENTION.findall(text))
    return list(dict.fromkeys(name for name in found if len(name) <= MAX_LENGTH))


def uids_of(*, names: list[str]) -> dict[str, int]:
    """The people there are of these names: one command."""
    if not names:
        return {}
    people = User.objects.filter(username__in=names, is_active=True)
    return dict(people.values_list("username", "pk"))
