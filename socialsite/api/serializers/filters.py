"""Serialize filters (https://docs.joinmastodon.org/entities/Filter/) and the filters that match a post.

A filter applies to all lists of posts by several authors, whatever contexts a client sends.
"""

from typing import TypedDict

from feed.selectors.filters import FilterMatch
from feed.store import filters
from feed.store.filters import FilteredPost, Phrase

from .values import DateTime, Id, format_datetime

WARN, HIDE = "warn", "hide"
REPORTED_CONTEXTS = ["home", "public"]


class FilterKeyword(TypedDict):
    id: Id
    keyword: str
    whole_word: bool


class FilterStatus(TypedDict):
    """A single post in a filter. ``id`` identifies the row."""

    id: Id
    status_id: Id


class FilterInfo(TypedDict):
    id: Id
    title: str
    context: list[str]
    expires_at: DateTime | None
    filter_action: str


class Filter(FilterInfo):
    """The ``filter_action`` ``warn`` collapses matching posts, and ``hide`` removes matching posts."""

    keywords: list[FilterKeyword]
    statuses: list[FilterStatus]


class FilterResult(TypedDict):
    """A filter that collapses a post, with the phrases that the post contains.

    ``status_matches`` contains the id of the post if the filter contains the post itself.
    """

    filter: FilterInfo
    keyword_matches: list[str] | None
    status_matches: list[str] | None


class V1Filter(TypedDict):
    """A phrase of a filter, for clients written before Mastodon 4.0."""

    id: Id
    phrase: str
    context: list[str]
    whole_word: bool
    expires_at: DateTime | None
    irreversible: bool


def serialize_filter_info(user_filter: filters.Filter) -> FilterInfo:
    return {
        "id": str(user_filter.id),
        "title": user_filter.title,
        "context": REPORTED_CONTEXTS,
        "expires_at": format_datetime(user_filter.expires_at) if user_filter.expires_at else None,
        "filter_action": WARN if user_filter.should_collapse else HIDE,
    }


def serialize_filter(user_filter: filters.Filter) -> Filter:
    keywords = [serialize_keyword(phrase) for phrase in user_filter.phrases]
    statuses = [serialize_filter_status(row) for row in user_filter.posts]
    return {**serialize_filter_info(user_filter), "keywords": keywords, "statuses": statuses}


def serialize_keyword(phrase: Phrase) -> FilterKeyword:
    return {"id": str(phrase.id), "keyword": phrase.text, "whole_word": not phrase.is_part}


def serialize_filter_status(row: FilteredPost) -> FilterStatus:
    return {"id": str(row.id), "status_id": str(row.post)}


def serialize_v1_filter(user_filter: filters.Filter, phrase: Phrase) -> V1Filter:
    return {
        "id": str(phrase.id),
        "phrase": phrase.text,
        "context": REPORTED_CONTEXTS,
        "whole_word": not phrase.is_part,
        "expires_at": format_datetime(user_filter.expires_at) if user_filter.expires_at else None,
        "irreversible": not user_filter.should_collapse,
    }


def serialize_filter_result(match: FilterMatch, *, post_id: int) -> FilterResult:
    return {
        "filter": serialize_filter_info(match.matched_filter),
        "keyword_matches": list(match.phrases) or None,
        "status_matches": [str(post_id)] if match.has_post else None,
    }
