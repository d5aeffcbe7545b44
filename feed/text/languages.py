"""The languages of posts: codes of ISO 639, names in the language itself, and a guess from the text."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from django.conf.locale import LANG_INFO

from .spans import spans_in

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

MIN_CONFIDENCE = 0.8
"""Below this, most guesses for short posts are wrong. Such posts stay without a language."""

# fmt: off
_CODES = (
    "af", "ar", "az", "be", "bg", "bn", "br", "bs", "ca", "cs", "cy", "da", "de", "el", "en", "eo", "es",
    "et", "eu", "fa", "fi", "fr", "fy", "ga", "gd", "gl", "he", "hi", "hr", "hu", "hy", "id", "is", "it",
    "ja", "ka", "kk", "km", "kn", "ko", "ky", "lb", "lt", "lv", "mk", "ml", "mn", "mr", "ms", "my", "ne",
    "nl", "no", "pa", "pl", "pt", "ro", "ru", "sk", "sl", "sq", "sr", "sv", "sw", "ta", "te", "th", "tr",
    "uk", "ur", "uz", "vi", "zh",
)
# fmt: on
_WELL_FORMED = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]{1,8})*", re.ASCII | re.IGNORECASE)
_SAME_LANGUAGE = {"nb": "no", "nn": "no", "iw": "he", "in": "id"}
"""Codes that stand for the language of another code, so that a filter finds all posts in a language."""


def base_language(tag: str) -> str:
    """Return the language of a language tag: "pt" for "pt-BR". "" if the tag is malformed.

    Apps may name any language, also one that ``language_choices`` lacks.
    """
    match = _WELL_FORMED.fullmatch(tag)
    if match is None:
        return ""
    code = match[1].lower()
    return _SAME_LANGUAGE.get(code, code)


def language_name(code: str) -> str:
    """Return the name of a language in the language itself, or the code if the name is unknown."""
    name = "中文" if code == "zh" else str(LANG_INFO.get(code, {}).get("name_local", code))
    return name[:1].upper() + name[1:]


def language_in(attributes: Iterable[Mapping[str, Any]]) -> str:
    """Return the language among the attributes of a post, or "" if it is unknown."""
    for attribute in attributes:
        if attribute["kind"] == "language":
            return str(attribute["value"])
    return ""


@cache
def language_choices() -> tuple[tuple[str, str], ...]:
    """Return ``(code, name)`` of the languages that pages offer, in the order of their names."""
    return tuple(
        sorted(((code, language_name(code)) for code in _CODES), key=lambda choice: choice[1])
    )


def guess_language(text: str) -> str:
    """Return the language of a text, or "" if it is too short or too mixed to tell.

    Without ``load_language_model``, the first guess of a process takes most of a second and 90 MB.
    """
    words = _without_names(text)
    if not any(char.isalpha() for char in words):
        return ""
    code, confidence = _identifier().classify(words)
    return str(code) if confidence >= MIN_CONFIDENCE else ""


def load_language_model() -> None:
    """Load the model of ``guess_language``. Call this before a fork, so that processes share its memory."""
    _identifier()


def _without_names(text: str) -> str:
    """Return the text without URLs, hashtags and mentions, which belong to no language."""
    parts, position = [], 0
    for span in spans_in(text):
        parts.append(text[position : span.start])
        position = span.end
    return " ".join([*parts, text[position:]]).strip()


@cache
def _identifier() -> "LanguageIdentifier":
    from py3langid import langid  # numpy is large

    # gunicorn.conf.py loads the model before it forks.
    identifier = langid.IDENTIFIER or langid.LanguageIdentifier.from_model_file(
        langid.MODEL_FILE, norm_probs=True
    )
    identifier.set_languages(_CODES)
    return identifier
