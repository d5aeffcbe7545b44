"""Whom a text mentions: ``@name``, wherever a name may begin."""

from accounts.models import User

from .text.entities import entities_in


def names_in(*, text: str) -> list[str]:
    """The user names that a text mentions, each once, in lower case; there need be no such people."""
    found = [one.value.lower() for one in entities_in(text) if one.kind == "mention"]
    return list(dict.fromkeys(found))


def uids_of(*, names: list[str]) -> dict[str, int]:
    """The people there are of these names: one command."""
    if not names:
        return {}
    people = User.objects.filter(username__in=names, is_active=True)
    return dict(people.values_list("username", "pk"))
