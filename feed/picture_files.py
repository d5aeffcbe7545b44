"""Decode, store, hide and delete the picture files of posts, and sign their URLs.

The storage holds two sizes of each picture under a random name that cannot be guessed. A name is never
reused, so browsers may cache the file forever. A video has a poster in two sizes and a file to play, audio
has only a file to play: ``clip_files`` makes them.

The URL of a picture that is not public contains a signature that expires within a day. Apps load pictures
without a token, so the signature is the only proof that the site showed the picture to this viewer.
"""

import hashlib
import io
import math
import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any, Literal
from urllib.parse import urlencode

from django.core import signing
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils.crypto import constant_time_compare
from PIL import Image

from accounts.infra import pictures
from accounts.infra.paths import path_for
from accounts.infra.priority import low_priority

from .models import Picture

SMALL_SIDE = 640
"""Maximum length of the longer side of the small file, in pixels."""

LARGE_PIXELS = 3840 * 2160
"""Maximum number of pixels of the large file. Long screenshots and panoramas stay readable."""

MAX_WEBP_SIDE = 16_383

ANIMATION_SIDE = 480
"""Maximum length of the longer side of an animation, in pixels. All frames are in memory at once."""

Size = Literal["small", "large"]
SIZES: tuple[Size, ...] = ("small", "large")
DELETE_BATCH_SIZE = 500
HALF_DAY_SECONDS = 43_200
UNPUBLISHED = 0
"""The signature scope of a picture that has no post yet."""


@dataclass(frozen=True, slots=True)
class DecodedUpload:
    """A decoded upload in both sizes.

    ``width``, ``height`` and ``digest`` describe the large file. Equal uploads have equal digests. The
    large file of an animation plays, and the small file is its first frame.
    """

    digest: str
    width: int
    height: int
    files: dict[Size, bytes] = field(repr=False)
    is_animated: bool = False

    @property
    def stored_bytes(self) -> int:
        return sum(map(len, self.files.values()))


@low_priority
def decode_upload(*, upload: IO[bytes], should_wait: bool = False) -> DecodedUpload:
    """Decode an upload. Raises BadPicture, and TryLater while the decoder is busy.

    Decoding is expensive, so callers first count the upload against the rate limit, like
    ``services.pictures.receive_uploads``. With ``should_wait``, wait for the decoder without a limit, but
    never in a request.
    """
    content = io.BytesIO(upload.read(pictures.MAX_BYTES + 1))
    with pictures.exclusive_decoder(should_wait=should_wait):
        animation = pictures.decode_animation(upload=content, side=ANIMATION_SIDE)
        if animation is not None:
            return _encode_animation(animation)
        content.seek(0)
        picture = pictures.decode_picture(upload=content)
        picture.thumbnail(_large_size(*picture.size), Image.Resampling.BICUBIC)
    return encode_sizes(picture=picture)


def _large_size(width: int, height: int) -> tuple[int, int]:
    """Return the size that the large file of a picture may have."""
    scale = min(1.0, math.sqrt(LARGE_PIXELS / (width * height)), MAX_WEBP_SIDE / max(width, height))
    return max(1, int(width * scale)), max(1, int(height * scale))


def _encode_animation(animation: pictures.Animation) -> DecodedUpload:
    large, still = pictures.encode_animation(animation=animation), animation.frames[0]
    return DecodedUpload(
        digest=hashlib.sha256(large).hexdigest(),
        width=still.width,
        height=still.height,
        files={"small": pictures.encode_webp(picture=still), "large": large},
        is_animated=True,
    )


