"""Pictures of people: uploads made harmless, and a drawn one for everybody who has none.

An upload is made harmless (``pictures``) and cropped square. Its name is the digest of its content: the
address changes with the picture and can be cached for ever.
"""

import hashlib
import io
from functools import lru_cache
from typing import IO

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse
from PIL import Image, ImageColor, ImageOps

from .infra import pictures

SIDE_PIXELS = 400
FOLDER = "avatars"


@lru_cache(maxsize=10_000)  # lists have them by the dozen
def avatar_url(*, uid: int, avatar: str) -> str:
    """The address of a person's picture. ``avatar``: the stored name, or "" for the drawn one."""
    if avatar:
        return reverse("avatar", args=[avatar])
    return reverse("identicon", args=[uid])


@lru_cache(maxsize=10_000)
def identicon_png_url(*, uid: int) -> str:
    """The address of the drawn one as PNG: telephones do not draw SVG."""
    return reverse("drawn_avatar", args=[uid])


def avatar_path(*, name: str) -> str:
    """Where the storage keeps the picture of this name."""
    return f"{FOLDER}/{name}.webp"


def save_avatar(*, uid: int, picture: bytes) -> str:
    """Keep a picture made by ``reencode`` and return its name."""
    name = f"{uid}-{hashlib.sha256(picture).hexdigest()[:32]}"
    if not default_storage.exists(avatar_path(name=name)):
        default_storage.save(avatar_path(name=name), ContentFile(picture))
    return name


def crop_avatar(*, upload: IO[bytes]) -> bytes:
    """A square WebP of at most ``SIDE`` pixels, without any metadata. Raises BadPicture and TryLater.

    Callers count the upload first: ``services.read_avatar``.
    """
    with pictures.exclusive_decoder():
        upright = pictures.decode_picture(upload=upload, min_side=SIDE_PIXELS * 2)
        side = min(SIDE_PIXELS, *upright.size)
        square = ImageOps.fit(upright, (side, side), Image.Resampling.LANCZOS)
    return pictures.encode_webp(picture=square)


def identicon_svg(*, uid: int) -> str:
    """An SVG that is always the same for this uid: a mirrored pattern of 5 by 5 in one colour.

    The idea is Don Park's (2007), the mirrored grid GitHub's.
    """
    hue, cells = _pattern(uid)
    drawn = "".join(f"M{x + 1} {y + 1}h1v1h-1z" for x, y in cells)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 7 7" shape-rendering="crispEdges">'
        f'<path fill="hsl({hue} 45% 90%)" d="M0 0h7v7H0z"/>'
        f'<path fill="hsl({hue} 55% 45%)" d="{drawn}"/></svg>'
    )


def identicon_png(*, uid: int) -> bytes:
    """The same as a PNG of ``SIDE`` pixels."""
    hue, cells = _pattern(uid)
    picture = Image.new("RGB", (7, 7), ImageColor.getrgb(f"hsl({hue}, 45%, 90%)"))
    for x, y in cells:
        picture.putpixel((x + 1, y + 1), ImageColor.getrgb(f"hsl({hue}, 55%, 45%)"))
    out = io.BytesIO()
    picture.resize((SIDE_PIXELS, SIDE_PIXELS), Image.Resampling.NEAREST).save(
        out, "PNG", optimize=True
    )
    return out.getvalue()


def _pattern(uid: int) -> tuple[int, list[tuple[int, int]]]:
    """A hue, and which cells of five by five have it."""
    digest = hashlib.sha256(str(uid).encode()).digest()
    cells = [(x, y) for y in range(5) for x in range(5) if digest[2 + y * 3 + min(x, 4 - x)] & 1]
    return int.from_bytes(digest[:2], "big") % 360, cells
