"""Pictures that people send, made harmless: for themselves (``avatars``) and, above, for what they publish.

An upload is judged by what it is and not by its name, decoded, turned upright and written anew as WebP, so
that nothing else of the file (EXIF with its places, trailing archives, scripts) survives. What it claims
to be is checked before a decoder spends memory or time on it.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import IO

from django.core.files.storage import default_storage
from django.http import FileResponse, Http404
from django.utils.translation import gettext as _
from PIL import Image, ImageOps

from accounts.infra.refusals import Refused, TryLater

MAX_BYTES = 10 * 1024 * 1024
MAX_PIXELS = 33_000_000
MAX_SCANNED_PIXELS = 20 * MAX_PIXELS
"""Pixels of a JPEG times its scans. Cameras write about ten scans. A scan may be a few bytes long and still
cost the time of the whole picture."""

FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
ACCEPTED_TYPES = "image/jpeg,image/png,image/webp,image/gif"

Image.MAX_IMAGE_PIXELS = MAX_PIXELS
"""Pillow's own guard (it warns, and fails from twice as many on) for what some of its readers fill when a
file is only opened. Our own says it in words."""

DECODER_WAIT_SECONDS = 5.0
"""How long a request waits for the decoder before it is refused. Meanwhile it holds a thread."""

RETRY_AFTER_SECONDS = 10

_decoder = Lock()


class BadPicture(Refused):
    """The upload is no picture we take; the message is for the person who sent it."""


@contextmanager
def exclusive_decoder(*, should_wait: bool = False) -> Iterator[None]:
    """Let one thread of the process decode. Raises TryLater after waiting ``WAIT_SECONDS`` for the others.

    ``is_patient``: wait as long as it takes, as nobody waits for the response.

    A picture of 33 million pixels takes 500 MB as WebP and 130 MB as JPEG while it is decoded.
    """
    if not _decoder.acquire(timeout=-1 if should_wait else DECODER_WAIT_SECONDS):
        raise TryLater(
            _("Many pictures are being uploaded right now. Try again in a few seconds."),
            retry_after=RETRY_AFTER_SECONDS,
        )
    try:
        yield
    finally:
        _decoder.release()


def decode_picture(*, upload: IO[bytes], min_side: int) -> Image.Image:
    """The picture upright, in RGB or RGBA; of an animation the first frame. Raises BadPicture.

    A large JPEG is decoded smaller, but no side of it smaller than ``side``.
    """
    data = upload.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise BadPicture(_("This picture is larger than 10 MB."))
    try:
        picture = Image.open(io.BytesIO(data), formats=FORMATS)
        _refuse_too_many_pixels(picture)
        _refuse_too_many_scans(picture, data)
        picture.draft("RGB", (min_side, min_side))
        ImageOps.exif_transpose(picture, in_place=True)
        return picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    except BadPicture:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _too_many_pixels() from error
    except Exception as error:  # decoders raise nearly anything on a hostile file
        raise BadPicture(
            _("This file is no picture we can read (JPEG, PNG, WebP, GIF).")
        ) from error


def encode_webp(*, picture: Image.Image) -> bytes:
    """The pixels as a file, and nothing but them."""
    picture.info.clear()
    out = io.BytesIO()
    picture.save(out, "WEBP", quality=85, method=4)
    return out.getvalue()


def picture_response(*, path: str) -> FileResponse:
    """A kept picture for a browser, which may show it and do nothing else with it. Raises Http404.

    Only for paths that the site has made itself.
    """
    try:
        picture = default_storage.open(path)
    except FileNotFoundError:
        raise Http404("No such picture.") from None
    return FileResponse(picture, content_type="image/webp")


def hide_picture(*, path: str) -> None:
    """Keep the picture where no address leads. Nothing happens where there is none, as in ``give_back``."""
    _move(path, hidden_path(path=path))


def restore_picture(*, path: str) -> None:
    """Undo ``withhold``."""
    _move(hidden_path(path=path), path)


def delete_picture(*, path: str) -> None:
    """Withheld or not."""
    default_storage.delete(path)
    default_storage.delete(hidden_path(path=path))


def hidden_picture_response(*, path: str) -> FileResponse:
    """As ``response``, for those who decide about what is withheld: also that."""
    is_withheld = not default_storage.exists(path)
    return picture_response(path=hidden_path(path=path) if is_withheld else path)


def hidden_path(*, path: str) -> str:
    """Where a picture, or a folder of them, is while it is withheld."""
    return f"withheld/{path}"


def _move(old: str, new: str) -> None:
    # Copied before it is deleted: wherever this stops, the next call finishes it.
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
    # Inside a scan, a byte of 255 is never followed by this marker.
    scans = data.count(b"\xff\xda")
    if scans * picture.width * picture.height > MAX_SCANNED_PIXELS:
        raise BadPicture(_("This picture is made of too many layers."))


def _too_many_pixels() -> BadPicture:
    return BadPicture(_("This picture has more than 33 million pixels."))
