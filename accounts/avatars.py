"""URLs of avatars, and the initials of users without a picture (see ``profile_pictures``).

The URL of an initial contains the letter and the color and nothing else. It reveals no account, and
browsers and proxies can keep it for ever.
"""

import io
import re
import unicodedata
from functools import lru_cache
from zlib import crc32

from django.urls import reverse
from PIL import Image, ImageDraw, ImageFont

COLORS = (
    *("#9b2226", "#a23e48", "#8a4b08", "#6b5b00", "#3f6212", "#0d6b57"),
    *("#0f6674", "#1d5f9a", "#3949ab", "#6a3fa0", "#8e3a80", "#5b5750"),
)  # fmt: skip
"""Backgrounds with sufficient contrast to white."""

SIDE_PIXELS = 400
LETTER_PIXELS = 190
_LETTER = re.compile(r"[^\W_]")


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
