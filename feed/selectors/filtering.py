"""What a reader's filters say of a post."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from re import Pattern

from django.http import Http404

from feed.activities import Activity, activity, distributed
from feed.store import filters
from feed.store.filters import Filter, Phrase
from feed.store.rows import PostRow
from feed.text import matching


@dataclass(frozen=True, slots=True)
class Folding:
    """A filter that folds a post, and which of its phrases are in there."""

    by: Filter
    phrases: tuple[str, ...]


class Filtering:
    """The filters that have not ended ``now``."""

    def __init__(self, *, filters: Sequence[Filter], now: datetime) -> None:
        lasting = [one for one in filters if one.until is None or one.until > now]
        self._folding = [one for one in lasting if one.folds]
        self._hides = _pattern(tuple(_texts(one for one in lasting if not one.folds)))
        self._folds = _pattern(tuple(_texts(self._folding)))

    def hides(self, post: PostRow) -> bool:
        return self._hides is not None and self._hides.search(_said(post)) is not None

    def folding(self, post: PostRow) -> tuple[Folding, ...]:
        """What folds the post; empty for most."""
        if self._folds is None:
            return ()
        said = _said(post)
        if self._folds.search(said) is None:
            return ()
        found = [(one, tuple(_found(one, said))) for one in self._folding]
        return tuple(Folding(one, phrases) for one, phrases in found if phrases)


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
    besides = activity(post.kind).words(post.details)
    return matching.key("\n".join((post.warning, post.text, besides, *described)))


def filters_of(*, reader: int) -> list[Filter]:
    """All, also those that have ended."""
    return filters.of(reader=reader)


def filter_of(*, reader: int, filter_id: int) -> Filter:
    """Raises Http404 unless there is one of theirs."""
    for one in filters.of(reader=reader):
        if one.id == filter_id:
            return one
    raise Http404("No such filter.")


def filter_with(*, reader: int, phrase_id: int) -> tuple[Filter, Phrase]:
    """The filter that has this phrase. Raises Http404 unless there is one of theirs."""
    for one in filters.of(reader=reader):
        for phrase in one.phrases:
            if phrase.id == phrase_id:
                return one, phrase
    raise Http404("No such phrase.")


def shown_kinds(*, reader: int) -> list[tuple[Activity, bool]]:
    """The kinds that this site brings to home timelines, and whether the reader has them in theirs."""
    hidden = filters.hidden_kinds(reader=reader)
    return [(one, one.name not in hidden) for one in distributed()]


@lru_cache(maxsize=1000)
def _pattern(phrases: tuple[str, ...]) -> Pattern[str] | None:
    return matching.pattern_of(phrases) if phrases else None
