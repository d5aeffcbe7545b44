"""Convert uploaded video and audio files with ffmpeg, and never trust them.

Every file is encoded again: no byte of an upload reaches a viewer, and no metadata such as a location is
kept. The content of a file decides its format, not its name (``clip_formats``), and ffmpeg may read it in
this format only. Playlists and other formats that read further files are not among the formats. The
processes of ffmpeg have no network protocols, a low priority, and limits on time, memory and the size of
their output. They can open only the file and the folder of the conversion (``sandbox``).
"""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SANDBOX = Path(__file__).with_name("sandbox.py")
ClipKind = Literal["video", "audio"]
Heartbeat = Callable[[], None]

MAX_MATRIX = 3840 * 2160
"""Maximum number of pixels of a frame of an upload. Larger ones are read only to name the error."""

MAX_FRAME_RATE = 120
MAX_DECODED_PIXELS = 40_000_000_000
"""Maximum number of pixels in all frames of an upload: five minutes of 1920 by 1080 pixels at 60 frames a
second have 37 billion."""

UNKNOWN_FRAME_RATE = 60
DECODED_PIXELS_PER_SECOND = 80_000_000
"""Decoding and encoding is faster than this on one core, so a file that needs more time has lied about its
size. ``MIN_CPU_SECONDS`` are added for audio and for the start."""

MIN_CPU_SECONDS = 120
LONG_SIDE, SHORT_SIDE = 1280, 720
"""The largest video that viewers get, in pixels, upright or not."""

OUTPUT_FRAME_RATE = 30
MAX_STREAMS = 64
"""Phones record up to eight: picture, sound and sensors. Films have subtitles and fonts."""

PROBE_SECONDS, POSTER_SECONDS = 30, 60
CONVERSION_SECONDS = 900
HEARTBEAT_SECONDS = 5.0
MAX_MEMORY_BYTES = 2 * 2**30
MAX_OUTPUT_BYTES = 256 * 2**20
THREADS = "2"
NICENESS = 10
POSTER_FRAMES = 60
"""The poster is the most typical of the first frames: often the first one is black."""

DECODERS = (
    "h264,hevc,vp8,libvpx,vp9,libvpx-vp9,av1,libdav1d,mpeg4,mjpeg,aac,mp3,mp3float,opus,libopus,vorbis,"
    "flac,alac,pcm_s16le,pcm_s24le,pcm_s32le,pcm_f32le,pcm_u8,pcm_s16be,pcm_s24be"
)
COVER_DECODERS = "png,gif,bmp,tiff,webp"
SUBTITLE_DECODERS = "ass,ssa,subrip,srt,webvtt,mov_text,text,dvdsub,dvbsub,pgssub,xsub,cc_dec"
"""ffprobe opens a decoder for each stream and fails if it may not. It sends no data to these."""

LIMIT_FRAME_RATE = (
    f"select='if(gte(t+0.002,ld(0)),gt(st(0,max(ld(0)+1/{OUTPUT_FRAME_RATE},"
    f"t+0.5/{OUTPUT_FRAME_RATE})),-1),0)'"
)
"""A filter that drops frames above the rate and leaves the others at their times, regular or not.

Variable 0 is the time of the next frame. Some formats round times to milliseconds."""

_ESTIMATED_FORMATS = frozenset({"mp3", "aac"})
"""Formats that may not state a duration: that of ffprobe is an estimate from the first seconds."""

_INTERRUPTIONS = frozenset({255, -2, -9, -15})
"""Exit codes of an ffmpeg that was stopped from outside."""

