"""Logos: sanitized uploads on a transparent square.

The name of a logo is a digest of its content. A new logo therefore has a new URL, and browsers can cache
every logo forever.
"""

import hashlib
import re
from datetime import timedelta
from typing import IO

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from PIL import Image, ImageOps

from accounts.infra import pictures

SIDE_PIXELS = 512
FOLDER = "logos"
PREVIEW_TIME = timedelta(days=1)
"""How long a logo that is not used stays, so that administrators can look at a preview and save it."""

_NAME = re.compile(r"[0-9a-f]{32}")


def square_logo(*, upload: IO[bytes]) -> bytes:
    """Return the upload as a square WebP without metadata, ``SIDE_PIXELS`` wide.

    Raises BadPicture if the upload is not a supported picture, and TryLater while the decoder is busy.
    Decoding is expensive, so callers must apply the rate limit for uploads first.
    """
    with pictures.exclusive_decoder():
        picture = pictures.decode_picture(upload=upload, min_side=SIDE_PIXELS)
        square = ImageOps.pad(
            picture.convert("RGBA"),
            (SIDE_PIXELS, SIDE_PIXELS),
            Image.Resampling.LANCZOS,
            color=(0, 0, 0, 0),
        )
    return pictures.encode_webp(picture=square)


def logo_path(*, name: str) -> str:
    """Return the storage path of a logo."""
    return f"{FOLDER}/{name}.webp"


def save_logo(*, picture: bytes) -> str:
    """Store a picture from ``square_logo`` and return its name."""
    name = hashlib.sha256(picture).hexdigest()[:32]
    if not default_storage.exists(logo_path(name=name)):
        default_storage.save(logo_path(name=name), ContentFile(picture))
    return name


def is_stored(*, name: str) -> bool:
    """Return whether a name from a form is that of a logo."""
    return bool(_NAME.fullmatch(name)) and default_storage.exists(logo_path(name=name))


def delete_unused_logos(*, current: str) -> None:
    """Delete logos other than the current one that are older than ``PREVIEW_TIME``."""
    for file in pictures.stored_names(folder=FOLDER):
        path = f"{FOLDER}/{file}"
        is_old = timezone.now() - default_storage.get_modified_time(path) > PREVIEW_TIME
        if is_old and path != logo_path(name=current):
            default_storage.delete(path)
