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
from datetime import datetime
from typing import IO

from PIL import Image

from accounts.infra import pictures, rate_limits
from accounts.infra.pictures import BadPicture
from accounts.infra.rate_limits import RateLimited
from accounts.models import User
from feed import clip_files, picture_files
from feed.clip_files import Busy
from feed.ffmpeg import BadClip
from feed.models import Picture
from feed.services.pictures import StorageFull, describe_picture, require_storage

from .note_parts import ArchivedFile
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


@dataclass(frozen=True, slots=True)
class ImportJob:
    """One import into the account of ``owner``.

    Attributes:
        before: posts written at or after this time are left out.
        import_id: the id of the archive job.
        is_large: whether moderators see the import as a whole, not each suspicious post.
        heartbeat: a function that is called between slow steps. To end the import, it raises an exception.
        decoding: counts what is decoded. None if nothing limits the files of the import.
    """

    source: Source
    owner: User
    before: datetime
    import_id: int
    heartbeat: Callable[[], None] = lambda: None
    decoding: Decoding | None = None
    is_large: bool = False


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


def store_files(*, files: Sequence[ArchivedFile], job: ImportJob) -> tuple[list[int], Counter[str]]:
    """Store the files of a post. Return the ids of the pictures, and the number of other files by reason.

    Raises Paused.
    """
    picture_ids: list[int] = []
    counts: Counter[str] = Counter()
    for file in files:
        job.heartbeat()
        if job.decoding is not None and job.decoding.is_spent:
            counts["too_costly_pictures"] += 1
            continue
        try:
            with job.source.open(file.name) as upload:
                picture = _store_file(upload, job)
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


def _store_file(upload: IO[bytes], job: ImportJob) -> Picture:
    owner = job.owner.pk
    source_format = clip_files.clip_format(upload=upload)
    if job.decoding is None:
        if source_format:
            name = secrets.token_hex(16)
            return clip_files.store_converted(
                owner=owner, name=name, source=upload, source_format=source_format
            )
        decoded = picture_files.decode_upload(upload=upload, should_wait=True)
        return picture_files.store_upload(owner=owner, upload=decoded)
    require_storage(owner=owner)
    if source_format:
        return _store_clip(upload, source_format, job)
    content = io.BytesIO(upload.read(pictures.MAX_BYTES + 1))
    with job.decoding.count(content):
        decoded = picture_files.decode_upload(upload=content, should_wait=True)
    return picture_files.store_upload(owner=owner, upload=decoded)


def _store_clip(upload: IO[bytes], source_format: str, job: ImportJob) -> Picture:
    """Convert a clip, which counts against the rate limit even if it is unreadable."""
    if rate_limits.is_turned_off(action="clip"):
        raise BadClip("unreadable")
    try:
        with rate_limits.limited_action(action="clip", subject=job.owner.pk):
            try:
                return clip_files.import_upload(
                    owner=job.owner.pk,
                    upload=upload,
                    source_format=source_format,
                    heartbeat=job.heartbeat,
                )
            except (BadClip, BadPicture) as error:
                failure: Exception = error
    except RateLimited as error:
        raise Paused(error.retry_after) from None
    except Busy:
        raise Paused(BUSY_SECONDS) from None
    raise failure
