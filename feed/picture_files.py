"""Picture files of posts: decode uploads, store, sign URLs, hide and delete.

The storage has two sizes of each picture under a random name, which nobody can guess. A name is never
reused, so browsers may cache the file forever.

URLs of pictures that are not public carry a signature that expires within a day. Apps load pictures without
a token, so the URL itself proves that the site showed the picture to its holder.
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
"""Maximum pixels of the longer side."""

Size = Literal["small", "large"]
SIZES: tuple[Size, ...] = ("small", "large")
DELETE_BATCH_SIZE = 500
HALF_DAY_SECONDS = 43_200
UNPUBLISHED = 0
"""The signature scope of a picture that has no post yet."""


@dataclass(frozen=True, slots=True)
class DecodedUpload:
    """A decoded upload in both sizes.

    ``width``, ``height`` and ``digest`` are those of the large file. Equal uploads have equal digests.
    """

    digest: str
    width: int
    height: int
    files: dict[Size, bytes] = field(repr=False)


def decode_upload(*, upload: IO[bytes], should_wait: bool = False) -> DecodedUpload:
    """Decode an upload. Raises BadPicture, and TryLater while the decoder is busy.

    Callers count the upload first, as ``services.pictures.receive_uploads`` does. ``should_wait``: as in
    ``accounts.infra.pictures.exclusive_decoder``.
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
    """Return the width and height that fit into a square of ``side``, never larger than the original."""
    scale = min(1.0, side / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def picture_url(*, name: str, size: Size, signature_scope: int | None) -> str:
    """Return the URL of a picture.

    ``signature_scope``: the id of its post, or ``UNPUBLISHED`` before it has one. The signature is valid
    only while the picture belongs there. None for a public picture.
    """
    url = reverse("picture", args=[name, size])
    if signature_scope is None:
        return url
    # The URL changes only every half day, so that browsers can cache the picture.
    expires_at = (int(time.time()) // HALF_DAY_SECONDS + 2) * HALF_DAY_SECONDS
    query = {"until": expires_at, "key": _sign_url(name, signature_scope, expires_at)}
    return f"{url}?{urlencode(query)}"


def seconds_until_expiry(
    *, name: str, signature_scope: int, expires_at: int | None, key: str
) -> int:
    """Return how long a signed URL remains valid, 0 if it is expired or forged."""
    if expires_at is None or not constant_time_compare(
        key, _sign_url(name, signature_scope, expires_at)
    ):
        return 0
    return max(0, expires_at - int(time.time()))


def _sign_url(name: str, signature_scope: int, expires_at: int) -> str:
    signer = signing.Signer(salt="feed.picture_files")
    return signer.signature(f"{name} {signature_scope} {expires_at}")


def storage_path(*, name: str, size: str) -> str:
    """Return the path of a picture file in the storage."""
    return f"pictures/{name}-{size}.webp"


def hide_pictures(*, names: Iterable[str]) -> None:
    """Stop serving pictures. Safe to run twice, like ``restore_pictures``."""
    for name, size in product(names, SIZES):
        pictures.hide_picture(path=storage_path(name=name, size=size))


def restore_pictures(*, names: Iterable[str]) -> None:
    for name, size in product(names, SIZES):
        pictures.restore_picture(path=storage_path(name=name, size=size))


def store_upload(*, owner: int, upload: DecodedUpload) -> Picture:
    """Store an upload for its owner, who may publish it later.

    The record is created first: if the process dies, cleanup finds the files by their record.
    """
    name = secrets.token_hex(16)
    picture = Picture.objects.create(
        owner=owner, name=name, width=upload.width, height=upload.height
    )
    for size, content in upload.files.items():
        default_storage.save(storage_path(name=name, size=size), ContentFile(content))
    return picture


def expire_unpublished(*, before: datetime) -> None:
    """Mark pictures that were never published for ``delete_discarded``."""
    Picture.objects.filter(post=None, created_at__lt=before).update(post=Picture.DELETED_POST)


def delete_discarded() -> int:
    """Delete up to ``DELETE_BATCH_SIZE`` marked pictures, files first. Return how many, 0 at the end."""
    discarded = list(Picture.objects.filter(post=Picture.DELETED_POST)[:DELETE_BATCH_SIZE])
    for picture in discarded:
        for size in SIZES:
            pictures.delete_picture(path=storage_path(name=picture.name, size=size))
        picture.delete()
    return len(discarded)
