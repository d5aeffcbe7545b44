"""The avatar and the header picture of a profile, and the initials of users without an avatar.

``infra.pictures`` sanitizes an upload. ``crop_picture`` crops the result. The stored name contains a digest
of the content. A new picture therefore has a new URL, and browsers can cache every picture forever.

The URL of an initial contains the letter and the color and nothing else. It reveals no account, and
browsers and proxies can keep it for ever.
"""

import hashlib
import io
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import IO
from zlib import crc32

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse
from PIL import Image, ImageDraw, ImageFont, ImageOps

from .infra import pictures
from .infra.priority import low_priority

COLORS = (
    *("#9b2226", "#a23e48", "#8a4b08", "#6b5b00", "#3f6212", "#0d6b57"),
    *("#0f6674", "#1d5f9a", "#3949ab", "#6a3fa0", "#8e3a80", "#5b5750"),
)  # fmt: skip
"""Backgrounds with sufficient contrast to white."""

SIDE_PIXELS = 400
LETTER_PIXELS = 190
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class PictureKind:
    """A kind of profile picture. ``field``: the field of a user that contains the stored name."""

    field: str
    folder: str
    width: int
    height: int


AVATAR = PictureKind("avatar", "avatars", 400, 400)
HEADER = PictureKind("header", "headers", 1500, 500)
KINDS = (AVATAR, HEADER)


@lru_cache(maxsize=10_000)
def header_url(*, name: str) -> str:
    """Return the URL of a header picture, "" if there is none. ``name``: the stored name."""
    return reverse("header_picture", args=[name]) if name else ""


def picture_path(*, kind: PictureKind, name: str) -> str:
    """Return the storage path of a picture."""
    return f"{kind.folder}/{name}.webp"


def save_picture(*, kind: PictureKind, uid: int, picture: bytes) -> str:
    """Store a picture from ``crop_picture`` and return its name."""
    name = f"{uid}-{hashlib.sha256(picture).hexdigest()[:32]}"
    path = picture_path(kind=kind, name=name)
    if not default_storage.exists(path):
        default_storage.save(path, ContentFile(picture))
    return name


@low_priority
def crop_picture(*, kind: PictureKind, upload: IO[bytes], should_wait: bool = False) -> bytes:
    """Return the upload as a WebP without metadata, in the shape of the kind and at most as large.

    Raises BadPicture if the upload is not a supported picture, and TryLater while the decoder is busy.
    Decoding is expensive, so callers must apply the rate limit for uploads first, as ``services.profiles``
    does. ``should_wait``: as for ``pictures.exclusive_decoder``.
    """
    with pictures.exclusive_decoder(should_wait=should_wait):
        min_side = max(kind.width, 2 * kind.height)
        picture = pictures.decode_picture(upload=upload, min_side=min_side)
        scale = min(1, picture.width / kind.width, picture.height / kind.height)
        size = max(1, round(kind.width * scale)), max(1, round(kind.height * scale))
        cropped = ImageOps.fit(picture, size, Image.Resampling.LANCZOS)
    return pictures.encode_webp(picture=cropped)


# Cached, because a page with a list of users needs dozens of URLs.
@lru_cache(maxsize=10_000)
def avatar_url(*, uid: int, avatar: str, display_name: str, username: str) -> str:
    """Return the URL of a user's avatar. ``avatar``: the stored name, or "" for the initial."""
    if avatar:
        return reverse("avatar", args=[avatar])
    return _initial_url("initial", uid, _capital(display_name) or _capital(username) or "_")


@lru_cache(maxsize=10_000)
def initial_png_url(*, uid: int, display_name: str, username: str) -> str:
    """Return the URL of the initial as PNG, for phone apps that cannot display SVG.

    The PNG has only letters of ASCII. For names in other scripts, it is the initial of the username.
    """
    letter = _capital(unicodedata.normalize("NFKD", display_name))
    return _initial_url(
        "initial_png", uid, letter if letter and letter.isascii() else username[0].upper()
    )


def _capital(name: str) -> str:
    """Return the first letter or digit of a name as a capital, or "" if there is none."""
    letter = _LETTER.search(name)
    if letter is None:
        return ""
    capital = letter[0].upper()
    return capital if len(capital) == 1 else letter[0]


def _initial_url(name: str, uid: int, letter: str) -> str:
    return reverse(name, args=[crc32(b"%d" % uid) % len(COLORS), letter])


def initial_svg(*, color: str, letter: str) -> str:
    """Return a letter on a colored square. Pages show the square as a disc, as they show all avatars."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">'
        f'<path fill="{color}" d="M0 0h100v100H0z"/>'
        '<text x="50" y="50" dy=".36em" text-anchor="middle" fill="#fff" font-size="46"'
        f' font-family="system-ui,sans-serif">{letter}</text></svg>'
    )


def initial_png(*, color: str, letter: str) -> bytes:
    """Return a letter of ASCII on a colored square as PNG, ``SIDE_PIXELS`` wide and high."""
    picture = Image.new("RGB", (SIDE_PIXELS, SIDE_PIXELS), color)
    font = ImageFont.load_default(LETTER_PIXELS)
    middle = (SIDE_PIXELS / 2, SIDE_PIXELS / 2)
    ImageDraw.Draw(picture).text(middle, letter, "#ffffff", font, anchor="mm")
    out = io.BytesIO()
    picture.quantize(32).save(out, "PNG", optimize=True)
    return out.getvalue()
