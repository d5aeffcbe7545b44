"""A short video and a short audio file for posts of the demo, made and converted with ffmpeg.

The video is a slow pan across a landscape, and the audio file is a tune. Without
ffmpeg, a demo has no posts with clips.
"""

import hashlib
import io
import logging
import math
import shutil
import subprocess
import tempfile
import wave
from array import array
from pathlib import Path

from django.conf import settings
from PIL import Image

from feed import clip_files
from feed.ffmpeg import BadClip
from feed.models import Picture

from .motifs import DESCRIPTIONS, PANORAMA, read_picture
from .planned_posts import PlannedPost

logger = logging.getLogger(__name__)

VIDEO_SIZE, VIDEO_SECONDS, FRAME_RATE = (480, 270), 4, 12
PANORAMA_WIDTH = 864
SAMPLE_RATE, NOTE_SECONDS, ECHO_SECONDS = 16_000, 0.4, 0.8
TUNE = (196.0, 246.94, 293.66, 392.0, 293.66, 246.94, 220.0, 196.0)
"""The frequencies of the notes, in hertz."""

TUNE_DESCRIPTION = "Eight notes on a plucked string, up and down again."


def can_make_clips() -> bool:
    """Return whether ffmpeg is installed and the site accepts clips."""
    return settings.CLIPS_ENABLED and all(map(shutil.which, ("ffmpeg", "ffprobe")))


def store_clip(*, post: PlannedPost, owner: int, seed: int) -> list[Picture]:
    """Make and store the clip of a post. Return its record. Safe to repeat.

    If ffmpeg cannot make the clip, for example because it has no encoder for it, return an empty list.
    """
    name = hashlib.sha256(f"{seed}:{post.id}:clip".encode()).hexdigest()[:32]
    Picture.objects.filter(name=name).delete()  # of an interrupted attempt
    try:
        content, source_format, alt = _pan_video() if post.clip == "video" else _play_tune()
        clip = clip_files.store_converted(
            owner=owner, name=name, source=io.BytesIO(content), source_format=source_format
        )
    except (BadClip, subprocess.CalledProcessError):
        logger.warning("ffmpeg could not make the %s of the demo", post.clip)
        return []
    clip.post, clip.alt, clip.created_at = post.id, alt, post.published_at
    clip.save(update_fields=["post", "alt", "created_at"])
    return [clip]


def _pan_video() -> tuple[bytes, str, str]:
    """Return a silent video, its format and its description."""
    (width, height), way = VIDEO_SIZE, PANORAMA_WIDTH - VIDEO_SIZE[0]
    pan = f"crop={width}:{height}:'{way}*t/{VIDEO_SECONDS}':0"
    with tempfile.TemporaryDirectory() as folder:
        panorama, video = Path(folder, "panorama.png"), Path(folder, "video.mov")
        Image.open(io.BytesIO(read_picture(name=PANORAMA))).save(panorama)
        command = (
            *("ffmpeg", "-nostdin", "-v", "error", "-framerate", f"{FRAME_RATE}", "-loop", "1"),
            *("-t", f"{VIDEO_SECONDS}", "-i", str(panorama), "-vf", pan, "-c:v", "mjpeg"),
            *("-q:v", "2", str(video)),
        )
        subprocess.run(command, check=True)  # noqa: S603 - no shell, and no argument is from a user
        return (
            video.read_bytes(),
            "mov",
            f"The camera moves from left to right. {DESCRIPTIONS[PANORAMA]}",
        )


def _play_tune() -> tuple[bytes, str, str]:
    """Return an audio file, its format and its description."""
    sound = [0.0] * int((len(TUNE) * NOTE_SECONDS + ECHO_SECONDS) * SAMPLE_RATE)
    for number, frequency in enumerate(TUNE):
        start = int(number * NOTE_SECONDS * SAMPLE_RATE)
        for position in range(int((NOTE_SECONDS + ECHO_SECONDS) * SAMPLE_RATE)):
            seconds = position / SAMPLE_RATE
            angle = 2 * math.pi * frequency * seconds
            tone = math.sin(angle) + math.sin(2 * angle) / 2 + math.sin(3 * angle) / 4
            # Each note starts within five milliseconds, without a click, and fades away.
            volume = min(1.0, seconds / 0.005) * math.exp(-5 * seconds)
            sound[start + position] += 9000 * tone * volume
    file = io.BytesIO()
    with wave.open(file, "wb") as audio:
        audio.setnchannels(1)
        audio.setsampwidth(2)
        audio.setframerate(SAMPLE_RATE)
        audio.writeframes(array("h", map(int, sound)).tobytes())
    return file.getvalue(), "wav", TUNE_DESCRIPTION
