"""The uploaded pictures of a profile: the avatar and the header picture.

``infra.pictures`` sanitizes an upload. ``crop_picture`` crops the result. The stored name contains a digest
of the content. A new picture therefore has a new URL, and browsers can cache every picture forever.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import IO

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse
from PIL import Image, ImageOps

from .infra import pictures
from .infra.priority import low_priority


@dataclass(frozen=True, slots=True)
class PictureKind:
    """A kind of profile picture. ``field``: the field of a user that contains the stored name."""

    field: str
    folder: str
    width: int
    height: int


AVATAR = PictureKind("avatar", "avatars", 400, 400)
HEADER = PictureKind("header", "headers", 1500, 500)
KINDS = (AVATAR, HEADER)


@lru_cache(maxsize=10_000)
def header_url(*, name: str) -> str:
    """Return the URL of a header picture, "" if there is none. ``name``: the stored name."""
    return reverse("header_picture", args=[name]) if name else ""


def picture_path(*, kind: PictureKind, name: str) -> str:
    """Return the storage path of a picture."""
    return f"{kind.folder}/{name}.webp"


def save_picture(*, kind: PictureKind, uid: int, picture: bytes) -> str:
    """Store a picture from ``crop_picture`` and return its name."""
    name = f"{uid}-{hashlib.sha256(picture).hexdigest()[:32]}"
    path = picture_path(kind=kind, name=name)
    if not default_storage.exists(path):
        default_storage.save(path, ContentFile(picture))
    return name


@low_priority
def crop_picture(*, kind: PictureKind, upload: IO[bytes], should_wait: bool = False) -> bytes:
    """Return the upload as a WebP without metadata, in the shape of the kind and at most as large.

    Raises BadPicture if the upload is not a supported picture, and TryLater while the decoder is busy.
    Decoding is expensive, so callers must apply the rate limit for uploads first, as ``services.profiles``
    does. ``should_wait``: as for ``pictures.exclusive_decoder``.
    """
    with pictures.exclusive_decoder(should_wait=should_wait):
        min_side = max(kind.width, 2 * kind.height)
        picture = pictures.decode_picture(upload=upload, min_side=min_side)
        scale = min(1, picture.width / kind.width, picture.height / kind.height)
        size = max(1, round(kind.width * scale)), max(1, round(kind.height * scale))
        cropped = ImageOps.fit(picture, size, Image.Resampling.LANCZOS)
    return pictures.encode_webp(picture=cropped)
