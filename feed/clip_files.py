"""Store uploaded clips (video and audio files), and convert them in workers.

An upload waits in the storage, with a record in the state "processing". ``process`` converts it: the record
then has the state "ready" or "failed", and the upload is deleted. A worker extends its claim (``due_at``)
every few seconds. If it dies, the claim ends, and ``tasks.sweep`` enqueues the clip again, for at most
``MAX_ATTEMPTS`` attempts.
"""

import hashlib
import logging
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.db import connection
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from PIL import Image

from accounts.infra import pictures
from accounts.infra.byte_ranges import file_response
from accounts.infra.pictures import BadPicture

from . import ffmpeg, picture_files
from .ffmpeg import BadClip, Clip, Heartbeat
from .models import Picture
from .picture_files import DecodedUpload

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
CLAIM_SECONDS = 60
"""How long a worker without a sign of life keeps its claim."""

MAX_WAITING = 5
"""Number of clips of a user that may wait for their conversion."""

HEAD_BYTES = 16
AUDIO_FORMATS = frozenset({"mp3", "flac", "wav", "ogg"})
ACCEPTED_TYPES = (
    "video/mp4,video/quicktime,video/webm,audio/mpeg,audio/mp3,audio/mp4,audio/m4a,audio/x-m4a,"
    "audio/aac,audio/ogg,audio/opus,audio/webm,audio/flac,audio/x-flac,audio/wav,audio/x-wav,"
    "audio/vnd.wave"
)


class ClaimLost(Exception):
    """Another worker converts the clip, or its owner has removed it."""


@dataclass(frozen=True, slots=True)
class ClipUpload:
    """An upload whose size and first bytes are those of a clip. Equal uploads have equal digests."""

    file: IO[bytes] = field(repr=False)
    source_format: str
    digest: str


@dataclass(frozen=True, slots=True)
class ConvertedClip:
    """A converted clip and its poster, which audio lacks."""

    clip: Clip
    poster: DecodedUpload | None


def clip_format(*, upload: IO[bytes]) -> str:
    """Return ffmpeg's name of the format if the first bytes are those of a video or audio file, else ""."""
    upload.seek(0)
    head = upload.read(HEAD_BYTES)
    upload.seek(0)
    return ffmpeg.detect_format(head=head) if settings.CLIPS_ENABLED else ""


def check_upload(*, owner: int, upload: IO[bytes], source_format: str) -> ClipUpload:
    """Check the size of a clip, without decoding it. Raises BadPicture.

    ``source_format``: the result of ``clip_format``.
    """
    digest, size, max_bytes = hashlib.sha256(), 0, settings.CLIP_MAX_MB * 2**20
    while chunk := upload.read(2**20):
        size += len(chunk)
        if size > max_bytes:
            raise BadPicture(
                _("This file is too large. The limit is %(size)d MB.")
                % {"size": settings.CLIP_MAX_MB}
            )
        digest.update(chunk)
    upload.seek(0)
    waiting = Picture.objects.filter(owner=owner, state=Picture.State.PROCESSING)
    if waiting.exclude(post=Picture.DELETED_POST).count() >= MAX_WAITING:
        raise BadPicture(
            _("You already have %(count)d files in progress. Wait until they are ready.")
            % {"count": MAX_WAITING}
        )
    return ClipUpload(upload, source_format, digest.hexdigest())


def store_upload(*, owner: int, upload: ClipUpload) -> Picture:
    """Store a clip that a worker will convert.

    The record is created before the file. If the process dies in between, cleanup deletes the record.
    """
    is_audio = upload.source_format in AUDIO_FORMATS
    clip = Picture.objects.create(
        owner=owner,
        name=secrets.token_hex(16),
        kind=Picture.Kind.AUDIO if is_audio else Picture.Kind.VIDEO,
        width=0,
        height=0,
        state=Picture.State.PROCESSING,
        source_format=upload.source_format,
        due_at=timezone.now() + timedelta(seconds=CLAIM_SECONDS),
    )
    try:
        default_storage.save(picture_files.source_path(name=clip.name), File(upload.file))
    except Exception:
        Picture.objects.filter(pk=clip.pk).update(post=Picture.DELETED_POST)
        raise
    clip.due_at = timezone.now()
    clip.save(update_fields=["due_at"])
    return clip


def clip_response(*, request: HttpRequest, name: str, kind: str) -> HttpResponseBase:
    """Return the file to play, or the part that the request asks for. Raises Http404 if it is missing."""
    return _play(request, picture_files.clip_path(name=name), kind)


def hidden_clip_response(*, request: HttpRequest, name: str, kind: str) -> HttpResponseBase:
    """Return the file for moderators, even if it is hidden. Raises Http404 if it is missing."""
    path = picture_files.clip_path(name=name)
    is_hidden = not default_storage.exists(path)
    return _play(request, pictures.hidden_path(path=path) if is_hidden else path, kind)


def _play(request: HttpRequest, path: str, kind: str) -> HttpResponseBase:
    try:
        file = default_storage.open(path)
    except FileNotFoundError:
        raise Http404("No such file.") from None
    content_type = "video/mp4" if kind == Picture.Kind.VIDEO else "audio/mp4"
    return file_response(request=request, file=file, size=file.size, content_type=content_type)


def waiting_ids(*, limit: int) -> list[int]:
    """Return the ids of clips that no worker converts, those that wait longest first."""
    due = Picture.objects.filter(state=Picture.State.PROCESSING, due_at__lte=timezone.now())
    waiting = due.exclude(post=Picture.DELETED_POST)
    return list(waiting.order_by("due_at").values_list("pk", flat=True)[:limit])


