"""Hashtags: https://docs.joinmastodon.org/entities/Tag/."""

from collections.abc import Collection
from typing import TypedDict

from django.utils import timezone

from feed.text.rendering import tag_path

from .values import Id, Url, absolute_url


class TagUsage(TypedDict):
    """How many people have used a tag on a day. ``day``: seconds since 1970."""

    day: str
    uses: str
    accounts: str


class Tag(TypedDict):
    """``id``: its name; tags have no numbers here. ``history``: of those that trend, the last 24 hours."""

    id: str
    name: str
    url: Url
    history: list[TagUsage]
    following: bool
    featuring: bool


class FeaturedTag(TypedDict):
    """Nobody has any here."""

    id: Id
    name: str
    url: Url
    statuses_count: str
    last_status_at: str | None


def serialize_tag(name: str, *, followed: Collection[str], user_count: int = 0) -> Tag:
    midnight = timezone.now().replace(hour=0, minute=0, second=0)
    used: TagUsage = {
        "day": str(int(midnight.timestamp())),
        "uses": str(user_count),
        "accounts": str(user_count),
    }
    return {
        "id": name,
        "name": name,
        "url": absolute_url(tag_path(name)),
        "history": [used] if user_count else [],
        "following": name in followed,
        "featuring": False,
    }
