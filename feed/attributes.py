"""The attributes by which queries find posts: mentions, hashtags and hosts of links, and the language."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from accounts.models import User

from .activities import Details, activity_kind
from .text.hashtags import tag_key
from .text.languages import guess_language
from .text.mentions import candidate_usernames, matching_username
from .text.spans import spans_in
from .text.syntax import TextSpan
from .text.urls import host_of


def usernames_in(*, text: str) -> list[str]:
    """Return the distinct usernames that a text may mention, in lower case.

    A mention with dots can stand for several usernames (``text.mentions``). Not every username belongs to
    a user.
    """
    return usernames_in_spans(spans_in(text))


def usernames_in_spans(spans: Iterable[TextSpan]) -> list[str]:
    usernames = [
        name for span in spans if span.kind == "mention" for name in candidate_usernames(span.value)
    ]
    return list(dict.fromkeys(usernames))


def mentions_in_spans(
    spans: Iterable[TextSpan], *, known_uids: Mapping[str, int]
) -> dict[str, int | None]:
    """Return uids by mentioned username. The uid is None if no user has the name."""
    mentions: dict[str, int | None] = {}
    for span in spans:
        if span.kind == "mention":
            name = matching_username(span.value, known_uids)
            mentions[name or span.value.lower()] = known_uids.get(name)
    return mentions


def mentions_in_text(*, text: str) -> dict[str, int | None]:
    """Return uids by username, like ``mentions_in_spans``. One command, or none without mentions."""
    return _look_up_mentions(spans_in(text))


def mentions_added(*, text: str, old_text: str) -> dict[str, int | None]:
    """Return uids by username of those mentions in ``text`` that ``old_text`` lacks.

    A user may have been renamed since, and another one may have the old name now. So what an edit gives to
    mentioned users, it must give only to these.
    """
    old_names = {span.value.lower() for span in spans_in(old_text) if span.kind == "mention"}
    return _look_up_mentions(
        [span for span in spans_in(text) if span.value.lower() not in old_names]
    )


def _look_up_mentions(spans: Collection[TextSpan]) -> dict[str, int | None]:
    return mentions_in_spans(
        spans, known_uids=uids_by_username(usernames=usernames_in_spans(spans))
    )


def mentioned_uids(*, text: str) -> list[int]:
    """Return the uids of users mentioned in a text. Costs at most one database command."""
    return [uid for uid in mentions_in_text(text=text).values() if uid is not None]


def uids_by_username(*, usernames: list[str]) -> dict[str, int]:
    """Return the uids of active users by username. Costs one database command, or none without names."""
    if not usernames:
        return {}
    users = User.objects.filter(username__in=usernames, is_active=True)
    return dict(users.values_list("username", "pk"))


def attributes_of(
    *, text: str, known_uids: Mapping[str, int] | None = None
) -> list[dict[str, Any]]:
    """Return the distinct attributes of a text, as ``{kind, value}``.

    The value of a mention is a uid, which stays the same when the user is renamed. Mentions of unknown
    users are left out. Without ``known_uids``, uids by username, one command reads them.
    """
    uids = uids_by_username(usernames=usernames_in(text=text)) if known_uids is None else known_uids
    attributes: list[tuple[str, str | int]] = []
    for span in spans_in(text):
        if span.kind == "mention":
            if name := matching_username(span.value, uids):
                attributes.append(("mention", uids[name]))
        elif span.kind == "hashtag":
            attributes.append(("hashtag", tag_key(span.value)))
        elif host := host_of(span.value):
            attributes.append(("host", host))
    return [{"kind": kind, "value": value} for kind, value in dict.fromkeys(attributes)]


def post_attributes(
    *,
    text: str,
    kind: str,
    details: Details,
    language: str = "",
    known_uids: Mapping[str, int] | None = None,
) -> list[dict[str, Any]]:
    """Return the attributes of a post: those of its text, of its kind, and its language.

    ``known_uids`` is as in ``attributes_of``, ``language`` as in ``language_attributes``.
    """
    return [
        *attributes_of(text=text, known_uids=known_uids),
        *activity_kind(kind).attributes(details),
        *language_attributes(text=text, language=language),
    ]


def language_attributes(*, text: str, language: str = "") -> list[dict[str, Any]]:
    """Return the attribute of a chosen language, or of the language that the text seems to have.

    Empty if nobody chose a language and the text does not show one.
    """
    code = language or guess_language(text)
    return [{"kind": "language", "value": code}] if code else []
