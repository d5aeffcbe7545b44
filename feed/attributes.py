"""What a text is about, as facts to find it by: whom it mentions, its hashtags, the hosts it links to."""

from collections.abc import Iterable, Mapping
from typing import Any

from accounts.models import User

from .text.entities import entities_in
from .text.hashtags import tag_key
from .text.kinds import Entity
from .text.mentions import name_meant, readings
from .text.urls import host_of


def names_in(*, text: str) -> list[str]:
    """The user names that a text may mention, each once, in lower case: all readings of each mention
    (``text.mentions``). There need be no such people."""
    return names_among(entities_in(text))


def names_among(entities: Iterable[Entity]) -> list[str]:
    found = [
        name for entity in entities if entity.kind == "mention" for name in readings(entity.value)
    ]
    return list(dict.fromkeys(found))


def mentions_among(
    entities: Iterable[Entity], *, known: Mapping[str, int]
) -> dict[str, int | None]:
    """The user names that a text mentions, with their uids, or None where there is nobody so called."""
    found: dict[str, int | None] = {}
    for entity in entities:
        if entity.kind == "mention":
            name = name_meant(entity.value, known)
            found[name or entity.value.lower()] = known.get(name)
    return found


def mentioned_in(*, text: str) -> dict[str, int | None]:
    """As ``mentions_among``: one command, or none."""
    entities = entities_in(text)
    return mentions_among(entities, known=uids_of(names=names_among(entities)))


def uids_mentioned_in(*, text: str) -> list[int]:
    """The people whom a text mentions, each once: one command, or none."""
    return [uid for uid in mentioned_in(text=text).values() if uid is not None]


def uids_of(*, names: list[str]) -> dict[str, int]:
    """The people there are of these names: one command."""
    if not names:
        return {}
    people = User.objects.filter(username__in=names, is_active=True)
    return dict(people.values_list("username", "pk"))


def entities_of(*, text: str, known: Mapping[str, int] | None = None) -> list[dict[str, Any]]:
    """As ``Post.entities`` keeps them, each once: ``{kind, value}``. A mention's value is a uid, so that
    it outlasts a rename; names of nobody are left out. ``known``: uids by names, if they are at hand."""
    uids = uids_of(names=names_in(text=text)) if known is None else known
    found: list[tuple[str, str | int]] = []
    for one in entities_in(text):
        if one.kind == "mention":
            if name := name_meant(one.value, uids):
                found.append(("mention", uids[name]))
        elif one.kind == "hashtag":
            found.append(("hashtag", tag_key(one.value)))
        elif host := host_of(one.value):
            found.append(("host", host))
    return [{"kind": kind, "value": value} for kind, value in dict.fromkeys(found)]