def process(*, clip_id: int) -> None:
    """Convert a clip. Do nothing if another worker does it, or ``settings.CLIP_JOBS`` workers are busy."""
    clip = _claim(clip_id)
    if clip is None:
        return
    try:
        _convert_stored(clip)
    except BadClip as error:
        _fail(clip, error.code)
    except ClaimLost:
        logger.info("Clip %s is no longer converted here", clip_id)
    except Exception:
        logger.exception("Attempt %s to convert clip %s failed", clip.attempts, clip_id)
        if clip.attempts >= MAX_ATTEMPTS:
            _fail(clip, "failed")


@contextmanager
def converted(
    *, name: str, source: IO[bytes], source_format: str, heartbeat: Heartbeat
) -> Iterator[ConvertedClip]:
    """Convert a file. The result exists inside the block.

    Raises BadClip, ``ffmpeg.Interrupted``, and what ``heartbeat`` raises.

    Args:
        name: names the temporary folder, so that another attempt deletes what a killed one left.
    """
    # Clips of demos with the same seed have the same names, also in different databases.
    database = connection.settings_dict["NAME"]
    folder = Path(tempfile.gettempdir()) / f"socialsite-clip-{database}-{name}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        path = folder / "source"
        with path.open("wb") as out:
            while chunk := source.read(2**20):
                out.write(chunk)
                if out.tell() > settings.CLIP_MAX_MB * 2**20:  # in an archive
                    raise BadClip("too_long")
        clip = ffmpeg.convert(
            source=path, source_format=source_format, folder=folder, heartbeat=heartbeat
        )
        poster = None
        if clip.poster:
            with pictures.exclusive_decoder(should_wait=True), Image.open(clip.poster) as frame:
                poster = picture_files.encode_sizes(picture=frame.convert("RGB"))
        yield ConvertedClip(clip, poster)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def import_upload(
    *, owner: int, upload: IO[bytes], source_format: str, heartbeat: Heartbeat, name: str = ""
) -> Picture:
    """Convert a clip at once, and store it for its owner. Raises BadClip. ``name``: by default random."""
    name = name or secrets.token_hex(16)
    with converted(
        name=name, source=upload, source_format=source_format, heartbeat=heartbeat
    ) as result:
        clip = Picture.objects.create(owner=owner, name=name, **_facts(result))
        _store_files(name, result)
    return clip


def _claim(clip_id: int) -> Picture | None:
    now = timezone.now()
    processing = Picture.objects.filter(state=Picture.State.PROCESSING)
    if processing.filter(due_at__gt=now, attempts__gt=0).count() >= settings.CLIP_JOBS:
        return None
    due = processing.filter(pk=clip_id, due_at__lte=now).exclude(post=Picture.DELETED_POST)
    clip = due.first()
    if clip is None:
        return None
    if clip.attempts >= MAX_ATTEMPTS:  # its workers died
        _fail(clip, "failed")
        return None
    until = now + timedelta(seconds=CLAIM_SECONDS)
    is_claimed = due.filter(attempts=clip.attempts).update(attempts=F("attempts") + 1, due_at=until)
    clip.attempts += 1
    return clip if is_claimed else None


def _claimed(clip: Picture) -> Any:
    """Return the query for the clip if this worker still has its claim."""
    own = Picture.objects.filter(pk=clip.pk, state=Picture.State.PROCESSING, attempts=clip.attempts)
    return own.exclude(post=Picture.DELETED_POST)


def _extend_claim(clip: Picture) -> None:
    """Raises ClaimLost."""
    until = timezone.now() + timedelta(seconds=CLAIM_SECONDS)
    if not _claimed(clip).update(due_at=until):
        raise ClaimLost(clip.pk)


def _convert_stored(clip: Picture) -> None:
    heartbeat = partial(_extend_claim, clip)
    with (
        default_storage.open(picture_files.source_path(name=clip.name)) as source,
        converted(
            name=clip.name,
            source=source,
            source_format=clip.source_format,
            heartbeat=heartbeat,
        ) as result,
    ):
        heartbeat()
        _store_files(clip.name, result)
        facts = _facts(result)
    if not _claimed(clip).update(state=Picture.State.READY, due_at=None, **facts):
        if not Picture.objects.filter(pk=clip.pk).exclude(post=Picture.DELETED_POST).exists():
            # The owner has removed the clip. Cleanup may have run before the files were stored.
            picture_files.delete_files(picture=clip)
        raise ClaimLost(clip.pk)
    default_storage.delete(picture_files.source_path(name=clip.name))


def _fail(clip: Picture, code: str) -> None:
    if _claimed(clip).update(state=Picture.State.FAILED, error=code, due_at=None):
        picture_files.delete_files(picture=clip)


def _facts(result: ConvertedClip) -> dict[str, Any]:
    clip = result.clip
    return {
        "kind": clip.kind,
        "width": clip.width,
        "height": clip.height,
        "playback": {
            "duration": clip.duration,
            "frame_rate": clip.frame_rate,
            "bitrate": clip.bitrate,
        },
    }


def _store_files(name: str, result: ConvertedClip) -> None:
    for size, content in (result.poster.files if result.poster else {}).items():
        _replace(picture_files.storage_path(name=name, size=size), ContentFile(content))
    with result.clip.path.open("rb") as file:
        _replace(picture_files.clip_path(name=name), File(file))


def _replace(path: str, content: "File[bytes]") -> None:
    default_storage.delete(path)  # of an attempt whose worker died
    default_storage.save(path, content)
