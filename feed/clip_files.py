"""Store uploaded clips (video and audio files), and convert them in workers.

An upload waits in the storage, with a record in the state "processing". ``process`` converts it: the record
then has the state "ready" or "failed", and the upload is deleted. A worker extends its claim (``due_at``)
every few seconds. If it dies, the claim ends, and ``tasks.sweep`` enqueues the clip again, for at most
``MAX_ATTEMPTS`` attempts. ``settings.CLIP_JOBS`` clips are converted at a time, and one of each user.
"""

import hashlib
import logging
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.db import connection
from django.db.models import F, QuerySet
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from PIL import Image
from whitenoise.responders import SlicedFile

from accounts.infra import pictures
from accounts.infra.pictures import BadPicture

from . import clip_formats, ffmpeg, picture_files
from .ffmpeg import BadClip, Clip, Heartbeat
from .models import Picture
from .picture_files import DecodedUpload

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
CLAIM_SECONDS = 60
"""How long a worker without a sign of life keeps its claim."""

MAX_WAITING = 5
"""Number of clips of a user that may wait for their conversion."""

_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.ASCII)

AUDIO_FORMATS = frozenset({"mp3", "aac", "flac", "wav", "ogg"})
ACCEPTED_TYPES = (
    "video/mp4,video/quicktime,video/webm,audio/mpeg,audio/mp3,audio/mp4,audio/m4a,audio/x-m4a,"
    "audio/aac,audio/ogg,audio/opus,audio/webm,audio/flac,audio/x-flac,audio/wav,audio/x-wav,"
    "audio/vnd.wave"
)


class ClaimLost(Exception):
    """Another worker has claimed the clip or archive, or its owner has removed it."""


class Busy(Exception):
    """Too many clips are being converted. Try again later."""


@dataclass(frozen=True, slots=True)
class ClipUpload:
    """An upload whose size and first bytes are those of a clip. Equal uploads have equal digests."""

    file: IO[bytes] = field(repr=False)
    source_format: str
    digest: str
    size: int


class PlayedFile(FileResponse):
    block_size = 2**16


@dataclass(frozen=True, slots=True)
class ConvertedClip:
    """A converted clip and its poster, which audio lacks."""

    clip: Clip
    poster: DecodedUpload | None


def clip_format(*, upload: IO[bytes]) -> str:
    """Return ffmpeg's name of the format of a video or audio file, "" for other files."""
    return clip_formats.detect_format(file=upload) if settings.CLIPS_ENABLED else ""


def refuse_unknown_clip(*, upload: IO[bytes]) -> None:
    """Raise BadPicture if a file without a ``clip_format`` is a video or audio file, too."""
    if settings.CLIPS_ENABLED and clip_formats.is_like_clip(upload=upload):
        raise BadPicture(str(ffmpeg.ERRORS["unreadable"]))


def check_upload(*, owner: int, upload: IO[bytes], source_format: str) -> ClipUpload:
    """Check the size of a clip, without decoding it. Raises BadPicture.

    ``source_format``: the result of ``clip_format``.
    """
    clip = _measure(upload, source_format)
    waiting = Picture.objects.filter(owner=owner, state=Picture.State.PROCESSING)
    if waiting.exclude(post=Picture.DELETED_POST).count() >= MAX_WAITING:
        raise BadPicture(
            _("You already have %(count)d files in progress. Wait until they are ready.")
            % {"count": MAX_WAITING}
        )
    return clip


def _measure(upload: IO[bytes], source_format: str) -> ClipUpload:
    """Read the whole file. Raises BadPicture if it is larger than ``settings.CLIP_MAX_MB``."""
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
    return ClipUpload(upload, source_format, digest.hexdigest(), size)


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
        stored_bytes=upload.size,
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


def clip_response(
    *, request: HttpRequest, name: str, kind: str, with_hidden: bool = False
) -> HttpResponseBase:
    """Return the file to play, or the part that the request asks for. Raises Http404 if it is missing.

    ``with_hidden``: also return a hidden file, for moderators.
    """
    path = picture_files.clip_path(name=name)
    if with_hidden and not default_storage.exists(path):
        path = pictures.hidden_path(path=path)
    try:
        file = default_storage.open(path)
    except FileNotFoundError:
        raise Http404("No such file.") from None
    content_type = "video/mp4" if kind == Picture.Kind.VIDEO else "audio/mp4"
    return _file_response(request, file, file.size, content_type)


