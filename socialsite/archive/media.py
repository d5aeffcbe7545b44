"""Store the pictures and clips of an import, within the limits of its owner and of one import.

Clips count against the rate limit of clips, and all files against the owner's storage. What an import may
decode is limited, too, because a file of 40 bytes can have 33 million pixels.
"""

import io
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from PIL import Image

from accounts.infra import pictures, rate_limits
from accounts.infra.pictures import BadPicture
from accounts.infra.rate_limits import RateLimited
from feed import clip_files, picture_files
from feed.clip_files import Busy
from feed.ffmpeg import BadClip
from feed.models import Picture
from feed.services.pictures import StorageFull, describe_picture, require_storage

from .attachments import ArchivedFile
from .source import READ_ERRORS, Source

MAX_PIXELS = 20_000_000_000
MAX_SECONDS = 1800.0
"""What one import may decode. More pictures are left out."""

BUSY_SECONDS = 30.0
"""How long an import waits while other clips are being converted."""


class Paused(Exception):
    """The import has to continue later: at once after the jobs of others, or after some seconds."""

    def __init__(self, seconds: float = 0) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@dataclass(slots=True)
class Decoding:
    """What an import has spent on decoding pictures."""

    pixels: int = 0
    seconds: float = 0.0

    @property
    def is_spent(self) -> bool:
        return self.pixels >= MAX_PIXELS or self.seconds >= MAX_SECONDS

    @contextmanager
    def count(self, content: IO[bytes]) -> Iterator[None]:
        """Count a picture that the block decodes, whether that succeeds or not."""
        started = time.monotonic()
        self.pixels += _pixel_count(content)
        try:
            yield
        finally:
            self.seconds += time.monotonic() - started


def _pixel_count(content: IO[bytes]) -> int:
    """Return the pixels of a picture as its first bytes declare them, 0 if it is no picture."""
    try:
        with Image.open(content, formats=pictures.FORMATS) as picture:
            return picture.width * picture.height
    # Pillow raises almost any exception for a hostile file.
    except Exception:
        return 0
    finally:
        content.seek(0)


def store_files(
    *,
    files: Sequence[ArchivedFile],
    source: Source,
    owner: int,
    heartbeat: Callable[[], None],
    decoding: Decoding | None,
) -> tuple[list[int], Counter[str]]:
    """Store the files of a post. Return the ids of the pictures, and the number of other files by reason.

    ``decoding``: None without limits. Raises Paused.
    """
    picture_ids: list[int] = []
    counts: Counter[str] = Counter()
    for file in files:
        heartbeat()
        if decoding is not None and decoding.is_spent:
            counts["too_costly_pictures"] += 1
            continue
        try:
            with source.open(file.name) as upload:
                picture = _store_file(upload, owner, heartbeat, decoding)
        except StorageFull:
            counts["no_storage"] += 1
            continue
        except (*READ_ERRORS, ValueError, BadClip):
            counts["unreadable_pictures"] += 1
            continue
        focus = None if picture.is_clip else file.focus
        describe_picture(picture=picture, alt=file.alt, focus=focus)
        picture_ids.append(picture.pk)
    return picture_ids, counts


def _store_file(
    upload: IO[bytes], owner: int, heartbeat: Callable[[], None], decoding: Decoding | None
) -> Picture:
    source_format = clip_files.clip_format(upload=upload)
    if decoding is None:
        if source_format:
            name = secrets.token_hex(16)
            return clip_files.store_converted(
                owner=owner, name=name, source=upload, source_format=source_format
            )
        decoded = picture_files.decode_upload(upload=upload, should_wait=True)
        return picture_files.store_upload(owner=owner, upload=decoded)
    require_storage(owner=owner)
    if source_format:
        return _store_clip(upload, source_format, owner, heartbeat)
    content = io.BytesIO(upload.read(pictures.MAX_BYTES + 1))
    with decoding.count(content):
        decoded = picture_files.decode_upload(upload=content, should_wait=True)
    return picture_files.store_upload(owner=owner, upload=decoded)


def _store_clip(
    upload: IO[bytes], source_format: str, owner: int, heartbeat: Callable[[], None]
) -> Picture:
    """Convert a clip, which counts against the rate limit even if it is unreadable."""
    if rate_limits.is_turned_off(action="clip"):
        raise BadClip("unreadable")
    try:
        with rate_limits.limited_action(action="clip", subject=owner):
            try:
                return clip_files.import_upload(
                    owner=owner, upload=upload, source_format=source_format, heartbeat=heartbeat
                )
            except (BadClip, BadPicture) as error:
                failure: Exception = error
    except RateLimited as error:
        raise Paused(error.retry_after) from None
    except Busy:
        raise Paused(BUSY_SECONDS) from None
    raise failure
