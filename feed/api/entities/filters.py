"""Filters: https://docs.joinmastodon.org/entities/Filter/, and why a post is folded.

Here a filter acts where posts of many people are listed, whatever contexts a client names; a word is found
only where it stands by itself.
"""

from typing import TypedDict

from feed import selectors
from feed.selectors import Folding, Phrase

from .values import Id, Moment, at

WARN, HIDE = "warn", "hide"
CONTEXTS = ["home", "public"]


class FilterKeyword(TypedDict):
    id: Id
    keyword: str
    whole_word: bool


class FilterStatus(TypedDict):
    """Single posts are not filtered here."""

    id: Id
    status_id: Id


class FilterInfo(TypedDict):
    id: Id
    title: str
    context: list[str]
    expires_at: Moment | None
    filter_action: str


class Filter(FilterInfo):
    """``filter_action``: ``warn`` folds posts, ``hide`` leaves them out."""

    keywords: list[FilterKeyword]
    statuses: list[FilterStatus]


class FilterResult(TypedDict):
    """A filter that has the post behind a warning, and which of its phrases are in there."""

    filter: FilterInfo
    keyword_matches: list[str] | None
    status_matches: list[str] | None


class V1Filter(TypedDict):
    """One phrase, as clients before Mastodon 4.0 know it."""

    id: Id
    phrase: str
    context: list[str]
    whole_word: bool
    expires_at: Moment | None
    irreversible: bool


def filter_info(one: selectors.Filter) -> FilterInfo:
    return {
        "id": str(one.id),
        "title": one.title,
        "context": CONTEXTS,
        "expires_at": at(one.until) if one.until else None,
        "filter_action": WARN if one.folds else HIDE,
    }


def filter_json(one: selectors.Filter) -> Filter:
    keywords = [keyword(phrase) for phrase in one.phrases]
    return {**filter_info(one), "keywords": keywords, "statuses": []}


def keyword(phrase: Phrase) -> FilterKeyword:
    return {"id": str(phrase.id), "keyword": phrase.text, "whole_word": True}


def v1_filter(one: selectors.Filter, phrase: Phrase) -> V1Filter:
    return {
        "id": str(phrase.id),
        "phrase": phrase.text,
        "context": CONTEXTS,
        "whole_word": True,
        "expires_at": at(one.until) if one.until else None,
        "irreversible": not one.folds,
    }


def filter_result(one: Folding) -> FilterResult:
    return {
        "filter": filter_info(one.by),
        "keyword_matches": list(one.phrases),
        "status_matches": None,
    }
