"""What a text is about, as facts to find it by: whom it mentions, its hashtags, the hosts it links to."""

from collections.abc import Iterable, Mapping
from typing import Any

from accounts.models import User

from .text.hashtags import tag_key
from .text.mentions import candidate_usernames, matching_username
from .text.spans import spans_in
from .text.syntax import TextSpan
from .text.urls import host_of


def usernames_in(*, text: str) -> list[str]:
    """The user names that a text may mention, each once, in lower case: all readings of each mention
    (``text.mentions``). There need be no such people."""
    return usernames_in_spans(spans_in(text))


def usernames_in_spans(spans: Iterable[TextSpan]) -> list[str]:
    found = [
        name
        for entity in spans
        if entity.kind == "mention"
        for name in candidate_usernames(entity.value)
    ]
    return list(dict.fromkeys(found))


def mentions_in_spans(
    spans: Iterable[TextSpan], *, known_uids: Mapping[str, int]
) -> dict[str, int | None]:
    """The user names that a text mentions, with their uids, or None where there is nobody so called."""
    found: dict[str, int | None] = {}
    for entity in spans:
        if entity.kind == "mention":
            name = matching_username(entity.value, known_uids)
            found[name or entity.value.lower()] = known_uids.get(name)
    return found


def mentions_in_text(*, text: str) -> dict[str, int | None]:
    """As ``mentions_among``: one command, or none."""
    entities = spans_in(text)
    return mentions_in_spans(
        entities, known_uids=uids_by_username(usernames=usernames_in_spans(entities))
    )


def mentioned_uids(*, text: str) -> list[int]:
    """The people whom a text mentions, each once: one command, or none."""
    return [uid for uid in mentions_in_text(text=text).values() if uid is not None]


def uids_by_username(*, usernames: list[str]) -> dict[str, int]:
    """The people there are of these names: one command."""
    if not usernames:
        return {}
    people = User.objects.filter(username__in=usernames, is_active=True)
    return dict(people.values_list("username", "pk"))


def attributes_of(
    *, text: str, known_uids: Mapping[str, int] | None = None
) -> list[dict[str, Any]]:
    """As ``Post.entities`` keeps them, each once: ``{kind, value}``. A mention's value is a uid, so that
    it outlasts a rename; names of nobody are left out. ``known``: uids by names, if they are at hand."""
    uids = uids_by_username(usernames=usernames_in(text=text)) if known_uids is None else known_uids
    found: list[tuple[str, str | int]] = []
    for one in spans_in(text):
        if one.kind == "mention":
            if name := matching_username(one.value, uids):
                found.append(("mention", uids[name]))
        elif one.kind == "hashtag":
            found.append(("hashtag", tag_key(one.value)))
        elif host := host_of(one.value):
            found.append(("host", host))
    return [{"kind": kind, "value": value} for kind, value in dict.fromkeys(found)]
