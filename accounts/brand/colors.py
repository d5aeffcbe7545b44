"""Contrast of colors, and the shades and style sheets that follow from an accent color.

Administrators choose the accent of the light theme. It needs a contrast of at least ``MIN_CONTRAST`` (WCAG
2.2, 1.4.3) with the backgrounds of pages, and so has it with the white text of buttons. The dark theme uses
a lighter shade of it, and every other shade is derived, too. All of them keep the minimum.

A color is a text such as "#0d6b57", in lower case.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache

MIN_CONTRAST = 4.5
DARK_THEME_CONTRAST = 7.0
"""The minimum contrast of the accent with dark backgrounds. Saturated text on black is hard to read below
this."""

# The colors of the page in ``site.css``: --background, --surface and --text-secondary.
LIGHT_BACKGROUND, LIGHT_SURFACE, LIGHT_SECONDARY_TEXT = "#fdfcfa", "#f5f3ee", "#625d55"
DARK_BACKGROUND, DARK_SURFACE, DARK_SECONDARY_TEXT = "#131614", "#1b1f1d", "#a3aca6"
WHITE, BLACK = "#ffffff", "#000000"

_COLOR = re.compile(r"#[0-9a-f]{6}")
_DIGEST_LENGTH = 12


@dataclass(frozen=True, slots=True)
class Shades:
    """The colors of one theme. ``tint`` is a background, ``on_accent`` the text on the accent."""

    accent: str
    hover: str
    on_accent: str
    tint: str
    art: tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Palette:
    light: Shades
    dark: Shades


DEFAULT_PALETTE = Palette(
    light=Shades("#0d6b57", "#0a5546", "#ffffff", "#e1f0ea", ("#0d6b57", "#4fa88f", "#cfe5dc")),
    dark=Shades("#70d4b5", "#8ee2c8", "#06251c", "#17332a", ("#2b8a71", "#1f6453", "#17332a")),
)
"""The colors in ``site.css``."""


def is_color(text: str) -> bool:
    return _COLOR.fullmatch(text) is not None


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colors, from 1 to 21 (WCAG 2.2)."""
    darker, lighter = sorted((_luminance(first), _luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def accent_contrast(accent: str) -> float:
    """Return the lowest contrast of the color with the backgrounds of light pages and button texts."""
    return min(contrast(accent, other) for other in (LIGHT_BACKGROUND, LIGHT_SURFACE, WHITE))


def readable_accent(accent: str) -> str:
    """Return the color, darkened until it has enough contrast."""
    return next(
        shade
        for step in range(51)
        if accent_contrast(shade := _mix(accent, BLACK, step / 50)) >= MIN_CONTRAST
    )


@lru_cache(maxsize=16)
def palette(accent: str) -> Palette:
    """Return the shades of an accent color with enough contrast, or the default palette for ""."""
    if not accent:
        return DEFAULT_PALETTE
    dark_accent = next(
        shade
        for step in range(51)
        if contrast(shade := _mix(accent, WHITE, step / 50), DARK_SURFACE) >= DARK_THEME_CONTRAST
    )
    light_tint = _tint(accent, LIGHT_BACKGROUND, LIGHT_SURFACE, LIGHT_SECONDARY_TEXT)
    dark_tint = _tint(dark_accent, DARK_BACKGROUND, DARK_SURFACE, DARK_SECONDARY_TEXT)
    light_art = (accent, _mix(accent, WHITE, 0.4), _mix(accent, WHITE, 0.8))
    dark_art = (
        _mix(dark_accent, DARK_BACKGROUND, 0.4),
        _mix(dark_accent, DARK_BACKGROUND, 0.6),
        dark_tint,
    )
    return Palette(
        light=Shades(accent, _mix(accent, BLACK, 0.2), WHITE, light_tint, light_art),
        dark=Shades(
            dark_accent,
            _mix(dark_accent, WHITE, 0.3),
            _mix(BLACK, accent, 0.15),
            dark_tint,
            dark_art,
        ),
    )


def site_css(accent: str) -> str:
    """Return the style sheet that replaces the accent of ``site.css``."""
    light, dark = palette(accent).light, palette(accent).dark
    names = ("accent", "accent-hover", "on-accent", "accent-tint", "art-1", "art-2", "art-3")
    pairs = zip(names, _values(light), _values(dark), strict=True)
    rules = ";".join(f"--{name}:light-dark({day},{night})" for name, day, night in pairs)
    return f":root{{{rules}}}\n"


def admin_css(accent: str) -> str:
    """Return the style sheet for the header of the admin, which is the same in both themes."""
    names = ("header-color", "header-branding-color", "header-link-color")
    rules = ";".join(f"--{name}:{WHITE}" for name in names)
    return f"#header{{--header-bg:{accent};{rules}}}\n"


def css_digest(css: str) -> str:
    """Return the part of a style sheet's URL that changes with its content."""
    return hashlib.sha256(css.encode()).hexdigest()[:_DIGEST_LENGTH]


def _values(shades: Shades) -> tuple[str, ...]:
    return (shades.accent, shades.hover, shades.on_accent, shades.tint, *shades.art)


def _tint(accent: str, background: str, surface: str, secondary_text: str) -> str:
    """Return the strongest tint of the background on which the accent and secondary text are readable."""
    for percent in range(15, 2, -1):
        tint = _mix(background, accent, percent / 100)
        if min(contrast(accent, tint), contrast(secondary_text, tint)) >= MIN_CONTRAST:
            return tint
    return surface


def _mix(first: str, second: str, share: float) -> str:
    """Return the first color with a share of the second, from 0 to 1."""
    pairs = zip(_channels(first), _channels(second), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _luminance(color: str) -> float:
    red, green, blue = (_linear(channel / 255) for channel in _channels(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