def _file_response(
    request: HttpRequest, file: IO[bytes], size: int, content_type: str
) -> HttpResponseBase:
    """Return a file of ``size`` bytes, or the part that the request asks for, which browsers do to seek.

    A request for several parts, or with ``If-Range``, gets the whole file.
    """
    match = _RANGE.fullmatch(request.headers.get("Range", "").replace(" ", ""))
    if match is None or match[1] == match[2] == "" or "If-Range" in request.headers:
        return PlayedFile(file, content_type=content_type, headers={"Accept-Ranges": "bytes"})
    if match[1]:
        start, end = int(match[1]), min(int(match[2] or size), size - 1)
    else:
        start, end = max(0, size - int(match[2])), size - 1
    if start > end:
        file.close()
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    return PlayedFile(
        SlicedFile(file, start, end),
        status=206,
        content_type=content_type,
        headers={
            "Accept-Ranges": "bytes",
            "Content-Range": f"bytes {start}-{end}/{size}",
            "Content-Length": str(end - start + 1),
        },
    )


def waiting_ids(*, limit: int) -> list[int]:
    """Return the ids of clips that a worker may convert now, those that wait longest first."""
    busy_owners = list(_converting().values_list("owner", flat=True))
    due = Picture.objects.filter(state=Picture.State.PROCESSING, due_at__lte=timezone.now())
    waiting = due.exclude(post=Picture.DELETED_POST).exclude(owner__in=busy_owners)
    return list(waiting.order_by("due_at").values_list("pk", flat=True)[:limit])


def is_converting() -> bool:
    """Return whether a worker converts a clip now. One command."""
    return bool(_converting().exists())


def _converting() -> QuerySet[Picture]:
    """Return the query for the clips that workers convert now."""
    return Picture.objects.filter(
        state=Picture.State.PROCESSING, due_at__gt=timezone.now(), attempts__gt=0
    )


def process(*, clip_id: int, heartbeat: Heartbeat = lambda: None) -> None:
    """Convert a clip. Do nothing if another worker does it, or if too many clips are being converted.

    ``heartbeat`` is called every few seconds, and may raise ClaimLost.
    """
    clip = _claim(clip_id)
    if clip is None:
        return
    try:
        _convert_stored(clip, heartbeat)
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
        if source_format in clip_formats.PADDED_FORMATS:
            source.seek(clip_formats.padding(file=source))
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
    *, owner: int, upload: IO[bytes], source_format: str, heartbeat: Heartbeat
) -> Picture:
    """Store a clip and convert it at once. Raises BadPicture, BadClip, Busy and ClaimLost."""
    clip = store_upload(owner=owner, upload=_measure(upload, source_format))
    process(clip_id=clip.pk, heartbeat=heartbeat)
    clip.refresh_from_db()
    if clip.state == Picture.State.FAILED:
        raise BadClip(clip.error)
    if clip.state == Picture.State.PROCESSING:
        Picture.objects.filter(pk=clip.pk).update(post=Picture.DELETED_POST)
        heartbeat()
        raise Busy(clip.pk)
    return clip


def store_converted(*, owner: int, name: str, source: IO[bytes], source_format: str) -> Picture:
    """Convert a file that the site has made, and store it. Raises BadClip."""
    with converted(
        name=name, source=source, source_format=source_format, heartbeat=lambda: None
    ) as result:
        clip = Picture.objects.create(owner=owner, name=name, **_facts(result))
        _store_files(name, result)
    return clip


def _has_room(clip: Picture) -> bool:
    others = _converting().exclude(pk=clip.pk)
    return others.count() < settings.CLIP_JOBS and not others.filter(owner=clip.owner).exists()


def _claim(clip_id: int) -> Picture | None:
    now = timezone.now()
    due = Picture.objects.filter(pk=clip_id, state=Picture.State.PROCESSING, due_at__lte=now)
    due = due.exclude(post=Picture.DELETED_POST)
    clip = due.first()
    if clip is None or not _has_room(clip):
        return None
    if clip.attempts >= MAX_ATTEMPTS:  # its workers died
        _fail(clip, "failed")
        return None
    until = now + timedelta(seconds=CLAIM_SECONDS)
    is_claimed = due.filter(attempts=clip.attempts).update(attempts=F("attempts") + 1, due_at=until)
    if not is_claimed:
        return None
    clip.attempts += 1
    if not _has_room(clip):  # another worker has claimed a clip at the same time
        _claimed(clip).update(attempts=F("attempts") - 1, due_at=now)
        return None
    return clip


def _claimed(clip: Picture) -> Any:
    """Return the query for the clip if this worker still has its claim."""
    own = Picture.objects.filter(pk=clip.pk, state=Picture.State.PROCESSING, attempts=clip.attempts)
    return own.exclude(post=Picture.DELETED_POST)


def _extend_claim(clip: Picture) -> None:
    """Raises ClaimLost."""
    until = timezone.now() + timedelta(seconds=CLAIM_SECONDS)
    if not _claimed(clip).update(due_at=until):
        raise ClaimLost(clip.pk)


def _convert_stored(clip: Picture, caller_heartbeat: Heartbeat) -> None:
    def heartbeat() -> None:
        _extend_claim(clip)
        caller_heartbeat()

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
        "stored_bytes": clip.path.stat().st_size
        + (result.poster.stored_bytes if result.poster else 0),
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
