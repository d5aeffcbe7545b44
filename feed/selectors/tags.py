"""Which hashtags there are, which many people use today, and which a reader follows."""

from dataclasses import dataclass

from django.core.cache import cache
from django.utils import timezone

from feed.store import reading, tags
from feed.text.hashtags import is_key, tag_key

FRESH_SECONDS = 60
TRENDS = 10
AT_LEAST = 2
"""People who have used a tag today, for it to trend: nobody makes a trend alone."""

FOUND = 40


@dataclass(frozen=True, slots=True)
class Trend:
    """``people``: how many have used the tag in the last 24 hours."""

    tag: str
    people: int


def trending_tags(*, limit: int = TRENDS) -> tuple[Trend, ...]:
    """Those which most people use; counted anew once a minute."""
    found = cache.get("trending_tags")
    if found is None:
        found = tags.busiest(now=timezone.now(), at_least=AT_LEAST, limit=TRENDS)
        cache.set("trending_tags", found, FRESH_SECONDS)
    return tuple(Trend(tag=tag, people=people) for tag, people in found[:limit])


def followed_tags(*, reader: int) -> list[str]:
    """The first followed first."""
    return reading.tags_of(reader=reader)


def tags_beginning_with(*, text: str) -> list[str]:
    """Tags of public posts that begin so, with or without their sign; the very one first, and then the one
    used last."""
    wanted = tag_key(text.lstrip("#\uff03"))
    if not is_key(wanted):
        return []
    found = tags.beginning_with(text=wanted, limit=FOUND)
    return sorted(found, key=lambda tag: tag != wanted)
