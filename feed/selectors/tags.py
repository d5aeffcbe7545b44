"""Read trending hashtags, followed hashtags, and hashtags by prefix."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from django.core.cache import cache
from django.utils import timezone

from accounts.infra.cursors import PageBounds
from accounts.selectors.relationships import relationships
from feed.store import attributes, home_states, posts, tags
from feed.store.post_rows import IdRange
from feed.text.hashtags import is_tag_key, normalize_tag

from .list_pages import ListPage, list_page, numbered_slice
from .visibility import can_view

CACHE_SECONDS = 60
MAX_TRENDING_TAGS = 10
MAX_ACTIVE_TAGS = 24
MIN_TAG_USERS = 2
"""A tag trends only if at least this many users used it today, so that no single user makes a trend."""

MAX_MATCHES = 40
EXAMINED_POSTS = 400


@dataclass(frozen=True, slots=True)
class TrendingTag:
    """A trending or active tag.

    ``user_count`` is the number of users who used the tag in the last 24 hours. For an active tag, it is
    the sum of the numbers of each day of the last week.
    """

    tag: str
    user_count: int


def trending_tags(*, limit: int = MAX_TRENDING_TAGS) -> tuple[TrendingTag, ...]:
    """Return the tags whose use has risen most compared to earlier days. Cached for ``CACHE_SECONDS``."""
    return _cached_tags("trending_tags", tags.trending_tags, MAX_TRENDING_TAGS)[:limit]


def active_tags() -> tuple[TrendingTag, ...]:
    """Return the tags that most users used in the last week. Cached for ``CACHE_SECONDS``."""
    return _cached_tags("active_tags", tags.most_used_tags, MAX_ACTIVE_TAGS)


def _cached_tags(
    key: str, read_rows: Callable[..., list[tuple[str, int]]], limit: int
) -> tuple[TrendingTag, ...]:
    rows = cache.get(key)
    if rows is None:
        rows = read_rows(now=timezone.now(), min_authors=MIN_TAG_USERS, limit=limit)
        cache.set(key, rows, CACHE_SECONDS)
    return tuple(TrendingTag(tag=tag, user_count=user_count) for tag, user_count in rows)


def followed_tags(*, viewer: int) -> list[str]:
    """Return the tags that the viewer follows, oldest follow first."""
    return home_states.followed_tags(viewer=viewer)


def followed_tags_page(
    *,
    viewer: int,
    bounds: PageBounds,
) -> ListPage[str]:
    """Return a page of followed tags, newest follow first. Costs one database command.

    Cursors are positions in the order of ``followed_tags``, counted from 1.
    """
    rows = numbered_slice(items=followed_tags(viewer=viewer), bounds=bounds)
    return list_page(rows=rows, bounds=bounds)


def tags_with_prefix(
    *, prefix: str, viewer: int | None, followed_tags: Collection[str] = ()
) -> list[str]:
    """Return tags of public posts that start with ``prefix``.

    The exact match comes first, then the tags by newest use, then matching ``followed_tags``. A tag is left
    out if the viewer may read none of its recent posts, for example after its only author became private.

    ``prefix`` may begin with the hash sign. ``followed_tags`` need no visible post.
    """
    key = normalize_tag(prefix)
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
    """Return the tags with a visible post. Only the newest ``EXAMINED_POSTS`` posts are examined."""
    if not tags:
        return []
    rows = attributes.posts_about(
        kind="hashtag", value=tags, id_range=IdRange(), limit=EXAMINED_POSTS
    )
    relations = relationships(viewer=viewer, uids={row.author for row in rows})
    visible = [row for row in rows if can_view(post=row, viewer=viewer, relationships=relations)]
    used = {attribute["value"] for row in visible for attribute in row.attributes}
    return [tag for tag in tags if tag in used]
