"""Parse a search query for posts: words, phrases in quotes, and operators such as ``from:alice``."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from django.utils.translation import gettext as _

from accounts.infra.search_words import phrase_form, query_words
from accounts.usernames import local_username
from feed.activities import kinds_with_fields
from feed.post_words import language_word, property_word, tag_word
from feed.text.hashtags import is_tag_key, tag_key
from feed.text.languages import base_language
from feed.text.syntax import HASH

MAX_TERMS = 10
MAX_WORDS_PER_TERM = 10

PROPERTIES = {
    **dict.fromkeys(("picture", "pictures", "image", "images"), "picture"),
    **dict.fromkeys(("video", "videos"), "video"),
    "audio": "audio",
    "media": "media",
}
"""The values of ``has:`` and the properties of posts. The names of kinds are values, too."""

UNSUPPORTED_OPERATORS = frozenset(
    {"during", "filter", "in", "is", "mentions", "since", "to", "until"}
)
"""Operators of other sites. Their names are too special to be meant as words."""

_TERM = re.compile(
    r'(?P<minus>-?)(?:(?P<name>[A-Za-z]+):)?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))'
)
_QUOTES = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb\uff02", '"'))
_SIGNS = str.maketrans({"\uff0d": "-", "\u2212": "-", "\uff1a": ":"})


@dataclass(slots=True)
class SearchQuery:
    """A parsed query.

    Attributes:
        words: words that a post must have (``feed.post_words``).
        phrases: phrases that a post must contain, in the form of ``search_words.phrase_form``.
        author: value of ``from:`` in lower case, or "".
        after: the first day, or None.
        before: the day after the last day, or None.
        problems: messages about parts of the query that cannot be understood.
        is_for_posts: True if an operator shows that the query is meant for posts only.
    """

    words: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    author: str = ""
    after: date | None = None
    before: date | None = None
    problems: list[str] = field(default_factory=list)
    is_for_posts: bool = False

    @property
    def is_empty(self) -> bool:
        """Return whether the query has neither words nor operators, but only punctuation."""
        return not (self.words or self.is_for_posts or self.problems)


def parse_query(text: str) -> SearchQuery:
    """Parse a query. The cost is linear in the length of the text."""
    query = SearchQuery()
    terms = list(_TERM.finditer(text.translate(_QUOTES).translate(_SIGNS)))
    if len(terms) > MAX_TERMS:
        query.problems.append(
            _("Search for at most %(number)d words and phrases.") % {"number": MAX_TERMS}
        )
    for term in terms[:MAX_TERMS]:
        name, value = (term["name"] or "").lower(), term["phrase"] or term["word"] or ""
        if value.endswith(":") and value[:-1].lower() in _OPERATORS:
            name, value = value[:-1].lower(), ""
        if name in _OPERATORS or name in UNSUPPORTED_OPERATORS:
            query.is_for_posts = True
            _apply_operator(query, name, value, is_excluded=bool(term["minus"]))
        elif term["minus"]:
            _exclude(query, term[0].removeprefix("-"))
        else:
            _require(query, term[0] if name else value, is_phrase=term["phrase"] is not None)
    query.words = list(dict.fromkeys(query.words))
    return query


def _require(query: SearchQuery, value: str, *, is_phrase: bool) -> None:
    if not is_phrase and (tag := _tag_in(value)):
        query.words.append(tag_word(tag))
        return
    words = query_words(value)
    query.words += words[:MAX_WORDS_PER_TERM]
    # "well-known" and texts without spaces are phrases, too: their words must follow each other.
    if len(words) > 1:
        query.phrases.append(phrase_form(value))


def _exclude(query: SearchQuery, value: str) -> None:
    tag = _tag_in(value)
    words = [tag_word(tag)] if tag else query_words(value)
    if len(words) == 1:
        query.excluded += words
    elif words:
        _refuse_exclusion(query, value)
    query.is_for_posts |= bool(words)


def _refuse_exclusion(query: SearchQuery, term: str) -> None:
    message = _("Only single words can be excluded, not “%(term)s”.")
    query.problems.append(message % {"term": term})


def _tag_in(value: str) -> str:
    if value[:1] not in tuple(HASH):
        return ""
    key = tag_key(value[1:])
    return key if is_tag_key(key) else ""


def _apply_operator(query: SearchQuery, name: str, value: str, *, is_excluded: bool) -> None:
    if name in UNSUPPORTED_OPERATORS:
        message = _("“%(name)s:” is not supported. Use from:, has:, language:, before: or after:.")
        query.problems.append(message % {"name": name})
    elif is_excluded:
        _refuse_exclusion(query, f"{name}:{value}")
    else:
        _OPERATORS[name](query, value)


def _apply_from(query: SearchQuery, value: str) -> None:
    author = local_username(value) or value.lstrip("@\uff20").lower()
    if not author:
        query.problems.append(_("Write a username after “from:”, such as from:alice."))
    elif query.author not in ("", author):
        query.problems.append(_("Use “from:” only once."))
    query.author = author


def _apply_has(query: SearchQuery, value: str) -> None:
    name = value.lower()
    kind_names = [kind.name for kind in kinds_with_fields()]
    if name in PROPERTIES or name.removesuffix("s") in kind_names:
        query.words.append(property_word(PROPERTIES.get(name) or name.removesuffix("s")))
        return
    *names, last = (f"has:{name}" for name in ("picture", "video", "audio", *kind_names))
    message = _("“has:%(value)s” is not supported. Use %(names)s or %(last)s.")
    query.problems.append(message % {"value": value, "names": ", ".join(names), "last": last})


def _apply_language(query: SearchQuery, value: str) -> None:
    if code := base_language(value):
        query.words.append(language_word(code))
    else:
        query.problems.append(
            _("Write the code of a language after “language:”, such as language:en.")
        )


def _apply_after(query: SearchQuery, value: str) -> None:
    if day := _parse_day(query, "after", value):
        query.after = day if query.after is None else max(day, query.after)


def _apply_before(query: SearchQuery, value: str) -> None:
    if day := _parse_day(query, "before", value):
        query.before = day if query.before is None else min(day, query.before)


def _parse_day(query: SearchQuery, name: str, value: str) -> date | None:
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    message = _("“%(name)s:%(value)s” is not a date. Write the year, month and day: %(example)s.")
    query.problems.append(message % {"name": name, "value": value, "example": f"{name}:2026-11-01"})
    return None


_OPERATORS: dict[str, Callable[[SearchQuery, str], None]] = {
    "from": _apply_from,
    "has": _apply_has,
    "lang": _apply_language,
    "language": _apply_language,
    "after": _apply_after,
    "before": _apply_before,
}
