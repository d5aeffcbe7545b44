"""Create short video and audio files with ffmpeg for tests."""

import json
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from feed import tasks
from feed.models import Picture
from tests.api.api_client import Api

SINE = ("-f", "lavfi", "-i", "sine=duration={seconds}")
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


def ready_clip(user, content: bytes, **sent) -> int:
    """Upload a clip and convert it. Return its id."""
    clip_id = int(upload(user, content, **sent).json()["id"])
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
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"made.{kind}"
        command = ("ffmpeg", "-v", "error", "-nostdin", "-threads", "1", *options, str(path))
        subprocess.run(command, check=True)
        return path.read_bytes()
