"""Every shade that follows from an accent color is readable in both themes."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from hypothesis import example, given
from hypothesis import strategies as st

from accounts.brand import colors
from accounts.brand.colors import MIN_CONTRAST, contrast

TOKENS = Path(settings.BASE_DIR, "socialsite/static_parts/css/tokens.css").read_text()
COLORS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


def token(name):
    """Return the light and the dark value of a color in the style sheet of the site."""
    match = re.search(rf"--{name}: light-dark\((#\w+), (#\w+)\);", TOKENS)
    return match[1], match[2]


def assert_is_readable(palette):
    for theme, shades in ((0, palette.light), (1, palette.dark)):
        background, surface, secondary_text = (
            token(name)[theme] for name in ("background", "surface", "text-secondary")
        )
        for other in (background, surface, shades.tint, shades.on_accent):
            assert contrast(shades.accent, other) >= MIN_CONTRAST
        assert contrast(shades.hover, shades.on_accent) >= MIN_CONTRAST
        assert contrast(secondary_text, shades.tint) >= MIN_CONTRAST


@given(color=COLORS)
@example(color="#000000")
@example(color="#ffff00")
@example(color="#0000ff")
def test_every_color_has_a_readable_shade_and_palette(color):
    accent = colors.readable_accent(color)
    assert colors.accent_contrast(accent) >= MIN_CONTRAST
    assert_is_readable(colors.palette(accent))


def test_the_default_palette_is_that_of_the_style_sheet_and_readable():
    assert_is_readable(colors.DEFAULT_PALETTE)
    names = ("accent", "accent-hover", "on-accent", "accent-tint", "art-1", "art-2", "art-3")
    light, dark = colors.DEFAULT_PALETTE.light, colors.DEFAULT_PALETTE.dark
    assert [token(name) for name in names] == list(
        zip(colors._values(light), colors._values(dark), strict=True)
    )


def test_the_checked_backgrounds_are_those_of_the_style_sheet():
    assert token("background") == (colors.LIGHT_BACKGROUND, colors.DARK_BACKGROUND)
    assert token("surface") == (colors.LIGHT_SURFACE, colors.DARK_SURFACE)
    assert token("text-secondary") == (colors.LIGHT_SECONDARY_TEXT, colors.DARK_SECONDARY_TEXT)


@pytest.mark.parametrize(
    ("first", "second", "ratio"),
    [("#ffffff", "#000000", 21.0), ("#777777", "#ffffff", 4.48), ("#0000ff", "#ffffff", 8.59)],
)
def test_contrast_is_that_of_the_standard(first, second, ratio):
    assert contrast(first, second) == pytest.approx(ratio, abs=0.01)
    assert contrast(second, first) == contrast(first, second)
