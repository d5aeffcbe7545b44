"""Convert decoded pictures to sRGB with eight bits, the colors that every browser and app shows.

An ICC profile says which colors the numbers of a picture mean. Newer phones write Display P3, cameras Adobe
RGB, and programs for print CMYK. ``pictures`` removes all metadata, so it converts the colors first. As in
browsers, a damaged profile, or a profile for other pixels, has no effect. A PNG may state a gamma instead.
"""

import io
from functools import lru_cache
from itertools import chain, product

from PIL import Image, ImageChops, ImageCms

MAX_PROFILE_BYTES = 4 * 2**20
"""Larger than the profiles of printers, which take up to 3 MB."""

SRGB_GAMMA = 1 / 2.2
GAMMA_TOLERANCE = 0.05
MIN_GAMMA, MAX_GAMMA = 0.1, 10

_SPACE, _CLASS = slice(16, 20), slice(12, 16)
"""Where the header of a profile names its color space and its class."""

_DEVICE_CLASSES = (b"mntr", b"scnr", b"prtr", b"spac")
_FORMULA_TAGS, _HIDDEN_TAGS = b"D2B", b"xxx"
"""Tags with formulas of any length, whose evaluation can take minutes. Browsers do not read them either."""

_SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))
_LEVELS = (*range(0, 256, 32), 255)
_SAMPLE_COLORS = bytes(chain.from_iterable(product(_LEVELS, repeat=3)))


def to_srgb(*, picture: Image.Image) -> Image.Image:
    """Return the picture in sRGB, as RGB or RGBA, without metadata.

    To save memory, the result can be ``picture`` itself.
    """
    # A text in a PNG can have the name of any key.
    profile, gamma = (picture.info.get(key) for key in ("icc_profile", "gamma"))
    if picture.mode.startswith("I;16"):
        picture = _reduce_to_eight_bits(picture)
    converted = _convert_colors(picture, profile if isinstance(profile, bytes) else b"")
    if isinstance(gamma, float) and not profile and "srgb" not in picture.info:
        converted = _apply_gamma(converted, gamma)
    converted.info.clear()
    return converted


def _convert_colors(picture: Image.Image, profile: bytes) -> Image.Image:
    has_alpha, space = picture.has_transparency_data, profile[_SPACE]
    if space == b"CMYK" and picture.mode == "CMYK" and (transform := _transform(profile, "CMYK")):
        return transform.apply(picture)
    if (
        space == b"GRAY"
        and picture.mode in ("1", "L", "LA")
        and (transform := _transform(profile, "L"))
    ):
        grey = picture.convert("LA" if has_alpha else "L")
        converted = transform.apply(grey.getchannel("L"))
        if has_alpha:
            converted.putalpha(grey.getchannel("A"))
        return converted
    target = "RGBA" if has_alpha else "RGB"
    converted = picture if picture.mode == target else picture.convert(target)
    if space == b"RGB " and picture.mode != "CMYK":
        transform = _transform(profile, converted.mode)
        return transform.apply_in_place(converted) if transform else converted
    return converted


@lru_cache(maxsize=4)
def _transform(profile: bytes, mode: str) -> ImageCms.ImageCmsTransform | None:
    """Return the conversion from a profile to sRGB, None if it is not needed or not possible."""
    if len(profile) > MAX_PROFILE_BYTES or profile[_CLASS] not in _DEVICE_CLASSES:
        return None
    target = "RGBA" if mode == "RGBA" else "RGB"
    source = io.BytesIO(profile.replace(_FORMULA_TAGS, _HIDDEN_TAGS))
    try:
        transform = ImageCms.buildTransform(source, _SRGB, mode, target)
    except ImageCms.PyCMSError:
        return None
    return None if mode == target and _is_neutral(transform, mode) else transform


def _is_neutral(transform: ImageCms.ImageCmsTransform, mode: str) -> bool:
    """Return whether a conversion changes no color, as with the profile of sRGB, the most common one."""
    sample = Image.frombytes("RGB", (len(_SAMPLE_COLORS) // 3, 1), _SAMPLE_COLORS).convert(mode)
    difference = ImageChops.difference(sample, transform.apply(sample))
    return max(difference.tobytes()) <= 1


def _apply_gamma(picture: Image.Image, gamma: float) -> Image.Image:
    """Convert an RGB or RGBA picture whose values are the power ``gamma`` of the light."""
    if not MIN_GAMMA < gamma < MAX_GAMMA or abs(gamma / SRGB_GAMMA - 1) < GAMMA_TOLERANCE:
        return picture
    lights = [(value / 255) ** (1 / gamma) for value in range(256)]
    table = [
        round(255 * (12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055))
        for light in lights
    ]
    has_alpha = picture.mode == "RGBA"
    return picture.point(table * 3 + list(range(256)) * has_alpha)


def _reduce_to_eight_bits(picture: Image.Image) -> Image.Image:
    """Return a grey picture of 16 bits with 8 bits. Pillow's conversion would cut bright values off."""
    return picture.point(lambda value: value * (1 / 257) + 0.5).convert("L")
