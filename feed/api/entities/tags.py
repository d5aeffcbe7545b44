"""Hashtags: https://docs.joinmastodon.org/entities/Tag/."""

from typing import NotRequired, TypedDict

from feed.text.rendering import tag_path

from .values import Url, absolute


class TagDay(TypedDict):
    day: str
    uses: str
    accounts: str


class Tag(TypedDict):
    """``following``: only for people."""

    name: str
    url: Url
    history: list[TagDay]
    following: NotRequired[bool]


def tag_json(*, tag: str, is_following: bool | None = None) -> Tag:
    made: Tag = {"name": tag, "url": absolute(tag_path(tag)), "history": []}
    if is_following is not None:
        made["following"] = is_following
    return made
