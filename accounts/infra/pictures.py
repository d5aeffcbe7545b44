"""Decode, sanitize and store uploaded pictures: avatars here, pictures of posts in ``feed``.

The content of an upload decides its format, not its name. The picture is decoded, turned upright, converted
to sRGB (``picture_colors``) and encoded as WebP. This drops all other data in the file (EXIF locations,
trailing archives, scripts). The declared size is checked first, so that a huge picture cannot use up memory
or time. Slightly damaged files are repaired (``picture_damage``).
"""

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import IO

from django.core.files.storage import default_storage
from django.http import FileResponse, Http404
from django.utils.translation import gettext as _
from PIL import Image, ImageFile, ImageOps

from accounts.infra.picture_colors import to_srgb
from accounts.infra.picture_damage import (
    as_browsers_read,
    is_picture,
    load_pixels,
    without_optional_parts,
)
from accounts.infra.refusals import Refused, TryLater

MAX_BYTES = 10 * 1024 * 1024
MAX_PIXELS = 33_000_000
MAX_SCANNED_PIXELS = 20 * MAX_PIXELS
"""Maximum product of a JPEG's pixels and its scans, which are passes over the picture. Cameras write about
ten scans. A scan of a few bytes can take as long to decode as the whole picture."""

MAX_FRAMES = 300
MAX_ANIMATED_PIXELS = 150_000_000
"""Maximum number of pixels in all frames of an animation."""

MAX_ANIMATION_SECONDS = 60
MAX_FRAME_MILLISECONDS = 10_000
DEFAULT_FRAME_MILLISECONDS = 100
"""How long browsers show a frame with a very short duration. ``MIN_FRAME_MILLISECONDS`` is the shortest."""

MIN_FRAME_MILLISECONDS = 20
MAX_DECODING_SECONDS = 10.0
"""How long decoding an animation may take before the upload is refused."""

FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
ANIMATED_FORMATS = ("PNG", "WEBP", "GIF")
ACCEPTED_TYPES = "image/jpeg,image/png,image/webp,image/gif"

Image.MAX_IMAGE_PIXELS = MAX_PIXELS
"""Pillow warns above this limit and raises an error above twice the limit. Some of Pillow's readers
allocate memory when a file is opened, so this limit protects earlier than our own check. Our own check has
a clear message."""

DECODER_WAIT_SECONDS = 5.0
"""How long a request waits for the decoder before it is refused. The waiting request occupies a thread."""

RETRY_AFTER_SECONDS = 10

_decoder = Lock()


class BadPicture(Refused):
    """The site does not accept the upload as a picture. The message is for the user."""


@contextmanager
def exclusive_decoder(*, should_wait: bool = False) -> Iterator[None]:
    """Allow only one thread of the process to decode. Raises TryLater after ``DECODER_WAIT_SECONDS``.

    Decoding and scaling 33 million pixels takes 500 MB of memory for WebP, and 220 MB for JPEG and PNG.

    Args:
        should_wait: wait without a limit. Only for work outside of requests.
    """
    if not _decoder.acquire(timeout=-1 if should_wait else DECODER_WAIT_SECONDS):
        raise TryLater(
            _("Too many pictures are being uploaded right now. Try again in a few seconds."),
            retry_after=RETRY_AFTER_SECONDS,
        )
    try:
        yield
    finally:
        _decoder.release()


def decode_picture(*, upload: IO[bytes], min_side: int | None = None) -> Image.Image:
    """Return the upright picture in RGB or RGBA. Raises BadPicture if the upload is not accepted.

    For an animation, returns the first frame: ``decode_animation`` returns all frames. To save memory, a
    large JPEG may be decoded at a smaller size, with both sides at least ``min_side``.
    """
    data = _read(upload)
    with _decoding_errors(data):
        picture = _open(data)
        _refuse_too_many_scans(picture, data)
        if min_side is not None:
            picture.draft("RGB", (min_side, min_side))
        load_pixels(picture=picture, data=data)
        picture.seek(_start_animation(picture))
        with suppress(Exception):  # damaged Exif data have no effect
            ImageOps.exif_transpose(picture, in_place=True)
        return to_srgb(picture=picture)


