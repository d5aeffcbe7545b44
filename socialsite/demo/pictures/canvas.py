"""A canvas with smooth edges, and the colors and daylight that all scenes share.

Pillow draws without antialiasing. The canvas therefore draws at twice the size, and ``finish`` reduces the
picture.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from PIL import Image, ImageColor, ImageDraw, ImageEnhance, ImageOps

SCALE = 2
Point = tuple[float, float]
Color = tuple[int, ...]
"""Red, green and blue from 0 to 255, and optionally the opacity."""


@dataclass(frozen=True, slots=True)
class Daylight:
    """The colors of a time of day. ``sky`` completes the phrase "under ..."."""

    sky: str
    top: str
    horizon: str
    disc: str
    far: str
    near: str
    is_dark: bool = False


DAYLIGHTS = (
    Daylight("a pink and blue morning sky", "#6f86b6", "#f7c9a9", "#fff1d0", "#b9a3b5", "#3d3a5c"),
    Daylight("a clear blue sky", "#4b9bd6", "#d6eef6", "#fffbe0", "#8fb7c4", "#2f6b4f"),
    Daylight("a golden evening sky", "#e88f4f", "#fde2a4", "#fff6d8", "#d9a06a", "#5b3a3a"),
    Daylight("a red and violet evening sky", "#3b3f73", "#e7876f", "#ffd9a0", "#7a5a80", "#231f3d"),
    Daylight("a pale, misty sky", "#b9c6cc", "#eef0ea", "#ffffff", "#b5c3c4", "#4c6663"),
    Daylight("a dark blue night sky", "#0d1330", "#33457d", "#f4f1de", "#3a4878", "#0b1024", True),
)

WALLS = (
    ("#f3e3d3", "cream"),
    ("#cfe0d8", "pale green"),
    ("#d8d3ea", "lilac"),
    ("#f6d7cb", "pink"),
    ("#c9dcea", "pale blue"),
    ("#f2e2a9", "yellow"),
)
TABLES = ("#a9744f", "#c99a6b", "#7c5642", "#d8b58a")
FLOWER_COLORS = (
    ("#e4572e", "orange"),
    ("#d7263d", "red"),
    ("#f2b134", "yellow"),
    ("#b25fb0", "purple"),
    ("#f28ca0", "pink"),
)
BOOK_COLORS = (
    *("#264653", "#2a9d8f", "#e9c46a", "#f4a261", "#e76f51"),
    *("#8d6a9f", "#577590", "#f3efe0", "#9b2226", "#606c38"),
)  # fmt: skip


def rgb(color: str, opacity: int = 255) -> Color:
    red, green, blue = ImageColor.getrgb(color)[:3]
    return (red, green, blue, opacity)


def mix(start: str, end: str, share: float) -> str:
    """Return the color between two colors. ``share`` is 0 for ``start`` and 1 for ``end``."""
    pairs = zip(rgb(start)[:3], rgb(end)[:3], strict=True)
    red, green, blue = (round(a + (b - a) * share) for a, b in pairs)
    return f"#{red:02x}{green:02x}{blue:02x}"


class Canvas:
    """A picture in progress. All coordinates are pixels of the finished picture."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.image = Image.new("RGB", (width * SCALE, height * SCALE))
        self._draw = ImageDraw.Draw(self.image, "RGBA")

    def fill(self, color: str) -> None:
        self.image.paste(rgb(color)[:3], (0, 0, *self.image.size))

    def gradient(self, top: str, bottom: str, start: float = 0, end: float | None = None) -> None:
        """Fill the rows from ``start`` to ``end`` with a vertical gradient."""
        y, last = round(start * SCALE), round((self.height if end is None else end) * SCALE)
        column = Image.linear_gradient("L").resize((1, last - y))
        bands = [
            column.point([round(a + (b - a) * n / 255) for n in range(256)])
            for a, b in zip(rgb(top)[:3], rgb(bottom)[:3], strict=True)
        ]
        strip = Image.merge("RGB", bands).resize((self.image.width, last - y))
        self.image.paste(strip, (0, y))

    def ellipse(
        self, x: float, y: float, rx: float, ry: float, color: str, opacity: int = 255
    ) -> None:
        box = [(x - rx) * SCALE, (y - ry) * SCALE, (x + rx) * SCALE, (y + ry) * SCALE]
        self._draw.ellipse(box, rgb(color, opacity))

    def circle(self, x: float, y: float, radius: float, color: str, opacity: int = 255) -> None:
        self.ellipse(x, y, radius, radius, color, opacity)

    def ring(self, x: float, y: float, radius: float, width: float, color: str) -> None:
        box = [n * SCALE for n in (x - radius, y - radius, x + radius, y + radius)]
        self._draw.ellipse(box, outline=rgb(color), width=round(width * SCALE))

    def pie(
        self, x: float, y: float, rx: float, ry: float, start: float, end: float, color: str
    ) -> None:
        """Draw a sector of an ellipse. Angles are in degrees, clockwise from the right."""
        box = [(x - rx) * SCALE, (y - ry) * SCALE, (x + rx) * SCALE, (y + ry) * SCALE]
        self._draw.pieslice(box, start, end, rgb(color))

    def arc(
        self,
        x: float,
        y: float,
        rx: float,
        ry: float,
        start: float,
        end: float,
        width: float,
        color: str,
    ) -> None:
        box = [(x - rx) * SCALE, (y - ry) * SCALE, (x + rx) * SCALE, (y + ry) * SCALE]
        self._draw.arc(box, start, end, rgb(color), round(width * SCALE))

    def rectangle(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        color: str,
        *,
        radius: float = 0,
        opacity: int = 255,
    ) -> None:
        box = [x * SCALE, y * SCALE, (x + width) * SCALE - 1, (y + height) * SCALE - 1]
        if radius:
            self._draw.rounded_rectangle(box, radius * SCALE, rgb(color, opacity))
        else:
            self._draw.rectangle(box, rgb(color, opacity))

    def polygon(self, points: Sequence[Point], color: str, opacity: int = 255) -> None:
        self._draw.polygon([(x * SCALE, y * SCALE) for x, y in points], rgb(color, opacity))

    def line(self, points: Sequence[Point], width: float, color: str, opacity: int = 255) -> None:
        scaled = [(x * SCALE, y * SCALE) for x, y in points]
        self._draw.line(scaled, rgb(color, opacity), round(width * SCALE), joint="curve")

    def finish(self) -> Image.Image:
        return self.image.reduce(SCALE)


