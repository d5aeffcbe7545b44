"""Which hashtags there are, which many people use today, and which a reader follows."""

from collections.abc import Collection
from dataclasses import dataclass

from django.core.cache import cache
from django.utils import timezone

from accounts.selectors.relationships import relationships
from feed.store import attributes, posts, reading, tags
from feed.store.post_rows import IdRange
from feed.text.hashtags import is_tag_key, tag_key

from .lists import direction
from .uid_pages import numbered_slice, uid_page
from .visibility import can_view

CACHE_SECONDS = 60
MAX_TRENDING_TAGS = 10
MIN_TAG_USERS = 2
"""People who have used a tag today, for it to trend: nobody makes a trend alone."""

MAX_MATCHES = 40
EXAMINED_POSTS = 400


@dataclass(frozen=True, slots=True)
class TrendingTag:
    """``people``: how many have used the tag in the last 24 hours."""

    tag: str
    user_count: int


@dataclass(frozen=True, slots=True)
class TagPage:
    """``older`` and ``newer``: as in ``TimelinePage``."""

    tags: tuple[str, ...]
    older_cursor: str | None
    newer_cursor: str | None


def trending_tags(*, limit: int = MAX_TRENDING_TAGS) -> tuple[TrendingTag, ...]:
    """Return the tags whose use rises most against their own past; computed once a minute."""
    found = cache.get("trending_tags")
    if found is None:
        found = tags.trending_tags(
            now=timezone.now(), min_authors=MIN_TAG_USERS, limit=MAX_TRENDING_TAGS
        )
        cache.set("trending_tags", found, CACHE_SECONDS)
    return tuple(TrendingTag(tag=tag, user_count=people) for tag, people in found[:limit])


def followed_tags(*, viewer: int) -> list[str]:
    """The first followed first."""
    return reading.followed_tags(viewer=viewer)


def followed_tags_page(
    *,
    viewer: int,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> TagPage:
    """The last followed first; its cursors are places among them: one command."""
    upwards, bounds = direction(max_id, min_id, since_id)
    tags = followed_tags(viewer=viewer)
    rows = numbered_slice(items=tags, id_range=bounds, limit=limit + 1, ascending=upwards)
    listed = [(place, place) for place, _tag in rows]
    page = uid_page(rows=listed, limit=limit, id_range=bounds, ascending=upwards)
    return TagPage(
        tuple(tags[place - 1] for place in page.uids), page.older_cursor, page.newer_cursor
    )


def tags_with_prefix(
    *, prefix: str, viewer: int | None, followed_tags: Collection[str] = ()
) -> list[str]:
    """Tags of public posts that begin so, with or without their sign; the very one first, then the one used
    last, and in the end those ``followed`` that nobody has used. Which were used last in a post that the
    viewer may not read are left out, unless one of their newest ``EXAMINED`` posts is: the author of the
    newest may have gone private since."""
    wanted = tag_key(prefix.lstrip("#\uff03"))
    if not is_tag_key(wanted):
        return []
    newest = dict(tags.tags_with_prefix(prefix=wanted, limit=MAX_MATCHES))
    rows = posts.by_ids(ids=list(newest.values()))
    relations = relationships(viewer=viewer, uids={row.author for row in rows.values()})
    found = [
        tag
        for tag, post in newest.items()
        if post in rows and can_view(post=rows[post], viewer=viewer, relationships=relations)
    ]
    found += _tags_of_older_posts([tag for tag in newest if tag not in found], viewer)
    found += [tag for tag in followed_tags if tag.startswith(wanted) and tag not in found]
    return sorted(found, key=lambda tag: tag != wanted)


def _tags_of_older_posts(tags: list[str], viewer: int | None) -> list[str]:
    """Those of these tags that one of their newest posts has which the viewer may read."""
    if not tags:
        return []
    rows = attributes.posts_about(
        kind="hashtag", value=tags, id_range=IdRange(), limit=EXAMINED_POSTS
    )
    relations = relationships(viewer=viewer, uids={row.author for row in rows})
    visible = [row for row in rows if can_view(post=row, viewer=viewer, relationships=relations)]
    used = {entity["value"] for row in visible for entity in row.attributes}
    return [tag for tag in tags if tag in used]