def _open(data: bytes) -> ImageFile.ImageFile:
    """Open a picture without decoding it, if necessary without its damaged optional parts."""
    data = as_browsers_read(data=data)
    try:
        picture = Image.open(io.BytesIO(data), formats=FORMATS)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise
    except Exception:
        picture = Image.open(io.BytesIO(without_optional_parts(data=data)), formats=FORMATS)
    _refuse_too_many_pixels(picture)
    if picture.format == "PNG":
        # Pillow reduces the pixels to eight bits, but not the transparent color.
        depth, color = data[24], picture.info.get("transparency")
        if isinstance(color, tuple):
            picture.info["transparency"] = tuple(value >> depth - 8 & 255 for value in color)
        elif isinstance(color, int) and picture.mode != "P":
            picture.info["transparency"] = round(color % 2**depth * 255 / (2**depth - 1))
    return picture


def _start_animation(picture: Image.Image) -> int:
    """Return the number of the first frame.

    A PNG may have a picture in front of its frames, for programs that do not play animations. Pillow counts
    it as a frame. The first frame is drawn on an empty picture and not on this one.
    """
    if not getattr(picture, "default_image", False):
        return 0
    picture.paste(0, (0, 0, *picture.size))
    return 1


@dataclass(frozen=True, slots=True)
class Animation:
    """Frames of the same size, and how long each is shown in milliseconds."""

    frames: list[Image.Image] = field(repr=False)
    durations: list[int]


def decode_animation(*, upload: IO[bytes], side: int) -> Animation | None:
    """Return the frames of an animation, scaled to fit a square of ``side`` pixels.

    Return None for a still picture, and for an animation with damaged frames, of which only the first one
    is shown. Frames, pixels and time are limited before each frame is decoded. Raises BadPicture if the
    upload is not accepted.
    """
    data = _read(upload)
    with _decoding_errors(data):
        picture = _open(data)
        if picture.format not in ANIMATED_FORMATS or not getattr(picture, "is_animated", False):
            return None
        try:
            frames, durations = _decode_frames(picture, side)
        except (BadPicture, Image.DecompressionBombError, Image.DecompressionBombWarning):
            raise
        except Exception:
            return None
        if sum(durations) > MAX_ANIMATION_SECONDS * 1000:
            raise _too_long_animation()
        return Animation(frames, durations) if len(frames) > 1 else None


def _decode_frames(picture: Image.Image, side: int) -> tuple[list[Image.Image], list[int]]:
    """Return the frames and their durations."""
    frames: list[Image.Image] = []
    durations: list[int] = []
    deadline = time.monotonic() + MAX_DECODING_SECONDS
    start = _start_animation(picture)
    pixels = start * picture.width * picture.height
    for number in range(MAX_FRAMES + 1):
        _refuse_too_many_pixels(picture)
        pixels += picture.width * picture.height
        if pixels > MAX_ANIMATED_PIXELS or time.monotonic() > deadline:
            raise _too_long_animation()
        try:
            picture.seek(start + number)
        except EOFError:
            break
        if number == MAX_FRAMES:
            raise _too_long_animation()
        frame = to_srgb(picture=picture.copy())
        frame.thumbnail((side, side), Image.Resampling.BILINEAR)
        frames.append(frame)
        durations.append(_frame_duration(picture))
    return frames, durations


def _read(upload: IO[bytes]) -> bytes:
    data = upload.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise BadPicture(_("This picture is too large. The limit is 10 MB."))
    return data


def _frame_duration(picture: Image.Image) -> int:
    milliseconds = int(picture.info.get("duration") or 0)
    if milliseconds < MIN_FRAME_MILLISECONDS:
        return DEFAULT_FRAME_MILLISECONDS
    return min(milliseconds, MAX_FRAME_MILLISECONDS)


@contextmanager
def _decoding_errors(data: bytes) -> Iterator[None]:
    """Raise BadPicture for the exceptions of the decoders. ``data``: the upload."""
    try:
        yield
    except BadPicture:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _too_many_pixels() from error
    # Pillow's decoders raise almost any exception for a hostile file.
    except Exception as error:
        raise BadPicture(
            _("This picture is damaged. Save it again or choose another one.")
            if is_picture(data=data)
            else _("This file is not a supported picture. Use JPEG, PNG, WebP or GIF.")
        ) from error


