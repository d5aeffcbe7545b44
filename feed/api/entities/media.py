"""Pictures: https://docs.joinmastodon.org/entities/MediaAttachment/."""

from typing import TypedDict

from feed import pictures
from feed.selectors import MediaView

from .values import Id, Url, absolute


class Size(TypedDict):
    width: int
    height: int
    size: str
    aspect: float


class Focus(TypedDict):
    x: float
    y: float


MIDDLE: Focus = {"x": 0.0, "y": 0.0}


class Meta(TypedDict):
    original: Size
    small: Size
    focus: Focus


class MediaAttachment(TypedDict):
    id: Id
    type: str
    url: Url
    preview_url: Url
    remote_url: Url | None
    preview_remote_url: Url | None
    text_url: Url | None
    meta: Meta
    description: str | None
    blurhash: str | None


def attachment(one: MediaView) -> MediaAttachment:
    small = pictures.fitted(width=one.width, height=one.height, side=pictures.SMALL)
    return {
        "id": str(one.id),
        "type": "image",
        "url": absolute(one.large),
        "preview_url": absolute(one.small),
        "remote_url": None,
        "preview_remote_url": None,
        "text_url": None,
        "meta": {
            "original": _size(one.width, one.height),
            "small": _size(*small),
            "focus": {"x": one.focus[0], "y": one.focus[1]} if one.focus else MIDDLE,
        },
        "description": one.alt or None,
        "blurhash": None,
    }


def _size(width: int, height: int) -> Size:
    return {
        "width": width,
        "height": height,
        "size": f"{width}x{height}",
        "aspect": round(width / max(1, height), 4),
    }
