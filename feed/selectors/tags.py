"""Which hashtags there are, which many people use today, and which a reader follows."""

from collections.abc import Collection
from dataclasses import dataclass

from django.core.cache import cache
from django.utils import timezone

from accounts import selectors as people
from feed.store import entities, posts, reading, tags
from feed.store.rows import Bounds
from feed.text.hashtags import is_key, tag_key

from .lists import direction
from .positions import numbered, page_between
from .visible import may_read

FRESH_SECONDS = 60
TRENDS = 10
AT_LEAST = 2
"""People who have used a tag today, for it to trend: nobody makes a trend alone."""

FOUND = 40
EXAMINED = 400


@dataclass(frozen=True, slots=True)
class Trend:
    """``people``: how many have used the tag in the last 24 hours."""

    tag: str
    people: int


@dataclass(frozen=True, slots=True)
class TagPage:
    """``older`` and ``newer``: as in ``TimelinePage``."""

    tags: tuple[str, ...]
    older: str | None
    newer: str | None


def trending_tags(*, limit: int = TRENDS) -> tuple[Trend, ...]:
    """Return the tags whose use rises most against their own past; computed once a minute."""
    found = cache.get("trending_tags")
    if found is None:
        found = tags.trending(now=timezone.now(), at_least=AT_LEAST, limit=TRENDS)
        cache.set("trending_tags", found, FRESH_SECONDS)
    return tuple(Trend(tag=tag, people=people) for tag, people in found[:limit])


def followed_tags(*, reader: int) -> list[str]:
    """The first followed first."""
    return reading.tags_of(reader=reader)


def followed_tags_page(
    *,
    reader: int,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> TagPage:
    """The last followed first; its cursors are places among them: one command."""
    upwards, bounds = direction(max_id, min_id, since_id)
    tags = followed_tags(reader=reader)
    rows = numbered(items=tags, bounds=bounds, limit=limit + 1, upwards=upwards)
    listed = [(place, place) for place, _tag in rows]
    page = page_between(found=listed, limit=limit, bounds=bounds, upwards=upwards)
    return TagPage(tuple(tags[place - 1] for place in page.uids), page.older, page.newer)


def tags_beginning_with(
    *, text: str, viewer: int | None, followed: Collection[str] = ()
) -> list[str]:
    """Tags of public posts that begin so, with or without their sign; the very one first, then the one used
    last, and in the end those ``followed`` that nobody has used. Which were used last in a post that the
    viewer may not read are left out, unless one of their newest ``EXAMINED`` posts is: the author of the
    newest may have gone private since."""
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
    found += _tags_of_older_posts([tag for tag in newest if tag not in found], viewer)
    found += [tag for tag in followed if tag.startswith(wanted) and tag not in found]
    return sorted(found, key=lambda tag: tag != wanted)


def _tags_of_older_posts(tags: list[str], viewer: int | None) -> list[str]:
    """Those of these tags that one of their newest posts has which the viewer may read."""
    if not tags:
        return []
    rows = entities.posts_about(kind="hashtag", value=tags, bounds=Bounds(), limit=EXAMINED)
    relations = people.relations(viewer=viewer, uids={row.author for row in rows})
    visible = [row for row in rows if may_read(post=row, viewer=viewer, relations=relations)]
    used = {entity["value"] for row in visible for entity in row.entities}
    return [tag for tag in tags if tag in used]
