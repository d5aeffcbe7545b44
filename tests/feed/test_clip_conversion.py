"""The conversion of video and audio files by ffmpeg, and its limits."""

import io
import os
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import pytest
from django.db import connection

from feed import clip_files, clip_formats, ffmpeg, tasks
from feed.models import Picture
from tests.api.api_client import Api
from tests.clips import (
    ID3,
    PLACE,
    audio,
    convert_at_once,
    film,
    probe,
    rotated_video,
    upload,
    video,
)
from tests.feed.clip_helpers import PLAYLIST, make_due, streams, waiting_files
from tests.feed.picture_uploads import stored

let_others_go_first = ffmpeg._let_others_go_first
pytestmark = pytest.mark.usefixtures("no_pictures", "needs_ffmpeg", "asked", "at_once")


@pytest.fixture
def at_once():
    with convert_at_once():
        yield


@pytest.fixture
def understand(tmp_path):
    """Return a function that returns which streams of a file the site would convert."""

    def streams_of(content):
        source = tmp_path / "source"
        source.write_bytes(content)
        return ffmpeg._probe(
            source, clip_formats.detect_format(file=io.BytesIO(content)), tmp_path, lambda: None
        )

    return streams_of


@pytest.fixture
def convert(tmp_path):
    """Return a function that converts the content of a file."""

    def convert_content(content):
        source = tmp_path / "source"
        source.write_bytes(content)
        return ffmpeg.convert(
            source=source,
            source_format=clip_formats.detect_format(file=io.BytesIO(content)),
            folder=tmp_path,
            heartbeat=lambda: None,
        )

    return convert_content


def long_recording():
    """Return a file that is created in a moment, but whose conversion takes about a second."""
    return audio("wav", seconds=90)


def failure(user, response):
    """Convert the clip of an upload. Return the error of the API."""
    assert response.status_code == 202
    clip_id = response.json()["id"]
    tasks.process_clip(clip_id=int(clip_id))
    after = Api(user).get(f"media/{clip_id}")
    assert after.status_code == 422
    return after.json()["error"]


def test_audio_is_converted(convert):
    clip = convert(audio("mp3", "-metadata", "title=x"))
    assert (clip.kind, clip.poster, clip.width, clip.height) == ("audio", None, 0, 0)
    assert clip.duration == pytest.approx(0.5, abs=0.1)
    codecs = {
        kind: stream["codec_name"] for kind, stream in streams(clip.path.read_bytes()).items()
    }
    assert codecs == {"audio": "aac"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "options", "codec"),
    [
        ("m4a", (), "aac"),
        ("ogg", ("-c:a", "libopus"), "opus"),
        ("ogg", ("-c:a", "libvorbis"), "vorbis"),
        ("flac", (), "flac"),
        ("wav", (), "pcm_s16le"),
        ("wav", ("-rf64", "always"), "pcm_s16le"),
        ("aac", ("-f", "adts"), "aac"),
        ("aac", ("-f", "adts", "-write_id3v2", "1"), "aac"),
        ("webm", ("-c:a", "libopus"), "opus"),
    ],
)
def test_audio_of_all_kinds_is_understood(understand, kind, options, codec):
    streams_found = understand(audio(kind, *options))
    assert (streams_found.video, streams_found.audio["codec_name"]) == (None, codec)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "start"), [("mp3", ID3 * 2), ("aac", ID3), ("flac", ID3)])
def test_audio_may_begin_with_tags(understand, kind, start):
    assert understand(start + audio(kind)).audio["codec_name"] == kind


def with_cover(kind, cover, *options):
    """Return an audio file with a picture in a format of its own."""
    attached = (
        "-f",
        "lavfi",
        "-i",
        "color=red:size=64x64:duration=0.04",
        "-frames:v",
        "1",
        "-c:v",
        cover,
    )
    return audio(
        kind, *attached, "-map", "0", "-map", "1", "-disposition:v", "attached_pic", *options
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "cover"), [("mp3", "gif"), ("mp3", "mjpeg"), ("mp3", "tiff"), ("flac", "png")]
)
def test_the_cover_of_audio_may_have_any_format_and_is_no_video(understand, kind, cover):
    streams_found = understand(with_cover(kind, cover))
    assert streams_found.video is None
    assert streams_found.audio