def encode_webp(*, picture: Image.Image) -> bytes:
    """Encode the pixels as WebP, without metadata.

    Method 4, Pillow's default, takes 1.5 times as long, and the files are 4 % smaller.
    """
    picture.info.clear()
    out = io.BytesIO()
    picture.save(out, "WEBP", quality=85, method=2)
    return out.getvalue()


def encode_animation(*, animation: Animation) -> bytes:
    """Encode an animation as WebP that repeats for ever, without metadata."""
    first, *others = animation.frames
    out = io.BytesIO()
    first.save(
        out,
        "WEBP",
        save_all=True,
        append_images=others,
        duration=animation.durations,
        loop=0,
        quality=75,
        method=2,
    )
    return out.getvalue()


def picture_response(*, path: str) -> FileResponse:
    """Return a stored picture as a response. Raises Http404 if the picture does not exist.

    A path from a client could name any stored file. Call this only with paths that the site generated.
    """
    try:
        picture = default_storage.open(path)
    except FileNotFoundError:
        raise Http404("No such picture.") from None
    return FileResponse(picture, content_type="image/webp")


def hide_picture(*, path: str) -> None:
    """Move the picture to a path without a URL. Does nothing if the picture does not exist."""
    _move(path, hidden_path(path=path))


def restore_picture(*, path: str) -> None:
    """Undo ``hide_picture``. Does nothing if the picture is not hidden."""
    _move(hidden_path(path=path), path)


def delete_picture(*, path: str) -> None:
    """Delete the picture, whether hidden or not."""
    default_storage.delete(path)
    default_storage.delete(hidden_path(path=path))


def hidden_picture_response(*, path: str) -> FileResponse:
    """Return the picture as a response for moderators, even if the picture is hidden.

    Raises Http404 if the picture does not exist.
    """
    is_hidden = not default_storage.exists(path)
    return picture_response(path=hidden_path(path=path) if is_hidden else path)


def hidden_path(*, path: str) -> str:
    """Return the path of a hidden picture, or of a folder with hidden pictures."""
    return f"withheld/{path}"


def stored_names(*, folder: str, prefix: str = "") -> list[str]:
    """Return the names of the files in a folder that start with ``prefix``, none if it does not exist."""
    if find := getattr(default_storage, "names_with_prefix", None):
        names: list[str] = find(
            folder, prefix
        )  # object stores have no folders, but search by prefix
        return names
    try:
        return [name for name in default_storage.listdir(folder)[1] if name.startswith(prefix)]
    except FileNotFoundError:
        return []


def _move(old: str, new: str) -> None:
    # Copy before deleting. If the process dies in between, the next call finishes the move.
    if not default_storage.exists(old):
        return
    if not default_storage.exists(new):
        with default_storage.open(old) as file:
            default_storage.save(new, file)
    default_storage.delete(old)


def _refuse_too_many_pixels(picture: Image.Image) -> None:
    if picture.width * picture.height > MAX_PIXELS:
        raise _too_many_pixels()


def _refuse_too_many_scans(picture: Image.Image, data: bytes) -> None:
    if picture.format not in ("JPEG", "MPO"):
        return
    # Compressed data cannot contain the start-of-scan marker, because JPEG puts a zero after each 255 byte.
    scans = data.count(b"\xff\xda")
    if scans * picture.width * picture.height > MAX_SCANNED_PIXELS:
        raise BadPicture(
            _("This picture has too many layers. Save it as a normal JPEG or PNG and try again.")
        )


def _too_long_animation() -> BadPicture:
    return BadPicture(
        _(
            "This animation is too long or too large. The limits are %(frames)d frames and "
            "%(seconds)d seconds."
        )
        % {"frames": MAX_FRAMES, "seconds": MAX_ANIMATION_SECONDS}
    )


def _too_many_pixels() -> BadPicture:
    return BadPicture(_("This picture is too large. The limit is 33 million pixels."))
