"""Hashtags: trending tags, followed tags, and tags by prefix."""

from collections.abc import Collection
from dataclasses import dataclass

from django.core.cache import cache
from django.utils import timezone

from accounts.infra.cursors import PageBounds
from accounts.selectors.relationships import relationships
from feed.store import attributes, home_states, posts, tags
from feed.store.post_rows import IdRange
from feed.text.hashtags import is_tag_key, tag_key

from .uid_pages import numbered_slice, uid_page
from .visibility import can_view

CACHE_SECONDS = 60
MAX_TRENDING_TAGS = 10
MIN_TAG_USERS = 2
"""A tag trends only if at least this many users used it today, so that no single user makes a trend."""

MAX_MATCHES = 40
EXAMINED_POSTS = 400


@dataclass(frozen=True, slots=True)
class TrendingTag:
    """A trending tag. ``user_count``: how many users used it in the last 24 hours."""

    tag: str
    user_count: int


@dataclass(frozen=True, slots=True)
class TagPage:
    """A page of tags. Its cursors are like those of ``TimelinePage``."""

    tags: tuple[str, ...]
    older_cursor: str | None
    newer_cursor: str | None


def trending_tags(*, limit: int = MAX_TRENDING_TAGS) -> tuple[TrendingTag, ...]:
    """Return the tags whose use rises most against their own past. Computed once a minute."""
    rows = cache.get("trending_tags")
    if rows is None:
        rows = tags.trending_tags(
            now=timezone.now(), min_authors=MIN_TAG_USERS, limit=MAX_TRENDING_TAGS
        )
        cache.set("trending_tags", rows, CACHE_SECONDS)
    return tuple(TrendingTag(tag=tag, user_count=user_count) for tag, user_count in rows[:limit])


def followed_tags(*, viewer: int) -> list[str]:
    """Return the followed tags, in the order in which the viewer followed them."""
    return home_states.followed_tags(viewer=viewer)


def followed_tags_page(
    *,
    viewer: int,
    bounds: PageBounds,
) -> TagPage:
    """Return a page of followed tags, newest first. Cursors are positions. Costs one database command."""
    tags = followed_tags(viewer=viewer)
    rows = numbered_slice(items=tags, bounds=bounds)
    positions = [(position, position) for position, _tag in rows]
    page = uid_page(rows=positions, bounds=bounds)
    return TagPage(
        tuple(tags[position - 1] for position in page.uids), page.older_cursor, page.newer_cursor
    )


def tags_with_prefix(
    *, prefix: str, viewer: int | None, followed_tags: Collection[str] = ()
) -> list[str]:
    """Return tags of public posts that start with ``prefix``, with or without the hash sign.

    The exact match comes first, then the tags by newest use, then matching ``followed_tags`` without posts.
    The viewer must be able to read the newest post with a tag, or one of the ``EXAMINED_POSTS`` newest: its
    author may have gone private since.
    """
    key = tag_key(prefix.lstrip("#\uff03"))
    if not is_tag_key(key):
        return []
    newest = dict(tags.tags_with_prefix(prefix=key, limit=MAX_MATCHES))
    rows = posts.by_ids(ids=list(newest.values()))
    relations = relationships(viewer=viewer, uids={row.author for row in rows.values()})
    matches = [
        tag
        for tag, post in newest.items()
        if post in rows and can_view(post=rows[post], viewer=viewer, relationships=relations)
    ]
    matches += _tags_of_older_posts([tag for tag in newest if tag not in matches], viewer)
    matches += [tag for tag in followed_tags if tag.startswith(key) and tag not in matches]
    return sorted(matches, key=lambda tag: tag != key)


def _tags_of_older_posts(tags: list[str], viewer: int | None) -> list[str]:
    """Return the tags with a visible post among the newest ``EXAMINED_POSTS``."""
    if not tags:
        return []
    rows = attributes.posts_about(
        kind="hashtag", value=tags, id_range=IdRange(), limit=EXAMINED_POSTS
    )
    relations = relationships(viewer=viewer, uids={row.author for row in rows})
    visible = [row for row in rows if can_view(post=row, viewer=viewer, relationships=relations)]
    used = {attribute["value"] for row in visible for attribute in row.attributes}
    return [tag for tag in tags if tag in used]