@pytest.mark.slow
def test_audio_loses_its_cover(convert):
    clip = convert(with_cover("m4a", "bmp", "-f", "ipod"))
    assert (clip.kind, clip.poster, clip.width) == ("audio", None, 0)
    assert set(streams(clip.path.read_bytes())) == {"audio"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "subtitles", "attachments"),
    [("mkv", ["ass", "srt", "webvtt", "text"], 20), ("mp4", ["mov_text"], 0)],
)
def test_films_lose_subtitles_and_attachments(convert, kind, subtitles, attachments):
    content = film(kind, *subtitles, attachments=attachments)
    assert len(probe(content)["streams"]) == 2 + len(subtitles) + attachments
    clip = convert(content)
    assert set(streams(clip.path.read_bytes())) == {"video", "audio"}


RATES = {
    "quick start": ("lt(t,0.5)+not(mod(n,30))", 30),
    "slow start": ("gte(t,1.5)+not(mod(n,30))", 30),
    "too quick": ("lt(t,0.5)+not(mod(n,60))", 60),
}
"""Frames that stay, and the rate of all frames."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name"),
    [("webm", "too quick"), ("mp4", "quick start"), ("webm", "slow start")],
)
def test_a_video_with_a_variable_rate_keeps_its_motion(convert, kind, name):
    selection, rate = RATES[name]
    irregular = ("-vf", f"select='{selection}'", "-vsync", "vfr")
    live = ("-f", "webm", "-live", "1") if kind == "webm" else ()
    content = video(kind, *irregular, *live, seconds=2, rate=rate, has_sound=False)
    clip = convert(content)
    times = frame_times(clip.path)
    intervals = [later - earlier for earlier, later in pairwise(times)]
    assert sum(interval < 0.036 for interval in intervals) >= 12
    assert min(intervals) > 0.03
    assert 15 <= len(times) <= 20
    assert clip.duration == pytest.approx(times[-1], abs=0.1)


@pytest.mark.slow
def test_a_constant_rate_stays_constant(convert):
    clip = convert(video("mp4", rate=25, has_sound=False))
    assert clip.frame_rate == 25
    assert len(frame_times(clip.path)) == pytest.approx(12.5, abs=1)


def frame_times(path):
    entries = ("-select_streams", "v", "-show_entries", "frame=pts_time", "-of", "csv=p=0")
    listed = subprocess.run(
        ("ffprobe", "-v", "error", *entries, path), check=True, capture_output=True, text=True
    )
    return [float(line.strip(",")) for line in listed.stdout.split()]


SIZES = {
    "webm": (lambda: video("webm"), (64, 48)),
    "odd size and wide pixels": (
        lambda: video("mp4", "-pix_fmt", "yuv444p", "-aspect", "32:9", size="65x49"),
        (174, 48),
    ),
    "rotated": (rotated_video, (48, 64)),
}


@pytest.mark.slow
@pytest.mark.parametrize(("content", "size"), SIZES.values(), ids=SIZES)
def test_all_kinds_of_videos_play_everywhere(convert, content, size):
    clip = convert(content())
    assert (clip.kind, clip.width, clip.height) == ("video", *size)
    stream = streams(clip.path.read_bytes())["video"]
    assert (stream["width"], stream["height"]) == size
    assert (stream["codec_name"], stream["pix_fmt"]) == ("h264", "yuv420p")
    assert "rotate" not in stream.get("tags", {})


@pytest.mark.parametrize(
    ("uploaded", "size"),
    [
        ({"width": 65, "height": 49}, (64, 48)),
        ({"width": 1, "height": 1}, (2, 2)),
        ({"width": 64, "height": 48, "sample_aspect_ratio": "8:3"}, (170, 48)),
        ({"width": 64, "height": 48, "sample_aspect_ratio": "0:1"}, (64, 48)),
        ({"width": 1920, "height": 1080}, (1280, 720)),
        ({"width": 360, "height": 1440}, (320, 1280)),
        ({"width": 64, "height": 48, "side_data_list": [{"rotation": -90}]}, (48, 64)),
        ({"width": 64, "height": 48, "side_data_list": [{}, {"rotation": 180}]}, (64, 48)),
    ],
)
def test_videos_get_an_even_size_within_the_limits(uploaded, size):
    assert ffmpeg._output_size(uploaded) == size


def test_videos_lose_metadata_and_frames_above_thirty_in_a_second(convert):
    tagged = ("-metadata", f"location={PLACE}", "-metadata", "title=SecretTitle")
    original = video("mov", *tagged, rate=60)
    assert PLACE.encode() in original
    clip = convert(original)
    assert clip.frame_rate == 30
    assert len(frame_times(clip.path)) == pytest.approx(15, abs=1)
    content = clip.path.read_bytes()
    assert PLACE.encode() not in content
    assert b"Secret" not in content
    tags = probe(content)["format"]["tags"]
    assert tags.keys() <= {"major_brand", "minor_version", "compatible_brands"}


@pytest.mark.parametrize(
    "content",
    [
        lambda: video()[:600],
        lambda: b"\0\0\0\x18ftypisom" + b"\0" * 200,
        lambda: b"\0\0\0\x18ftypisom" + PLAYLIST,
        lambda: b"ID3" + PLAYLIST,
        lambda: b"\xff\xf1" + PLAYLIST,
        lambda: b"RF64\0\0\0\0WAVE" + PLAYLIST,
        lambda: b"\x1aE\xdf\xa3" + b"\xff" * 1000,
        lambda: b"OggS" + b"\0" * 1000,
        lambda: video("mp4", "-c:v", "mpeg2video"),
    ],
)
def test_broken_and_unsupported_files_are_refused(convert, content):
    with pytest.raises(ffmpeg.BadClip, match="unreadable"):
        convert(content())


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("too long", lambda: video(seconds=2)),
        # The length of a live recording is only known after its conversion.
        pytest.param(
            "too long",
            lambda: video("webm", "-f", "webm", "-live", "1", seconds=2.5),
            marks=pytest.mark.slow,
        ),
        ("3840 by 2160", lambda: video("mp4", "-c:v", "mjpeg", size="3840x2162", seconds=0.1)),
        pytest.param("120 in a second", lambda: video(rate=150), marks=pytest.mark.slow),
    ],
)
def test_limits_of_length_size_and_frames(convert, settings, message, content):
    settings.CLIP_MAX_SECONDS = 1
    with pytest.raises(ffmpeg.BadClip) as refused:
        convert(content())
    assert message in ffmpeg.ERRORS[refused.value.code]


def test_pixels_of_all_frames_are_limited_before_the_conversion(alice, monkeypatch):
    monkeypatch.setattr(ffmpeg, "MAX_DECODED_PIXELS", 64 * 48 * 4)
    monkeypatch.setattr(ffmpeg, "_output_options", None)  # nothing is converted
    assert "too long for its size" in failure(alice, upload(alice, video()))


@pytest.mark.slow
def test_the_processor_time_depends_on_the_declared_size(convert, monkeypatch):
    seconds = []
    monkeypatch.setattr(ffmpeg, "_limit_resources", lambda pid, value: seconds.append(value))
    monkeypatch.setattr(ffmpeg, "DECODED_PIXELS_PER_SECOND", 64 * 48)
    convert(video())
    assert ffmpeg.MIN_CPU_SECONDS + 5 in seconds  # half a second with ten frames a second


@pytest.mark.parametrize(("available", "used"), [({0, 1}, {1}), ({2, 5, 7}, {5, 7}), ({3}, {3})])
def test_a_conversion_leaves_a_processor_for_the_rest(monkeypatch, available, used):
    monkeypatch.setattr(ffmpeg.os, "sched_getaffinity", lambda pid: available)
    assert ffmpeg._processors() == used


def test_a_conversion_goes_after_other_programs(tmp_path, monkeypatch):
    monkeypatch.setattr(ffmpeg, "_let_others_go_first", let_others_go_first)
    folder = tmp_path / "clip"
    folder.mkdir()
    (folder / "script").write_text("sleep 0.3; nice; nproc\n")
    output = ffmpeg._run("sh", "script", folder=folder, seconds=9, heartbeat=lambda: None)
    niceness, processors = map(int, output.split())
    assert niceness == os.nice(0) + ffmpeg.NICENESS
    assert processors == len(ffmpeg._processors())


def test_ffmpeg_can_open_only_its_own_files(tmp_path):
    folder = tmp_path / "clip"
    folder.mkdir()
    for path in (folder / "own", tmp_path / "given", tmp_path / "private"):
        path.write_text(path.name)
    script = (
        "import sys; from feed import sandbox;"
        f"is_confined = sandbox.confine(folder={str(folder)!r}, files=[], program='cat');"
        "sys.exit(0 if is_confined else 3)"
    )
    if subprocess.run((sys.executable, "-c", script)).returncode == 3:
        pytest.skip("This kernel has no Landlock.")

    def read(*command):
        return ffmpeg._run(*command, folder=folder, seconds=9, heartbeat=lambda: None)

    assert read("cat", str(folder / "own")) == b"own"
    option = f"file:{tmp_path / 'given'}"
    assert read("sh", "-c", 'cat "${1#file:}"', "sh", option) == b"given"
    for command in (
        ("cat", str(tmp_path / "private")),
        ("cat", "/etc/passwd"),
        ("sh", "-c", f"echo x >{tmp_path}/new"),
    ):
        with pytest.raises(ffmpeg.BadClip):
            read(*command)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "options"),
    [("aac", ("-b:a", "192k")), ("mp3", ("-q:a", "2", "-write_xing", "0"))],
)
def test_a_quiet_start_does_not_make_audio_too_long(convert, settings, kind, options):
    # These files do not state their length, and silence takes few bytes.
    settings.CLIP_MAX_SECONDS = 6
    content = audio(
        kind,
        "-af",
        "aeval=random(0),aformat=channel_layouts=mono,volume=0:enable='lt(t,1.5)'",
        *options,
        seconds=4,
    )
    assert float(probe(content)["format"]["duration"]) > 7
    assert convert(content).duration == pytest.approx(4, abs=0.2)


def test_a_refused_file_has_a_message_and_is_deleted(alice):
    assert "not a supported video or audio file" in failure(alice, upload(alice, video()[:600]))
    assert (waiting_files(), stored()) == ([], [])


def test_a_file_that_takes_too_long_is_refused(alice, monkeypatch):
    monkeypatch.setattr(ffmpeg, "HEARTBEAT_SECONDS", 0.02)
    monkeypatch.setattr(ffmpeg, "CONVERSION_SECONDS", 0)
    assert "takes too long" in failure(alice, upload(alice, long_recording()))
    assert (waiting_files(), stored()) == ([], [])


def test_a_worker_that_lost_its_claim_stops_ffmpeg(alice, monkeypatch):
    monkeypatch.setattr(ffmpeg, "HEARTBEAT_SECONDS", 0.02)
    clip_id = int(upload(alice, long_recording()).json()["id"])
    claims, extend = [], clip_files._extend_claim

    def lose_claim(clip):
        claims.append(clip.attempts)
        Picture.objects.update(attempts=2)
        extend(clip)

    monkeypatch.setattr(clip_files, "_extend_claim", lose_claim)
    tasks.process_clip(clip_id=clip_id)
    assert Picture.objects.get().state == "processing"
    assert len(claims) == 1
    assert stored() == []


@pytest.mark.slow
def test_a_clip_is_converted_after_its_worker_process_was_killed(alice):
    content = video(size="640x360", seconds=2, rate=30)
    clip_id = int(upload(alice, content).json()["id"])
    database, name = connection.settings_dict["NAME"], Picture.objects.get().name
    folder = Path(tempfile.gettempdir()) / f"socialsite-clip-{database}-{name}"
    script = "import django; django.setup(); from feed import tasks; tasks.process_clip(clip_id={})"
    worker = subprocess.Popen(
        (sys.executable, "-c", script.format(clip_id)),
        env=os.environ
        | {
            "MONGODB_NAME": connection.settings_dict["NAME"],
            "DJANGO_SETTINGS_MODULE": "socialsite.settings",
        },
    )
    while worker.poll() is None and not (folder / "clip.mp4").exists():
        time.sleep(0.02)
    worker.kill()
    worker.wait()
    clip = Picture.objects.get()
    assert (clip.state, clip.attempts, folder.exists()) == ("processing", 1, True)
    make_due()
    tasks.process_clip(clip_id=clip_id)
    clip = Picture.objects.get()
    assert (clip.state, clip.attempts, folder.exists()) == ("ready", 2, False)
    assert clip.playback["duration"] == pytest.approx(2, abs=0.2)
    assert len(stored()) == 3
    assert waiting_files() == []
