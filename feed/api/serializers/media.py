"""Pictures: https://docs.joinmastodon.org/entities/MediaAttachment/."""

from typing import TypedDict

from feed import picture_files
from feed.selectors.pages import MediaView

from .values import Id, Url, absolute_url


class MediaSize(TypedDict):
    width: int
    height: int
    size: str
    aspect: float


class MediaFocus(TypedDict):
    x: float
    y: float


CENTER: MediaFocus = {"x": 0.0, "y": 0.0}


class MediaMeta(TypedDict):
    original: MediaSize
    small: MediaSize
    focus: MediaFocus


class MediaAttachment(TypedDict):
    id: Id
    type: str
    url: Url
    preview_url: Url
    remote_url: Url | None
    preview_remote_url: Url | None
    text_url: Url | None
    meta: MediaMeta
    description: str | None
    blurhash: str | None


def serialize_media(one: MediaView) -> MediaAttachment:
    small = picture_files.fitted_size(
        width=one.width, height=one.height, side=picture_files.SMALL_SIDE
    )
    return {
        "id": str(one.id),
        "type": "image",
        "url": absolute_url(one.large_url),
        "preview_url": absolute_url(one.small_url),
        "remote_url": None,
        "preview_remote_url": None,
        "text_url": None,
        "meta": {
            "original": _size(one.width, one.height),
            "small": _size(*small),
            "focus": {"x": one.focus[0], "y": one.focus[1]} if one.focus else CENTER,
        },
        "description": one.alt or None,
        "blurhash": None,
    }


def _size(width: int, height: int) -> MediaSize:
    return {
        "width": width,
        "height": height,
        "size": f"{width}x{height}",
        "aspect": round(width / max(1, height), 4),
    }
