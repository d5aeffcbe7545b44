"""Create short video and audio files with ffmpeg for tests.

All processes of a test run share the files, and the conversions of ``remember_conversions``.
"""

import hashlib
import json
import os
import pickle
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile

from feed import ffmpeg, tasks
from feed.models import Picture
from tests.api.api_client import Api

SHARED = Path(os.environ["TEST_FOLDER"]) / "clips"
SINE = ("-f", "lavfi", "-i", "sine=duration={seconds}")
ID3 = b"ID3\4\0\0\0\0\2\0" + b"\xff" * 256
"""Tags in front of audio."""

PLACE = "+52.5200+013.4050/"


def require_ffmpeg() -> None:
    """Skip the test without ffmpeg, or fail it where ``SOCIALSITE_REQUIRE_FFMPEG`` is 1."""
    if shutil.which("ffmpeg") and shutil.which("ffprobe"):
        return
    if os.environ.get("SOCIALSITE_REQUIRE_FFMPEG") == "1":
        pytest.fail("ffmpeg is not installed")
    pytest.skip("ffmpeg is not installed")


@cache
def video(
    kind: str = "mp4",
    *options: str,
    size: str = "64x48",
    seconds: float = 0.5,
    rate: int = 10,
    has_sound: bool = True,
) -> bytes:
    """Return a video file. ``kind`` is the ending of its name."""
    picture = ("-f", "lavfi", "-i", f"testsrc=size={size}:rate={rate}:duration={seconds}")
    sound = _sine(seconds) if has_sound else ()
    codec = ("-c:v", "libvpx", "-deadline", "realtime") if kind == "webm" else ()
    return _made(kind, *picture, *sound, *codec, "-pix_fmt", "yuv420p", *options)


@cache
def audio(kind: str = "mp3", *options: str, seconds: float = 0.5) -> bytes:
    return _made(kind, *_sine(seconds), *options)


@cache
def film(kind: str, *subtitles: str, attachments: int = 0) -> bytes:
    """Return a video with subtitles in these formats. The attached files are fonts and, last, a text."""
    with tempfile.TemporaryDirectory() as folder:
        plain, lines = Path(folder) / "plain.mp4", Path(folder) / "lines.srt"
        plain.write_bytes(video())
        lines.write_text("1\n00:00:00,000 --> 00:00:00,400\nHello\n")
        options = ["-i", str(plain), "-i", str(lines), "-c", "copy", "-map", "0"]
        for number, codec in enumerate(subtitles):
            options += ["-map", "1", f"-c:s:{number}", codec]
        for number in range(attachments):
            file_type = "text/plain" if number == attachments - 1 else "font/ttf"
            options += ["-attach", str(lines), f"-metadata:s:t:{number}", f"mimetype={file_type}"]
        return _made(kind, *options)


@cache
def rotated_video() -> bytes:
    """Return a video that is stored lying, with the note that it is to be turned by 90 degrees."""
    with tempfile.TemporaryDirectory() as folder:
        lying = Path(folder) / "lying.mp4"
        lying.write_bytes(video())
        return _made("mov", "-i", str(lying), "-c", "copy", "-metadata:s:v", "rotate=90")


def probe(content: bytes) -> dict:
    """Return what ffprobe knows of a file, with all metadata."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        options = ("-v", "error", "-show_format", "-show_streams", "-of", "json", file.name)
        return json.loads(
            subprocess.run(("ffprobe", *options), check=True, capture_output=True).stdout
        )


def upload(user, content: bytes, name: str = "clip.mp4", **sent) -> dict:
    """Upload a file with an app. Return the response."""
    file = SimpleUploadedFile(name, content)
    return Api(user).form("/api/v2/media", {"file": file, **sent})


@contextmanager
def remember_conversions():
    """Convert each file once in a test run, without giving way to other programs.

    Later conversions in such a block get the same result.
    """
    convert = ffmpeg.convert

    def convert_once(*, source, source_format, folder, heartbeat):
        limits = (source_format, settings.CLIP_MAX_SECONDS)
        known = _shared_folder() / _digest(source.read_bytes(), *limits)
        if not known.exists():
            folder = Path(tempfile.mkdtemp(dir=SHARED))
            clip = convert(
                source=source, source_format=source_format, folder=folder, heartbeat=heartbeat
            )
            result = folder / "clip"
            result.write_bytes(pickle.dumps(clip))
            result.rename(known)
        return pickle.loads(known.read_bytes())  # noqa: S301 - this test run has written it

    with convert_at_once(), patch.object(ffmpeg, "convert", convert_once):
        yield


def convert_at_once():
    """Let conversions use as much of the machine as the tests. Returns a context manager."""
    return patch.object(ffmpeg, "_let_others_go_first")


def ready_clip(user, content: bytes, **sent) -> int:
    """Upload a clip and let ``remember_conversions`` convert it. Return its id."""
    clip_id = int(upload(user, content, **sent).json()["id"])
    with remember_conversions():
        tasks.process_clip(clip_id=clip_id)
    assert Picture.objects.get(pk=clip_id).state == "ready"
    return clip_id


def published_clip(user, content: bytes, *, alt: str = "A test card", **sent) -> dict:
    """Upload, convert and publish a clip with an app. Return the status."""
    media_ids = [str(ready_clip(user, content, description=alt))]
    return Api(user).post("statuses", **{"status": "Watch", "media_ids": media_ids, **sent}).json()


def _sine(seconds: float) -> tuple[str, ...]:
    return tuple(option.format(seconds=seconds) for option in SINE)


def _made(kind: str, *options: str) -> bytes:
    require_ffmpeg()
    stored_file = _shared_folder() / f"{_digest(kind, *options)}.{kind}"
    if not stored_file.exists():
        with tempfile.TemporaryDirectory(dir=SHARED) as folder:
            path = Path(folder) / stored_file.name
            command = ("ffmpeg", "-v", "error", "-nostdin", "-threads", "1", *options, str(path))
            subprocess.run(command, check=True)
            path.rename(stored_file)
    return stored_file.read_bytes()


def _digest(*values: object) -> str:
    return hashlib.sha256(repr(values).encode()).hexdigest()


def _shared_folder() -> Path:
    SHARED.mkdir(exist_ok=True)
    return SHARED
