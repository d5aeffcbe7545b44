"""Read a viewer's filters, and find the filters that match a post."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from re import Pattern

from django.http import Http404

from feed.activities import Activity, activity_kind, home_kinds
from feed.store import filters
from feed.store.filters import Filter, FilteredPost, Phrase
from feed.store.post_rows import PostRow
from feed.text import phrases as phrase_text


@dataclass(frozen=True, slots=True)
class FilterMatch:
    """A filter that collapses a post, with the phrases that the post contains.

    ``has_post`` is True if the filter contains the post itself.
    """

    matched_filter: Filter
    phrases: tuple[str, ...]
    has_post: bool


class ActiveFilters:
    """A viewer's filters that are not expired at ``now``."""

    def __init__(self, *, filters: Sequence[Filter], now: datetime) -> None:
        active = [
            user_filter
            for user_filter in filters
            if user_filter.expires_at is None or user_filter.expires_at > now
        ]
        hiding_filters = [each for each in active if not each.should_collapse]
        self._collapsing_filters = [each for each in active if each.should_collapse]
        self._hiding_pattern = _pattern(_phrases(hiding_filters))
        self._collapsing_pattern = _pattern(_phrases(self._collapsing_filters))
        self._hidden_posts = {row.post for each in hiding_filters for row in each.posts}

    def hides_post(self, post: PostRow) -> bool:
        if post.id in self._hidden_posts:
            return True
        return (
            self._hiding_pattern is not None
            and self._hiding_pattern.search(_searchable_text(post)) is not None
        )

    def matches(self, post: PostRow) -> tuple[FilterMatch, ...]:
        """Return the filters that collapse the post."""
        text = "" if self._collapsing_pattern is None else _searchable_text(post)
        has_phrase = self._collapsing_pattern is not None and self._collapsing_pattern.search(text)
        matches = (
            FilterMatch(
                user_filter,
                phrases=tuple(_matching_phrases(user_filter, text)) if has_phrase else (),
                has_post=any(row.post == post.id for row in user_filter.posts),
            )
            for user_filter in self._collapsing_filters
        )
        return tuple(match for match in matches if match.phrases or match.has_post)


def _phrases(filters: Iterable[Filter]) -> tuple[Phrase, ...]:
    return tuple(phrase for user_filter in filters for phrase in user_filter.phrases)


def _matching_phrases(user_filter: Filter, text: str) -> Iterator[str]:
    for phrase in user_filter.phrases:
        pattern = _pattern((phrase,))
        if pattern is not None and pattern.search(text):
            yield phrase.text


def _searchable_text(post: PostRow) -> str:
    """Return all text of a post that filters search, including picture descriptions, in normalized form."""
    descriptions = (str(picture["alt"]) for picture in post.media)
    details_text = activity_kind(post.kind).full_text(post.details)
    return phrase_text.normalize_text(
        "\n".join((post.content_warning, post.text, details_text, *descriptions))
    )


def filters_of_viewer(*, viewer: int) -> list[Filter]:
    """Return all filters of the viewer, including expired ones."""
    return filters.filters_of(viewer=viewer)


def viewer_filter(*, viewer: int, filter_id: int) -> Filter:
    """Return a filter of the viewer. Raises Http404 if the viewer has no such filter."""
    for user_filter in filters.filters_of(viewer=viewer):
        if user_filter.id == filter_id:
            return user_filter
    raise Http404("No such filter.")


def filter_by_phrase(*, viewer: int, phrase_id: int) -> tuple[Filter, Phrase]:
    """Return the viewer's filter that contains the phrase, and the phrase. Raises Http404 if missing."""
    for user_filter in filters.filters_of(viewer=viewer):
        for phrase in user_filter.phrases:
            if phrase.id == phrase_id:
                return user_filter, phrase
    raise Http404("No such phrase.")


def filter_by_post(*, viewer: int, row_id: int) -> FilteredPost:
    """Return the single post in the viewer's filters that has this ``FilteredPost.id``. Raises Http404."""
    for user_filter in filters.filters_of(viewer=viewer):
        for filtered_post in user_filter.posts:
            if filtered_post.id == row_id:
                return filtered_post
    raise Http404("No such post in a filter.")


def home_kind_choices(*, viewer: int) -> list[tuple[Activity, bool]]:
    """Return each kind of ``home_kinds`` with whether the viewer's home timeline shows the kind."""
    hidden = filters.hidden_kinds(viewer=viewer)
    return [(kind, kind.name not in hidden) for kind in home_kinds()]


@lru_cache(maxsize=1000)
def _pattern(phrases: tuple[Phrase, ...]) -> Pattern[str] | None:
    if not phrases:
        return None
    return phrase_text.phrase_pattern(
        whole=(phrase.text for phrase in phrases if not phrase.is_part),
        parts=(phrase.text for phrase in phrases if phrase.is_part),
    )
