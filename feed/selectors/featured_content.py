"""Read what users show at the top of their profiles: pinned posts and featured hashtags."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.infra.ids import time_of
from feed.store import attributes, pins

from .post_view import PostView
from .visible_posts import posts_in_order

MAX_SUGGESTED_TAGS = 10
EXAMINED_POSTS = 500
"""Hashtags and languages are suggested from this number of the user's newest posts."""


@dataclass(frozen=True, slots=True)
class FeaturedTag:
    """A hashtag on a profile. The numbers are about the user's public and unlisted posts."""

    id: int
    tag: str
    post_count: int
    newest_post_id: int

    @property
    def last_used_at(self) -> datetime | None:
        return time_of(id=self.newest_post_id) if self.newest_post_id else None


def featured_content(
    *, author: int, viewer: int | None
) -> tuple[tuple[PostView, ...], tuple[FeaturedTag, ...]]:
    """Return the pinned posts that the viewer may read, newest pin first, and the featured hashtags.

    One command if there are none. The caller checks that the viewer may see the posts of the author.
    """
    post_ids, tags = pins.pins_of(author=author)
    return posts_in_order(ids=post_ids, viewer=viewer), _counted_tags(author, tags)


def featured_tags(*, author: int) -> tuple[FeaturedTag, ...]:
    """Return the featured hashtags in order of addition. Two commands, one if there are none."""
    return _counted_tags(author, pins.pins_of(author=author)[1])


def featured_tag_names(*, author: int) -> list[str]:
    """Return the featured hashtags without numbers. One command."""
    return [tag for _id, tag in pins.pins_of(author=author)[1]]


def suggested_tags(*, author: int, excluded: Sequence[str]) -> list[str]:
    """Return the hashtags that the author uses most, without the ``excluded`` hashtags. One command."""
    counts = attributes.newest_value_counts(
        author=author, kind="hashtag", post_limit=EXAMINED_POSTS
    )
    ranked = sorted(counts, key=lambda tag: counts[tag], reverse=True)
    return [tag for tag in ranked if tag not in excluded][:MAX_SUGGESTED_TAGS]


def newest_languages(*, author: int) -> list[str]:
    """Return the languages of the author's newest public and unlisted posts. One command."""
    return list(
        attributes.newest_value_counts(author=author, kind="language", post_limit=EXAMINED_POSTS)
    )


def _counted_tags(author: int, tags: Sequence[tuple[int, str]]) -> tuple[FeaturedTag, ...]:
    if not tags:
        return ()
    counts = attributes.author_tag_counts(author=author, tags=[tag for _id, tag in tags])
    return tuple(FeaturedTag(id_, tag, *counts.get(tag, (0, 0))) for id_, tag in tags)