def place_disc(canvas: Canvas, chance: Random, light: Daylight, height: float) -> str:
    """Draw the sun or the moon at a height from 0 (top) to 1, and describe it."""
    place, side = chance.choice(
        ((0.22, "on the left"), (0.5, "in the middle"), (0.78, "on the right"))
    )
    radius = canvas.height * chance.uniform(0.05, 0.08)
    x, y = canvas.width * place, canvas.height * height
    for halo in (2.6, 1.9, 1.4):
        canvas.circle(x, y, radius * halo, light.disc, 28)
    canvas.circle(x, y, radius, light.disc)
    body = "a full moon" if light.is_dark else "the sun"
    return f"{body} {side}"


def ridge(canvas: Canvas, chance: Random, level: float, size: float) -> list[Point]:
    """Return the points of a wavy line from the left to the right edge."""
    waves = [
        (size / n, chance.uniform(0.6, 1.4) * n * 2.2, chance.uniform(0, math.tau))
        for n in (1, 2.3, 5)
    ]
    steps = 48
    return [
        (
            canvas.width * n / steps,
            level + sum(a * math.sin(rate * n / steps + start) for a, rate, start in waves),
        )
        for n in range(steps + 1)
    ]


def mirror(canvas: Canvas, shore: float) -> None:
    """Fill everything below ``shore`` with a darker reflection of what is above."""
    edge = round(shore * SCALE)
    rest = canvas.image.height - edge
    above = ImageOps.flip(canvas.image.crop((0, 0, canvas.image.width, edge)))
    reflection = above.resize((canvas.image.width, round(edge * 0.62)), Image.Resampling.BILINEAR)
    canvas.image.paste(ImageEnhance.Brightness(reflection).enhance(0.78), (0, edge))
    for n in range(9):
        y = shore + (n / 9) ** 1.4 * rest / SCALE
        canvas.line([(0, y), (canvas.width, y)], 1.5, "#ffffff", 26)


def count_word(number: int) -> str:
    words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    return words[number] if number < len(words) else str(number)


def with_article(noun: str) -> str:
    return f"{'An' if noun[0] in 'aeiou' else 'A'} {noun}"
