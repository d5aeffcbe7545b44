"""What a reader's filters say of a post."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from re import Pattern

from feed.activities import Activity, activity, distributed
from feed.store import filters
from feed.store.filters import Filter
from feed.store.posts import PostRow
from feed.text import matching


class Filtering:
    """The filters that have not ended ``now``."""

    def __init__(self, *, filters: Sequence[Filter], now: datetime) -> None:
        lasting = [one for one in filters if one.until is None or one.until > now]
        self._hides = _pattern(tuple(one.phrase for one in lasting if not one.folds))
        self._folds = _pattern(tuple(one.phrase for one in lasting if one.folds))

    def hides(self, post: PostRow) -> bool:
        return _finds(self._hides, post)

    def folds(self, post: PostRow) -> bool:
        return _finds(self._folds, post)


def _finds(pattern: Pattern[str] | None, post: PostRow) -> bool:
    if pattern is None:
        return False
    described = (str(one["alt"]) for one in post.media)
    besides = activity(post.kind).words(post.details)
    said = "\n".join((post.warning, post.text, besides, *described))
    return pattern.search(matching.key(said)) is not None


def filters_of(*, reader: int) -> list[Filter]:
    """All, also those that have ended."""
    return filters.of(reader=reader)


def shown_kinds(*, reader: int) -> list[tuple[Activity, bool]]:
    """The kinds that this site brings to home timelines, and whether the reader has them in theirs."""
    hidden = filters.hidden_kinds(reader=reader)
    return [(one, one.name not in hidden) for one in distributed()]


@lru_cache(maxsize=1000)
def _pattern(phrases: tuple[str, ...]) -> Pattern[str] | None:
    return matching.pattern_of(phrases) if phrases else None
