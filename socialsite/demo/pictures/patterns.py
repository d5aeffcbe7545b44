"""Patterns: tiles, waves, quilts, knitting.

Each function draws on an empty canvas and returns a description of what it drew.
"""

import math
from random import Random

from .canvas import Canvas, Point, mix

PALETTES = (
    ("#f4efe4", "#1f5673", "#e0a030", "#c8443a", "blue, yellow and red"),
    ("#f7f3ea", "#264653", "#2a9d8f", "#e9c46a", "green and yellow"),
    ("#fbe9e0", "#7a3b69", "#e58f93", "#f2b134", "purple and pink"),
    ("#eef2e6", "#2f5d50", "#8fb38a", "#d96c4f", "green and orange"),
    ("#f0ecf8", "#3d3a5c", "#8d86c9", "#f4a6a0", "violet and pink"),
    ("#f6efe2", "#5b3a29", "#c98a4b", "#7f9c96", "brown and grey"),
)


def draw_tiles(canvas: Canvas, chance: Random) -> str:
    paper, dark, middle, bright, names = chance.choice(PALETTES)
    columns = chance.choice((5, 6, 8))
    side = canvas.width / columns
    canvas.fill(paper)
    form = chance.choice(("quarter circles", "diamonds and dots", "petals"))
    for row in range(math.ceil(canvas.height / side)):
        for column in range(columns):
            x, y = column * side, row * side
            if (row + column) % 2:
                canvas.rectangle(x, y, side, side, mix(paper, middle, 0.25))
            _draw_tile(canvas, chance, form, (x, y), side, (dark, middle, bright))
            canvas.line([(x, y + side), (x, y), (x + side, y)], 2, mix(paper, dark, 0.35))
    return f"A pattern of square tiles with {form} in {names}."


def _draw_tile(
    canvas: Canvas, chance: Random, form: str, corner: Point, side: float, colors: tuple[str, str, str]
) -> None:  # fmt: skip
    (x, y), (dark, middle, bright) = corner, colors
    cx, cy = x + side / 2, y + side / 2
    if form == "quarter circles":
        turn = chance.randrange(4)
        px, py = x + side * (turn in (1, 2)), y + side * (turn in (2, 3))
        for reach, color in ((1.0, dark), (0.66, bright), (0.33, middle)):
            canvas.pie(px, py, side * reach, side * reach, turn * 90, turn * 90 + 90, color)
    elif form == "diamonds and dots":
        canvas.polygon([(cx, y + 6), (x + side - 6, cy), (cx, y + side - 6), (x + 6, cy)], dark)
        half = side * 0.24
        canvas.polygon([(cx, cy - half), (cx + half, cy), (cx, cy + half), (cx - half, cy)], bright)
        for px, py in ((x, y), (x + side, y), (x, y + side), (x + side, y + side)):
            canvas.circle(px, py, side * 0.16, middle)
    else:
        for n in range(4):
            angle = math.pi / 4 + math.pi / 2 * n
            for reach, color in ((0.3, dark), (0.19, middle)):
                canvas.circle(
                    cx + math.cos(angle) * side * 0.3,
                    cy + math.sin(angle) * side * 0.3,
                    side * reach * 0.75,
                    color,
                )
        canvas.circle(cx, cy, side * 0.14, bright)


def draw_waves(canvas: Canvas, chance: Random) -> str:
    paper, dark, middle, bright, names = chance.choice(PALETTES)
    radius = canvas.width / chance.choice((7, 8, 10))
    canvas.fill(dark)
    for row in range(int(canvas.height / radius * 2) + 4):
        y = row * radius / 2
        for column in range(-1, int(canvas.width / radius / 2) + 2):
            x = column * radius * 2 + (radius if row % 2 else 0)
            accent = bright if chance.random() < 0.08 else middle
            for reach, color in (
                (1.0, paper),
                (0.9, dark),
                (0.7, paper),
                (0.6, accent),
                (0.38, paper),
                (0.28, dark),
            ):
                canvas.circle(x, y, radius * reach, color)
    return f"A pattern of overlapping waves, drawn as rings in {names}."


def draw_quilt(canvas: Canvas, chance: Random) -> str:
    paper, dark, middle, bright, names = chance.choice(PALETTES)
    columns = chance.choice((6, 8))
    side = canvas.width / columns
    canvas.fill(paper)
    rule = chance.choice(("pinwheels", "zigzags", "a random order"))
    for row in range(math.ceil(canvas.height / side)):
        for column in range(columns):
            x, y = column * side, row * side
            corners = [(x, y), (x + side, y), (x + side, y + side), (x, y + side)]
            if rule == "pinwheels":
                turn = (row % 2) * 3 + (column % 2) * (1 if row % 2 == 0 else -1)
            elif rule == "zigzags":
                turn = column % 2 + 2 * (row % 2)
            else:
                turn = chance.randrange(4)
            color = chance.choice((dark, middle, bright))
            canvas.polygon([corners[(turn + n) % 4] for n in range(3)], color)
            canvas.line(
                [corners[turn % 4], corners[(turn + 2) % 4]], 1.5, mix(color, "#ffffff", 0.4)
            )
    return f"A quilt of triangles in {names}, sewn in {rule}."


def draw_knitting(canvas: Canvas, chance: Random) -> str:
    paper, dark, middle, bright, names = chance.choice(PALETTES)
    columns = chance.choice((28, 34))
    width = canvas.width / columns
    height = width * 0.8
    bands = [chance.choice((paper, dark, middle, bright)) for _ in range(12)]
    canvas.fill(mix(dark, "#000000", 0.25))
    for row in range(int(canvas.height / height) + 2):
        band = row // 5
        base, accent = bands[band % 12], bands[(band + 5) % 12]
        for column in range(columns):
            color = accent if row % 5 in (1, 3) and (column + row // 2) % 4 == 0 else base
            x, y = column * width, row * height - height
            for left, right in ((0.04, 0.5), (0.96, 0.5)):
                stitch = [
                    (x + width * left, y),
                    (x + width * right, y + height * 0.75),
                    (x + width * right, y + height * 1.55),
                    (x + width * left, y + height * 0.8),
                ]
                canvas.polygon(stitch, color if left < 0.5 else mix(color, "#000000", 0.1))
    return f"A close view of knitting: stripes and small figures in {names}."
