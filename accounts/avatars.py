"""URLs of avatars, and generated identicons for users without a picture (see ``profile_pictures``)."""

import hashlib
import io
from functools import lru_cache

from django.urls import reverse
from PIL import Image, ImageColor

SIDE_PIXELS = 400


# Cached, because a page with a list of users needs dozens of URLs.
@lru_cache(maxsize=10_000)
def avatar_url(*, uid: int, avatar: str) -> str:
    """Return the URL of a user's avatar. ``avatar``: the stored name, or "" for the identicon."""
    if avatar:
        return reverse("avatar", args=[avatar])
    return reverse("identicon", args=[uid])


@lru_cache(maxsize=10_000)
def identicon_png_url(*, uid: int) -> str:
    """Return the URL of the identicon as PNG, for phone apps that cannot display SVG."""
    return reverse("identicon_png", args=[uid])


def identicon_svg(*, uid: int) -> str:
    """Return the identicon of a uid as SVG: a mirrored pattern of 5 by 5 cells in one color.

    Identicons are an idea of Don Park (2007). The mirrored grid is GitHub's.
    """
    hue, cells = _identicon_pattern(uid)
    path = "".join(f"M{column + 1} {row + 1}h1v1h-1z" for column, row in cells)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 7 7" shape-rendering="crispEdges">'
        f'<path fill="hsl({hue} 45% 90%)" d="M0 0h7v7H0z"/>'
        f'<path fill="hsl({hue} 55% 45%)" d="{path}"/></svg>'
    )


def identicon_png(*, uid: int) -> bytes:
    """Return the identicon of a uid as PNG, ``SIDE_PIXELS`` wide and high."""
    hue, cells = _identicon_pattern(uid)
    picture = Image.new("RGB", (7, 7), ImageColor.getrgb(f"hsl({hue}, 45%, 90%)"))
    for column, row in cells:
        picture.putpixel((column + 1, row + 1), ImageColor.getrgb(f"hsl({hue}, 55%, 45%)"))
    out = io.BytesIO()
    picture.resize((SIDE_PIXELS, SIDE_PIXELS), Image.Resampling.NEAREST).save(
        out, "PNG", optimize=True
    )
    return out.getvalue()


def _identicon_pattern(uid: int) -> tuple[int, list[tuple[int, int]]]:
    """Return the hue in degrees and the filled cells as (column, row)."""
    digest = hashlib.sha256(str(uid).encode()).digest()
    cells = [(n, y) for y in range(5) for n in range(5) if digest[2 + y * 3 + min(n, 4 - n)] & 1]
    return int.from_bytes(digest[:2], "big") % 360, cells
