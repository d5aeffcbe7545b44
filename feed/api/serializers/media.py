"""Serialize pictures: https://docs.joinmastodon.org/entities/MediaAttachment/."""

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
    preview_url: Url | None
    remote_url: Url | None
    preview_remote_url: Url | None
    text_url: Url | None
    meta: MediaMeta
    description: str | None
    blurhash: str | None


def serialize_media(picture: MediaView, *, fallback_url: str = "") -> MediaAttachment:
    """Serialize a picture.

    A picture that was removed from its post has the type "unknown" and ``fallback_url`` as its address,
    because apps in typed languages require one.
    """
    small = picture_files.fitted_size(
        width=picture.width, height=picture.height, side=picture_files.SMALL_SIDE
    )
    return {
        "id": str(picture.id),
        "type": "unknown" if picture.is_deleted else "image",
        "url": absolute_url(fallback_url if picture.is_deleted else picture.large_url),
        "preview_url": None if picture.is_deleted else absolute_url(picture.small_url),
        "remote_url": None,
        "preview_remote_url": None,
        "text_url": None,
        "meta": {
            "original": _serialize_size(picture.width, picture.height),
            "small": _serialize_size(*small),
            "focus": {"x": picture.focus[0], "y": picture.focus[1]} if picture.focus else CENTER,
        },
        "description": picture.alt or None,
        "blurhash": None,
    }


def _serialize_size(width: int, height: int) -> MediaSize:
    return {
        "width": width,
        "height": height,
        "size": f"{width}x{height}",
        "aspect": round(width / max(1, height), 4),
    }
