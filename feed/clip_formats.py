"""Recognize video and audio files by their content, not by their names."""

import mimetypes
from typing import IO, Any

from accounts.infra.picture_damage import is_picture

MAX_PADDING_BYTES = 64 * 1024
PADDED_FORMATS = frozenset({"mp3", "aac", "flac"})
"""Formats that may begin with zeros or with tags (ID3). Only these can begin anywhere in a file."""

_HEAD_BYTES = 256
_MAX_TAGS = 4
_IMAGE_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1", b"avif", b"avis"})
_MOV_ATOMS = frozenset({b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip"})
_WAVE_STARTS = frozenset({b"RIFF", b"RIFX", b"RF64", b"BW64"})
_STARTS = (
    (b"\x1aE\xdf\xa3", "matroska"),
    (b"OggS", "ogg"),
    (b"fLaC", "flac"),
    (b"ID3", "mp3"),
)
_UNSUPPORTED_STARTS = (
    b"FLV",
    b"\x30\x26\xb2\x75",  # WMV, WMA
    b"\0\0\x01\xba",  # MPEG
    b"\0\0\x01\xb3",
    b"#!AMR",
    b".RMF",
    b".snd",
    b"MAC ",
    b"MThd",
    b"caff",
    b"wvpk",
)
_TRANSPORT_PACKET_BYTES = 188


def detect_format(*, file: IO[bytes]) -> str:
    """Return ffmpeg's name of the format of a file, "" if it is no clip. Leaves the file at its start."""
    start, source_format = 0, _format_at(file, 0)
    if not source_format:
        start = padding(file=file)
        source_format = _format_at(file, start)
        source_format = source_format if source_format in PADDED_FORMATS else ""
    if source_format == "mp3":
        tagged_format = _format_at(file, _end_of_tags(file, start))
        source_format = tagged_format if tagged_format in PADDED_FORMATS else "mp3"
    file.seek(0)
    return source_format


def padding(*, file: IO[bytes]) -> int:
    """Return the number of zeros at the start of a file, which some programs write in front of audio."""
    file.seek(0)
    start = file.read(MAX_PADDING_BYTES)
    return len(start) - len(start.lstrip(b"\0"))


def is_like_clip(*, upload: Any) -> bool:
    """Return whether a file that is neither a supported clip nor a picture is some video or audio file.

    ``upload``: may have a name and a type, which its sender chose.
    """
    head = _head(upload, 0)
    upload.seek(0)
    if is_picture(data=head):
        return False
    types = (
        getattr(upload, "content_type", None),
        mimetypes.guess_type(getattr(upload, "name", None) or "")[0],
    )
    return (
        any((content_type or "").startswith(("video/", "audio/")) for content_type in types)
        or head.startswith(_UNSUPPORTED_STARTS)
        or (head[:4] == b"RIFF" and head[8:12] == b"AVI ")
        or (head[:4] == b"FORM" and head[8:11] == b"AIF")
        or head[::_TRANSPORT_PACKET_BYTES] == b"GG"
    )


def _head(file: IO[bytes], start: int) -> bytes:
    file.seek(start)
    return file.read(_HEAD_BYTES)


def _format_at(file: IO[bytes], start: int) -> str:
    head = _head(file, start)
    if head[4:8] in _MOV_ATOMS and not (head[4:8] == b"ftyp" and head[8:12] in _IMAGE_BRANDS):
        return "mov"
    for name_start, name in _STARTS:
        if head.startswith(name_start):
            return name
    if head[:4] in _WAVE_STARTS and head[8:12] == b"WAVE":
        return "wav"
    if len(head) < 2 or head[0] != 0xFF:
        return ""
    if head[1] & 0xF6 == 0xF0:
        return "aac"
    return "mp3" if head[1] & 0xE0 == 0xE0 and head[1] & 0x06 else ""


def _end_of_tags(file: IO[bytes], start: int) -> int:
    for _ in range(_MAX_TAGS):
        head = _head(file, start)
        if head[:3] != b"ID3" or len(head) < 10:
            break
        has_footer = bool(head[5] & 0x10)
        start += 20 if has_footer else 10
        start += sum((byte & 0x7F) << 7 * place for place, byte in enumerate(reversed(head[6:10])))
    return start
