"""Which hashtags there are, which many people use today, and which a reader follows."""

from dataclasses import dataclass

from django.core.cache import cache
from django.utils import timezone

from accounts import selectors as people
from feed.store import posts, reading, tags
from feed.text.hashtags import is_key, tag_key

from .visible import may_read

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


def tags_beginning_with(*, text: str, viewer: int | None) -> list[str]:
    """Tags of public posts that begin so, with or without their sign; the very one first, and then the one
    used last. Which were used last in a post that the viewer may not read are left out: its author may have
    gone private since."""
    wanted = tag_key(text.lstrip("#\uff03"))
    if not is_key(wanted):
        return []
    newest = dict(tags.beginning_with(text=wanted, limit=FOUND))
    rows = posts.by_ids(ids=list(newest.values()))
    relations = people.relations(viewer=viewer, uids={one.author for one in rows.values()})
    found = [
        tag
        for tag, post in newest.items()
        if post in rows and may_read(post=rows[post], viewer=viewer, relations=relations)
    ]
    return sorted(found, key=lambda tag: tag != wanted)
