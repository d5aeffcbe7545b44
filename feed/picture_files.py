"""Pictures of posts: what is made of an upload, where it is kept, and how it goes again.

Each is kept in two sizes under a random name: it cannot be guessed, as a post may be for followers only,
and it never stands for another picture, so that it can be cached for ever.

Addresses of pictures that not everybody may see carry a signature that expires within a day. Apps load
pictures without a token, so the address itself has to prove that its holder was shown the picture.
"""

import hashlib
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import product
from typing import IO, Literal
from urllib.parse import urlencode

from django.core import signing
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from PIL import Image

from accounts.infra import pictures

from .models import Picture

SMALL_SIDE, LARGE_SIDE = 640, 2048
"""At most so many pixels on the longer side."""

Size = Literal["small", "large"]
SIZES: tuple[Size, ...] = ("small", "large")
DELETE_BATCH_SIZE = 500
HALF_DAY_SECONDS = 43_200
UNPUBLISHED = 0
"""Stands for the post of a picture that has none yet."""


@dataclass(frozen=True, slots=True)
class DecodedUpload:
    """What is made of an upload. ``width`` and ``height``: of the large file; ``digest``: of it, so that
    the same upload can be told."""

    digest: str
    width: int
    height: int
    files: dict[Size, bytes] = field(repr=False)


def decode_upload(*, upload: IO[bytes], should_wait: bool = False) -> DecodedUpload:
    """Decode an upload. Raises ``accounts.infra.pictures.BadPicture``, and TryLater while the decoder is busy.

    Callers count the upload first: ``services.read_uploads``. ``is_patient``: as in
    ``accounts.infra.pictures.decoding``.
    """
    with pictures.exclusive_decoder(should_wait=should_wait):
        picture = pictures.decode_picture(upload=upload, min_side=LARGE_SIDE)
        picture.thumbnail((LARGE_SIDE, LARGE_SIDE), Image.Resampling.LANCZOS)
    large = pictures.encode_webp(picture=picture)
    width, height = picture.size
    picture.thumbnail((SMALL_SIDE, SMALL_SIDE), Image.Resampling.LANCZOS)
    return DecodedUpload(
        digest=hashlib.sha256(large).hexdigest(),
        width=width,
        height=height,
        files={"small": pictures.encode_webp(picture=picture), "large": large},
    )


def fitted_size(*, width: int, height: int, side: int) -> tuple[int, int]:
    """The width and height of a picture that is made to fit into a square; never larger than it was."""
    scale = min(1.0, side / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def picture_url(*, name: str, size: Size, signature_scope: int | None) -> str:
    """The address of a picture.

    ``signed_for``: the post it is shown with, or ``WAITING`` before it has one, and the address is good for
    as long as it belongs there. None for a picture that everybody may see.
    """
    address = reverse("picture", args=[name, size])
    if signature_scope is None:
        return address
    # The same for half a day, so that browsers keep the picture for as long.
    until = (int(time.time()) // HALF_DAY_SECONDS + 2) * HALF_DAY_SECONDS
    return f"{address}?{urlencode({'until': until, 'key': _key(name, signature_scope, until)})}"


def seconds_until_expiry(
    *, name: str, signature_scope: int, expires_at: int | None, key: str
) -> int:
    """How long this signed address still serves the picture; 0 if it does not."""
    if expires_at is None or not constant_time_compare(
        key, _key(name, signature_scope, expires_at)
    ):
        return 0
    return max(0, expires_at - int(time.time()))


def _key(name: str, signed_for: int, until: int) -> str:
    return signing.Signer(salt="feed.picture_files").signature(f"{name} {signed_for} {until}")


def storage_path(*, name: str, size: str) -> str:
    """Where the storage keeps it."""
    return f"pictures/{name}-{size}.webp"


def hide_pictures(*, names: Iterable[str]) -> None:
    """From now on nobody gets them by their addresses. May be done twice, as ``give_back``."""
    for name, size in product(names, SIZES):
        pictures.hide_picture(path=storage_path(name=name, size=size))


def restore_pictures(*, names: Iterable[str]) -> None:
    for name, size in product(names, SIZES):
        pictures.restore_picture(path=storage_path(name=name, size=size))


def store_upload(*, owner: int, upload: DecodedUpload) -> Picture:
    """Keep an upload for its owner, who may publish it later.

    The record comes first: should this process die, it is the record by which the files go again.
    """
    name = secrets.token_hex(16)
    kept = Picture.objects.create(owner=owner, name=name, width=upload.width, height=upload.height)
    for size, content in upload.files.items():
        default_storage.save(storage_path(name=name, size=size), ContentFile(content))
    return kept


def expire_unpublished(*, before: datetime) -> None:
    """Who has not published a picture by now does not want it any more: ``remove_gone`` may have it."""
    Picture.objects.filter(post=None, created_at__lt=before).update(post=Picture.DELETED_POST)


def delete_discarded() -> int:
    """Remove some of the pictures that are to go, files first; returns how many. 0: there are no more."""
    gone = list(Picture.objects.filter(post=Picture.DELETED_POST)[:DELETE_BATCH_SIZE])
    for picture in gone:
        for size in SIZES:
            pictures.delete_picture(path=storage_path(name=picture.name, size=size))
        picture.delete()
    return len(gone)
