"""Filters: https://docs.joinmastodon.org/entities/Filter/, and why a post is folded.

Here a filter acts where posts of many people are listed, whatever contexts a client names; a word is found
only where it stands by itself.
"""

from typing import TypedDict

from feed.selectors.filters import FilterMatch
from feed.store import filters
from feed.store.filters import Phrase

from .values import DateTime, Id, format_datetime

WARN, HIDE = "warn", "hide"
REPORTED_CONTEXTS = ["home", "public"]


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
    expires_at: DateTime | None
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
    expires_at: DateTime | None
    irreversible: bool


def serialize_filter_info(one: filters.Filter) -> FilterInfo:
    return {
        "id": str(one.id),
        "title": one.title,
        "context": REPORTED_CONTEXTS,
        "expires_at": format_datetime(one.expires_at) if one.expires_at else None,
        "filter_action": WARN if one.should_collapse else HIDE,
    }


def serialize_filter(one: filters.Filter) -> Filter:
    keywords = [serialize_keyword(phrase) for phrase in one.phrases]
    return {**serialize_filter_info(one), "keywords": keywords, "statuses": []}


def serialize_keyword(phrase: Phrase) -> FilterKeyword:
    return {"id": str(phrase.id), "keyword": phrase.text, "whole_word": True}


def serialize_v1_filter(one: filters.Filter, phrase: Phrase) -> V1Filter:
    return {
        "id": str(phrase.id),
        "phrase": phrase.text,
        "context": REPORTED_CONTEXTS,
        "whole_word": True,
        "expires_at": format_datetime(one.expires_at) if one.expires_at else None,
        "irreversible": not one.should_collapse,
    }


def serialize_filter_result(one: FilterMatch) -> FilterResult:
    return {
        "filter": serialize_filter_info(one.matched_filter),
        "keyword_matches": list(one.phrases),
        "status_matches": None,
    }
