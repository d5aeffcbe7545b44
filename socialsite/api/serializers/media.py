"""Serialize pictures and clips: https://docs.joinmastodon.org/entities/MediaAttachment/."""

from fractions import Fraction
from typing import NotRequired, TypedDict

from feed import picture_files
from feed.selectors.pictures import MediaView

from .values import Id, Url, absolute_url


class MediaSize(TypedDict):
    """The size of a picture or video in pixels. Only clips have the numbers for playing."""

    width: NotRequired[int]
    height: NotRequired[int]
    size: NotRequired[str]
    aspect: NotRequired[float]
    duration: NotRequired[float]
    bitrate: NotRequired[int]
    frame_rate: NotRequired[str]


class MediaFocus(TypedDict):
    x: float
    y: float


CENTER: MediaFocus = {"x": 0.0, "y": 0.0}


class MediaMeta(TypedDict):
    original: MediaSize
    small: NotRequired[MediaSize]
    focus: NotRequired[MediaFocus]


class MediaAttachment(TypedDict):
    id: Id
    type: str
    url: Url | None
    preview_url: Url | None
    remote_url: Url | None
    preview_remote_url: Url | None
    text_url: Url | None
    meta: MediaMeta
    description: str | None
    blurhash: str | None


def serialize_media(picture: MediaView, *, fallback_url: str = "") -> MediaAttachment:
    """Serialize a picture or clip.

    A picture that was removed from its post has the type "unknown" and ``fallback_url`` as its address,
    because apps in typed languages require one. A clip that is not ready has no address.
    """
    return {
        "id": str(picture.id),
        "type": "unknown" if picture.is_deleted else picture.kind,
        "url": absolute_url(fallback_url) if picture.is_deleted else _file_url(picture),
        "preview_url": absolute_url(picture.small_url) if picture.has_picture else None,
        "remote_url": None,
        "preview_remote_url": None,
        "text_url": None,
        "meta": _serialize_meta(picture),
        "description": picture.alt or None,
        "blurhash": None,
    }


def _file_url(picture: MediaView) -> str | None:
    if picture.state != "ready":
        return None
    return absolute_url(picture.clip_url if picture.is_clip else picture.large_url)


def _serialize_meta(picture: MediaView) -> MediaMeta:
    original: MediaSize = {}
    meta: MediaMeta = {"original": original}
    if picture.width:
        original |= _serialize_size(picture.width, picture.height)
        small = picture_files.fitted_size(
            width=picture.width, height=picture.height, side=picture_files.SMALL_SIDE
        )
        meta["small"] = _serialize_size(*small)
    if picture.is_clip:
        original |= {"duration": picture.duration, "bitrate": picture.bitrate}
        if picture.frame_rate:
            rate = Fraction(picture.frame_rate).limit_denominator(1001)
            original["frame_rate"] = f"{rate.numerator}/{rate.denominator}"
    else:
        meta["focus"] = {"x": picture.focus[0], "y": picture.focus[1]} if picture.focus else CENTER
    return meta


def _serialize_size(width: int, height: int) -> MediaSize:
    return {
        "width": width,
        "height": height,
        "size": f"{width}x{height}",
        "aspect": round(width / max(1, height), 4),
    }
