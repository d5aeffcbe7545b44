"""What a reader's filters say of a post."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from re import Pattern

from django.http import Http404

from feed.activities import Activity, activity_kind, home_kinds
from feed.store import filters
from feed.store.filters import Filter, Phrase
from feed.store.post_rows import PostRow
from feed.text import phrases as phrase_text


@dataclass(frozen=True, slots=True)
class FilterMatch:
    """A filter that folds a post, and which of its phrases are in there."""

    matched_filter: Filter
    phrases: tuple[str, ...]


class ActiveFilters:
    """The filters that have not ended ``now``."""

    def __init__(self, *, filters: Sequence[Filter], now: datetime) -> None:
        lasting = [one for one in filters if one.expires_at is None or one.expires_at > now]
        self._folding = [one for one in lasting if one.should_collapse]
        self._hides = _pattern(tuple(_texts(one for one in lasting if not one.should_collapse)))
        self._folds = _pattern(tuple(_texts(self._folding)))

    def hides_post(self, post: PostRow) -> bool:
        return self._hides is not None and self._hides.search(_said(post)) is not None

    def matches(self, post: PostRow) -> tuple[FilterMatch, ...]:
        """What folds the post; empty for most."""
        if self._folds is None:
            return ()
        said = _said(post)
        if self._folds.search(said) is None:
            return ()
        found = [(one, tuple(_found(one, said))) for one in self._folding]
        return tuple(FilterMatch(one, phrases) for one, phrases in found if phrases)


def _texts(filters: Iterable[Filter]) -> Iterator[str]:
    return (phrase.text for one in filters for phrase in one.phrases)


def _found(one: Filter, said: str) -> Iterator[str]:
    for text in _texts([one]):
        pattern = _pattern((text,))
        if pattern is not None and pattern.search(said):
            yield text


def _said(post: PostRow) -> str:
    """All that the post says, as phrases are looked for in it."""
    described = (str(one["alt"]) for one in post.media)
    besides = activity_kind(post.kind).extra_text(post.details)
    return phrase_text.normalize_text("\n".join((post.content_warning, post.text, besides, *described)))


def filters_of_viewer(*, viewer: int) -> list[Filter]:
    """All, also those that have ended."""
    return filters.filters_of(viewer=viewer)


def viewer_filter(*, viewer: int, filter_id: int) -> Filter:
    """Raises Http404 unless there is one of theirs."""
    for one in filters.filters_of(viewer=viewer):
        if one.id == filter_id:
            return one
    raise Http404("No such filter.")


def filter_by_phrase(*, viewer: int, phrase_id: int) -> tuple[Filter, Phrase]:
    """The filter that has this phrase. Raises Http404 unless there is one of theirs."""
    for one in filters.filters_of(viewer=viewer):
        for phrase in one.phrases:
            if phrase.id == phrase_id:
                return one, phrase
    raise Http404("No such phrase.")


def home_kind_choices(*, viewer: int) -> list[tuple[Activity, bool]]:
    """The kinds that this site brings to home timelines, and whether the reader has them in theirs."""
    hidden = filters.hidden_kinds(viewer=viewer)
    return [(one, one.name not in hidden) for one in home_kinds()]


@lru_cache(maxsize=1000)
def _pattern(phrases: tuple[str, ...]) -> Pattern[str] | None:
    return phrase_text.phrase_pattern(phrases) if phrases else None