ERRORS: dict[str, str | Promise] = {
    "unreadable": _(
        "This is not a supported video or audio file, or it is damaged. Use MP4, WebM, MOV, MP3, "
        "M4A, AAC, Ogg, FLAC or WAV."
    ),
    "too_long": _("This file is too long. Upload a shorter one."),
    "too_many_pixels": _("This video is too large. The limit is 3840 by 2160 pixels."),
    "too_many_frames": _("This video has too many frames. The limit is 120 in a second."),
    "too_much_video": _(
        "This video is too long for its size and frame rate. Upload a shorter or smaller one."
    ),
    "too_slow": _("Processing this file takes too long. Upload a shorter or smaller one."),
    "failed": _("This file could not be processed. Try again later."),
}
"""Why a file was refused, by the code in ``BadClip`` and ``Picture.error``."""


class BadClip(Exception):
    """The site does not accept a file as video or audio. ``code`` is a key of ``ERRORS``."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Interrupted(Exception):
    """Another process stopped ffmpeg, so the file may be fine."""


@dataclass(frozen=True, slots=True)
class Clip:
    """A converted file. ``poster`` is a PNG of a frame. Audio has none, and its width and height are 0."""

    kind: ClipKind
    path: Path
    poster: Path | None
    width: int
    height: int
    duration: float
    frame_rate: float
    bitrate: int


@dataclass(frozen=True, slots=True)
class _Streams:
    """What ffprobe found: the first video and audio stream, and the duration in seconds if it is stated."""

    video: dict[str, Any] | None
    audio: dict[str, Any] | None
    duration: float
    bitrate: int


def convert(*, source: Path, source_format: str, folder: Path, heartbeat: Heartbeat) -> Clip:
    """Convert a file to MP4 that all browsers play: H.264 with AAC, or only AAC.

    Raises BadClip, and Interrupted. ``heartbeat`` is called every few seconds and may raise an exception.

    Args:
        source_format: result of ``clip_formats.detect_format``.
        folder: an empty folder for the results.
    """
    uploaded = _probe(source, source_format, folder, heartbeat)
    _refuse_too_large(uploaded)
    converted = folder / "clip.mp4"
    limit = settings.CLIP_MAX_SECONDS
    _run(
        *("ffmpeg", "-nostdin", "-y", "-v", "error", "-filter_threads", "1"),
        *_input_options(source, source_format),
        *_output_options(uploaded),
        *("-t", str(limit + 1), "-map_metadata", "-1", "-map_chapters", "-1"),
        *("-fflags", "+bitexact", "-movflags", "+faststart", "-f", "mp4", f"file:{converted}"),
        folder=folder,
        seconds=CONVERSION_SECONDS,
        cpu_seconds=MIN_CPU_SECONDS + _decoded_pixels(uploaded) // DECODED_PIXELS_PER_SECOND,
        heartbeat=heartbeat,
    )
    result = _probe(converted, "mov", folder, heartbeat)
    if result.duration > limit + 0.5:
        raise BadClip("too_long")
    video = result.video
    return Clip(
        kind="video" if video else "audio",
        path=converted,
        poster=_poster(converted, folder, heartbeat) if video else None,
        width=video["width"] if video else 0,
        height=video["height"] if video else 0,
        duration=round(result.duration, 3),
        # The last frame of a short video can make its average too high.
        frame_rate=round(min(OUTPUT_FRAME_RATE, float(_rate(video))), 3) if video else 0.0,
        bitrate=result.bitrate,
    )


def _refuse_too_large(uploaded: _Streams) -> None:
    if uploaded.duration > settings.CLIP_MAX_SECONDS + 0.5:
        raise BadClip("too_long")
    if uploaded.video:
        width, height = uploaded.video.get("width", 0), uploaded.video.get("height", 0)
        if width < 1 or height < 1:
            raise BadClip("unreadable")
        if width * height > MAX_MATRIX:
            raise BadClip("too_many_pixels")
        if _rate(uploaded.video) > MAX_FRAME_RATE:
            raise BadClip("too_many_frames")
    if _decoded_pixels(uploaded) > MAX_DECODED_PIXELS:
        raise BadClip("too_much_video")


def _decoded_pixels(uploaded: _Streams) -> int:
    """Return the number of pixels in all frames, as the file declares them. 0 for audio."""
    if uploaded.video is None:
        return 0
    seconds = uploaded.duration or settings.CLIP_MAX_SECONDS
    frames = Fraction(seconds) * (_rate(uploaded.video) or UNKNOWN_FRAME_RATE)
    return int(frames * uploaded.video["width"] * uploaded.video["height"])


def _probe(path: Path, source_format: str, folder: Path, heartbeat: Heartbeat) -> _Streams:
    entries = (
        "format=duration,bit_rate:stream=index,codec_type,codec_name,width,height,avg_frame_rate,"
        "sample_aspect_ratio,channels:stream_disposition=attached_pic:stream_side_data=rotation"
    )
    output = _run(
        *("ffprobe", "-v", "error", *_input_options(path, source_format, 8 * MAX_MATRIX)),
        *("-codec_whitelist:v", f"{DECODERS},{COVER_DECODERS}"),
        *("-codec_whitelist:s", SUBTITLE_DECODERS, "-codec_whitelist:t", SUBTITLE_DECODERS),
        *("-show_entries", entries, "-of", "json"),
        folder=folder,
        seconds=PROBE_SECONDS,
        heartbeat=heartbeat,
    )
    try:
        data = json.loads(output)
    except ValueError:
        raise BadClip("unreadable") from None
    streams = [stream for stream in data.get("streams", ()) if stream.get("codec_name")]
    video = [
        stream
        for stream in streams
        if stream.get("codec_type") == "video"
        # The cover of a record is no video.
        and not stream.get("disposition", {}).get("attached_pic")
    ]
    audio = [stream for stream in streams if stream.get("codec_type") == "audio"]
    if not (video or audio):
        raise BadClip("unreadable")
    is_estimate = source_format in _ESTIMATED_FORMATS
    duration = None if is_estimate else data.get("format", {}).get("duration")
    bitrate = data.get("format", {}).get("bit_rate")
    return _Streams(
        video=video[0] if video else None,
        audio=audio[0] if audio else None,
        duration=float(duration or 0),
        bitrate=int(bitrate or 0),
    )


def _input_options(path: Path, source_format: str, max_pixels: int = MAX_MATRIX) -> tuple[str, ...]:
    return (
        *("-f", source_format, "-protocol_whitelist", "file", "-codec_whitelist", DECODERS),
        *("-max_streams", str(MAX_STREAMS), "-max_pixels", str(max_pixels), "-threads", THREADS),
        *("-i", f"file:{path}"),
    )


def _output_options(uploaded: _Streams) -> tuple[str, ...]:
    options: list[str] = []
    if uploaded.video:
        width, height = _output_size(uploaded.video)
        filters = f"{LIMIT_FRAME_RATE},scale={width}:{height},setsar=1,format=yuv420p"
        options += ("-map", f"0:{uploaded.video['index']}", "-vf", filters)
        options += ("-vsync", "vfr", "-enc_time_base", "1/90000")
        options += ("-c:v", "libx264", "-preset", "veryfast", "-crf", "24", "-profile:v", "high")
        options += ("-maxrate", "3M", "-bufsize", "6M", "-flags:v", "+bitexact")
        options += ("-threads:v", THREADS)
    if uploaded.audio:
        channels = min(2, max(1, uploaded.audio.get("channels", 1)))
        options += ("-map", f"0:{uploaded.audio['index']}", "-c:a", "aac", "-b:a", "128k")
        options += ("-ac", str(channels), "-ar", "48000", "-flags:a", "+bitexact")
    return tuple(options)


def _output_size(video: dict[str, Any]) -> tuple[int, int]:
    """Return the even width and height of the upright video, with square pixels."""
    width, height = Fraction(video["width"]), Fraction(video["height"])
    shape = _fraction(str(video.get("sample_aspect_ratio", "1:1")).replace(":", "/"))
    if Fraction(1, 4) <= shape <= 4:
        width *= shape
    rotations = (data.get("rotation", 0) for data in video.get("side_data_list", ()))
    if any(int(rotation) % 180 for rotation in rotations):
        width, height = height, width
    scale = min(
        Fraction(1),
        LONG_SIDE / max(width, height),
        SHORT_SIDE / min(width, height),
    )
    return max(2, round(width * scale / 2) * 2), max(2, round(height * scale / 2) * 2)


def _rate(video: dict[str, Any]) -> Fraction:
    return _fraction(str(video.get("avg_frame_rate", "")))


def _fraction(text: str) -> Fraction:
    """Return the number, 0 if it is unknown."""
    try:
        return max(Fraction(0), Fraction(text))
    except (ValueError, ZeroDivisionError):
        return Fraction(0)


def _poster(clip: Path, folder: Path, heartbeat: Heartbeat) -> Path:
    poster = folder / "poster.png"
    _run(
        *("ffmpeg", "-nostdin", "-y", "-v", "error", *_input_options(clip, "mov")),
        *("-vf", f"thumbnail={POSTER_FRAMES}", "-frames:v", "1", "-f", "image2", "-update", "1"),
        *("-c:v", "png", f"file:{poster}"),
        folder=folder,
        seconds=POSTER_SECONDS,
        heartbeat=heartbeat,
    )
    return poster


def _run(
    *command: str, folder: Path, seconds: int, heartbeat: Heartbeat, cpu_seconds: int | None = None
) -> bytes:
    """Run a command, which may open only its own files. Return its output. Raises BadClip, and Interrupted.

    ``cpu_seconds``: limit of the time that processors spend, by default that of ``seconds``.
    """
    deadline = time.monotonic() + seconds
    output = folder / "output"
    files = (option.removeprefix("file:") for option in command if option.startswith("file:"))
    sandbox = (sys.executable, "-I", "-S", str(SANDBOX), str(folder), *files, "--")
    with output.open("wb") as file:
        process = subprocess.Popen(  # noqa: S603 - no shell, and no argument is from a user
            (*sandbox, *command),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            # Otherwise each thread reserves address space, which counts as memory.
            env={"PATH": os.environ.get("PATH", ""), "MALLOC_ARENA_MAX": "2"},
        )
    try:
        _let_others_go_first(process.pid)
        _limit_resources(process.pid, cpu_seconds or seconds * int(THREADS))
        while True:
            try:
                code = process.wait(timeout=HEARTBEAT_SECONDS)
                break
            except subprocess.TimeoutExpired:
                if time.monotonic() > deadline:
                    raise BadClip("too_slow") from None
                heartbeat()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    if code == -signal.SIGXCPU:
        raise BadClip("too_slow")
    if code in _INTERRUPTIONS:
        raise Interrupted(f"{command[0]} ended with {code}")
    if code:
        raise BadClip("unreadable")
    return output.read_bytes()


def _let_others_go_first(pid: int) -> None:
    with suppress(OSError):  # a container may forbid it
        os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)
        os.sched_setaffinity(pid, _processors())


def _limit_resources(pid: int, cpu_seconds: int) -> None:
    limits = {
        resource.RLIMIT_AS: MAX_MEMORY_BYTES,
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_FSIZE: MAX_OUTPUT_BYTES,
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_CORE: 0,
    }
    try:
        for limit, value in limits.items():
            # The process gets SIGXCPU at the first of the two limits.
            hard = value + 5 if limit == resource.RLIMIT_CPU else value
            resource.prlimit(pid, limit, (value, hard))
    except ProcessLookupError:
        return  # the process has already ended


def _processors() -> set[int]:
    """Return the processors for clips: all but one, so that the other programs always have one."""
    available = sorted(os.sched_getaffinity(0))
    return set(available[1:] or available)
