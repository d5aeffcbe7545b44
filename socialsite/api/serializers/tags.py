"""Hashtags: https://docs.joinmastodon.org/entities/Tag/."""

from collections.abc import Collection
from typing import TypedDict

from django.urls import reverse
from django.utils import timezone

from feed.selectors import featured_content
from feed.text.renderer import tag_path

from .values import Id, Url, absolute_url


class TagUsage(TypedDict):
    """The use of a hashtag or link on a day. ``day`` is the start of the day in seconds since 1970."""

    day: str
    uses: str
    accounts: str


class Tag(TypedDict):
    """A hashtag. ``id`` is the name, because hashtags have no numeric id.

    ``history`` has one entry for the last 24 hours if the hashtag is trending. Otherwise it is empty.
    """

    id: str
    name: str
    url: Url
    history: list[TagUsage]
    following: bool
    featuring: bool


class FeaturedTag(TypedDict):
    """https://docs.joinmastodon.org/entities/FeaturedTag/"""

    id: Id
    name: str
    url: Url
    statuses_count: str
    last_status_at: str | None


def serialize_tag(
    name: str, *, followed: Collection[str], featured: Collection[str], user_count: int = 0
) -> Tag:
    return {
        "id": name,
        "name": name,
        "url": absolute_url(tag_path(name)),
        "history": serialize_usage(user_count=user_count) if user_count else [],
        "following": name in followed,
        "featuring": name in featured,
    }


def serialize_featured_tag(featured: featured_content.FeaturedTag, *, username: str) -> FeaturedTag:
    last_used_at = featured.last_used_at
    return {
        "id": str(featured.id),
        "name": featured.tag,
        "url": absolute_url(reverse("profile_tag", args=[username, featured.tag])),
        "statuses_count": str(featured.post_count),
        "last_status_at": last_used_at.date().isoformat() if last_used_at else None,
    }


def serialize_usage(*, user_count: int) -> list[TagUsage]:
    """Return the use of a trending hashtag or link, as if all of it were today."""
    midnight = timezone.now().replace(hour=0, minute=0, second=0)
    number = str(user_count)
    return [{"day": str(int(midnight.timestamp())), "uses": number, "accounts": number}]
