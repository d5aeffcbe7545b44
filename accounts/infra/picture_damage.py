"""Read slightly damaged JPEG and PNG files, which browsers show, too.

Accepted are files that end too early if most of the picture is there, checksums that do not match, and
damaged parts that do not belong to the pixels, such as texts and Exif data.
"""

from collections.abc import Iterator

from PIL import Image, ImageFile

JPEG_START, PNG_START = b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"
READABLE_SHARE = 3 / 4
"""Share of the rows of a damaged picture that must be readable."""

_START_OF_SCAN, _END_OF_JPEG = b"\xff\xda", b"\xff\xd9"
_PNG_CHUNKS = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND")
_TRANSPARENCY = {b"\0": (2,), b"\2": (6,), b"\3": range(1, 257)}  # lengths by color type
_ADOBE_MARKER, _COMMENT_MARKER = 0xEE, 0xFE
_MIN_ADOBE_BYTES = 16


class TooDamaged(Exception):
    """Too much of a picture is missing."""


def is_picture(*, data: bytes) -> bool:
    """Return whether the first bytes are those of a picture that the site supports, damaged or not."""
    is_webp = data[:4] == b"RIFF" and data[8:12] == b"WEBP"
    return is_webp or data.startswith((JPEG_START, PNG_START, b"GIF87a", b"GIF89a"))


def as_browsers_read(*, data: bytes) -> bytes:
    """Return a JPEG with an end (its decoder adds grey pixels), or a PNG without chunks to ignore."""
    if data.startswith(PNG_START):
        return PNG_START + b"".join(chunk for _name, chunk in _chunks(data))
    return data + _END_OF_JPEG if data.startswith(JPEG_START) else data


def without_optional_parts(*, data: bytes) -> bytes:
    """Return a JPEG or PNG with only the parts that the pixels need. Other files are returned unchanged."""
    if data.startswith(PNG_START):
        return PNG_START + b"".join(chunk for name, chunk in _chunks(data) if name in _PNG_CHUNKS)
    return _essential_segments(data) if data.startswith(JPEG_START) else data


def load_pixels(*, picture: ImageFile.ImageFile, data: bytes) -> None:
    """Decode the first frame of a picture. Raises TooDamaged, and the exceptions of the decoder."""
    try:
        picture.load()
    except Exception:
        # An interlaced picture has pixels everywhere, but few of them.
        if picture.format != "PNG" or picture.info.get("interlace"):
            raise
        # Pillow has nothing left to decode, so the rows that it has read can be used.
        picture.tile = []
        _refuse_missing_rows(picture, {0})
    else:
        is_jpeg = data.startswith(JPEG_START)
        if is_jpeg and data.rfind(_END_OF_JPEG) < data.rfind(_START_OF_SCAN):
            _refuse_missing_rows(picture, {127, 128})


def _refuse_missing_rows(picture: Image.Image, fill_values: set[int]) -> None:
    """Raise TooDamaged if the last rows only have values that the decoder sets for missing pixels."""
    top = min(picture.height - 1, int(picture.height * READABLE_SHARE))
    last_rows = picture.crop((0, top, picture.width, picture.height))
    values = {value for band in last_rows.split() for value in band.getextrema()}
    if values <= fill_values:
        raise TooDamaged


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the names and contents of the chunks of a PNG, without those that browsers ignore."""
    lengths = {b"tRNS": _TRANSPARENCY.get(data[25:26], ()), b"acTL": (8,) * (b"fdAT" in data)}
    start = len(PNG_START)
    while start < len(data):
        length = int.from_bytes(data[start : start + 4])
        name, end = data[start + 4 : start + 8], start + 12 + length
        if length in lengths.get(name, (length,)):
            yield name, data[start:end]
        start = end


def _essential_segments(data: bytes) -> bytes:
    """Drop the comments and application segments in front of the first scan.

    The segment of Adobe stays, because it says how the colors are stored.
    """
    segments, start = [data[:2]], 2
    while data[start : start + 1] == b"\xff" and data[start : start + 2] != _START_OF_SCAN:
        end = start + 2 + int.from_bytes(data[start + 2 : start + 4])
        marker = data[start + 1]
        is_adobe = marker == _ADOBE_MARKER and end - start >= _MIN_ADOBE_BYTES
        if is_adobe or not (marker & 0xF0 == 0xE0 or marker == _COMMENT_MARKER):
            segments.append(data[start:end])
        start = end
    return b"".join(segments) + data[start:]