def encode_sizes(*, picture: Image.Image) -> DecodedUpload:
    """Encode a picture that has the size of the large file. Changes the picture."""
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
    """Return the width and height of a picture scaled down to fit into a square of ``side`` pixels."""
    scale = min(1.0, side / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def picture_url(*, name: str, size: Size, signature_scope: int | None) -> str:
    """Return the URL of a picture.

    Args:
        signature_scope: None for a public picture, whose URL needs no signature. Otherwise the id of the
            picture's post, or ``UNPUBLISHED``. The signature becomes invalid when the scope changes.
    """
    return _signed_url(path_for("picture", name, size), name, signature_scope)


def clip_url(*, name: str, kind: str, signature_scope: int | None) -> str:
    """Return the URL of the file to play. ``signature_scope``: as for ``picture_url``."""
    suffix = "mp4" if kind == Picture.Kind.VIDEO else "m4a"
    return _signed_url(path_for("clip", name, suffix), name, signature_scope)


def _signed_url(url: str, name: str, signature_scope: int | None) -> str:
    if signature_scope is None:
        return url
    # The expiry is rounded, so that the URL stays the same for half a day and browsers can cache the file.
    expires_at = (int(time.time()) // HALF_DAY_SECONDS + 2) * HALF_DAY_SECONDS
    query = {"until": expires_at, "key": _sign_url(name, signature_scope, expires_at)}
    return f"{url}?{urlencode(query)}"


def seconds_until_expiry(
    *, name: str, signature_scope: int, expires_at: int | None, key: str
) -> int:
    """Return how many seconds a signed URL remains valid, or 0 if the URL is expired or forged."""
    if expires_at is None or not constant_time_compare(
        key, _sign_url(name, signature_scope, expires_at)
    ):
        return 0
    return max(0, expires_at - int(time.time()))


def _sign_url(name: str, signature_scope: int, expires_at: int) -> str:
    signer = signing.Signer(salt="feed.picture_files")
    return signer.signature(f"{name} {signature_scope} {expires_at}")


def storage_path(*, name: str, size: str) -> str:
    return f"pictures/{name}-{size}.webp"


def clip_path(*, name: str) -> str:
    """Return the path of the file to play in the storage."""
    return f"pictures/{name}-clip.mp4"


def source_path(*, name: str) -> str:
    """Return the path of an uploaded clip that waits for its conversion. It has no URL."""
    return f"uploads/{name}"


def _paths(name: str, kind: str) -> list[str]:
    paths = [storage_path(name=name, size=size) for size in SIZES]
    return paths if kind == Picture.Kind.IMAGE else [*paths, clip_path(name=name)]


def hide_pictures(*, media: Iterable[Mapping[str, Any]]) -> None:
    """Stop serving the files of ``Post.media``. Safe to run twice, like ``restore_pictures``."""
    for entry in media:
        for path in _paths(entry["name"], entry.get("kind", Picture.Kind.IMAGE)):
            pictures.hide_picture(path=path)


def restore_pictures(*, media: Iterable[Mapping[str, Any]]) -> None:
    for entry in media:
        for path in _paths(entry["name"], entry.get("kind", Picture.Kind.IMAGE)):
            pictures.restore_picture(path=path)


def store_upload(*, owner: int, upload: DecodedUpload) -> Picture:
    """Store an upload for its owner, who may publish it later.

    The record is created before the files. If the process dies in between, cleanup finds the files by the
    record.
    """
    name = secrets.token_hex(16)
    picture = Picture.objects.create(
        owner=owner,
        name=name,
        width=upload.width,
        height=upload.height,
        is_animated=upload.is_animated,
        stored_bytes=upload.stored_bytes,
    )
    for size, content in upload.files.items():
        default_storage.save(storage_path(name=name, size=size), ContentFile(content))
    return picture


def expire_unpublished(*, before: datetime) -> None:
    """Mark old pictures that no post and no draft uses, so that cleanup deletes the files."""
    unused = Picture.objects.filter(post=None, draft=None, created_at__lt=before)
    unused.update(post=Picture.DELETED_POST)


def discard_pictures_of(*, post: int) -> None:
    """Mark the pictures of a deleted post, in case an edit added one while the post was deleted."""
    Picture.objects.filter(post=post).update(post=Picture.DELETED_POST)


def delete_discarded() -> int:
    """Delete up to ``DELETE_BATCH_SIZE`` marked pictures. Return the number deleted, 0 if none was left."""
    discarded = list(Picture.objects.filter(post=Picture.DELETED_POST)[:DELETE_BATCH_SIZE])
    for picture in discarded:
        delete_files(picture=picture)
        picture.delete()
    return len(discarded)


def delete_files(*, picture: Picture) -> None:
    for path in _paths(picture.name, picture.kind):
        pictures.delete_picture(path=path)
    if picture.is_clip:
        default_storage.delete(source_path(name=picture.name))
