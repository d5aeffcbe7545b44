"""Scenes with flowers, books and cats.

Each function draws on an empty canvas and returns a description of what it drew.
"""

import math
from random import Random

from .canvas import (
    BOOK_COLORS,
    DAYLIGHTS,
    FLOWER_COLORS,
    WALLS,
    Canvas,
    Point,
    count_word,
    mix,
    with_article,
)


def draw_flowers(canvas: Canvas, chance: Random) -> str:
    light = chance.choice(DAYLIGHTS[:5])
    canvas.gradient(light.top, light.horizon)
    number, (petals, color_name) = chance.randint(5, 8), chance.choice(FLOWER_COLORS)
    form = chance.choice(("tulips", "dahlias", "daisies"))
    soil = canvas.height * 0.86
    has_fence = chance.random() < 0.5
    if has_fence:
        board = canvas.width / 13
        for n in range(13):
            x, top = n * board + board * 0.12, canvas.height * 0.42
            width = board * 0.76
            canvas.polygon([(x, top), (x + width / 2, top - 18), (x + width, top)], "#f4efe4")
            canvas.rectangle(x, top, width, soil - top, "#f4efe4")
        canvas.rectangle(0, canvas.height * 0.52, canvas.width, 12, "#ddd4c2")
    canvas.rectangle(0, soil, canvas.width, canvas.height - soil, "#5b4234")
    size = min(canvas.width / number, canvas.height * 0.3) * 0.36
    for n in range(number):
        x = canvas.width * (n + 0.5) / number + chance.uniform(-8, 8)
        y = canvas.height * chance.uniform(0.3, 0.55)
        canvas.line([(x, y), (x + chance.uniform(-10, 10), soil + 4)], 6, "#3f7d4e")
        for side in (-1, 1):
            leaf = [(x, soil - 8), (x + side * size, soil - size * 1.9), (x + side * 12, soil - 10)]
            canvas.polygon(leaf, "#4c9160" if side > 0 else "#3a7449")
        shade = mix(petals, "#ffffff", chance.uniform(0, 0.25))
        _draw_flower(canvas, form, (x, y), size, shade)
    fence = " in front of a white fence" if has_fence else ""
    return f"{count_word(number).capitalize()} {color_name} {form}{fence}, under {light.sky}."


def _draw_flower(canvas: Canvas, form: str, place: Point, size: float, color: str) -> None:
    x, y = place
    dark = mix(color, "#401020", 0.25)
    if form == "tulips":
        canvas.ellipse(x, y, size * 0.7, size * 0.8, color)
        for shift in (-0.5, 0, 0.5):
            left, right = x + (shift - 0.28) * size, x + (shift + 0.28) * size
            canvas.polygon([(left, y), (x + shift * size, y - size * 1.15), (right, y)], color)
        canvas.ellipse(x, y + size * 0.1, size * 0.3, size * 0.68, dark, 90)
        return
    rings = ((1.0, 14), (0.72, 11), (0.45, 8)) if form == "dahlias" else ((1.0, 12),)
    petal = "#fbf8ef" if form == "daisies" else color
    for ring, (reach, count) in enumerate(rings):
        tint = mix(petal, dark, 0.22 * ring) if form == "dahlias" else mix(petal, color, 0.25)
        for n in range(count):
            angle = math.tau * (n + 0.5 * ring) / count
            canvas.circle(
                x + math.cos(angle) * size * reach * 0.68,
                y + math.sin(angle) * size * reach * 0.68,
                size * (0.32 if form == "dahlias" else 0.24), tint,
            )  # fmt: skip
    canvas.circle(x, y, size * 0.3, color if form == "daisies" else mix(dark, "#f2b134", 0.35))


def draw_books(canvas: Canvas, chance: Random) -> str:
    wall, wall_name = chance.choice(WALLS)
    canvas.fill(wall)
    shelves = chance.choice((2, 3))
    room = canvas.height / shelves
    has_plant = chance.random() < 0.6
    plant_shelf = chance.randrange(shelves)
    for shelf in range(shelves):
        base = room * (shelf + 1) - 16
        x, end = canvas.width * 0.04, canvas.width * chance.uniform(0.7, 0.94)
        if has_plant and shelf == plant_shelf:
            end = canvas.width * 0.7
            _draw_pot(canvas, chance, canvas.width * 0.84, base, room * 0.34)
        while x < end:
            width, height = (
                canvas.width * chance.uniform(0.022, 0.05),
                room * chance.uniform(0.52, 0.8),
            )
            color = chance.choice(BOOK_COLORS)
            canvas.rectangle(x, base - height, width, height, color, radius=3)
            canvas.rectangle(
                x + width * 0.2,
                base - height * 0.86,
                width * 0.6,
                height * 0.1,
                mix(color, "#ffffff", 0.5),
            )
            x += width + 2
        canvas.rectangle(0, base, canvas.width, 16, "#8a6145")
    plant = ", with a plant in a pot" if has_plant else ""
    return f"{count_word(shelves).capitalize()} shelves of colorful books on a {wall_name} wall{plant}."


def _draw_pot(canvas: Canvas, chance: Random, x: float, base: float, size: float) -> None:
    for n in range(9):
        angle = math.pi * (0.12 + 0.095 * n)
        tip = (
            x + math.cos(angle) * size * 1.1,
            base - size * 0.7 - math.sin(angle) * size * chance.uniform(0.7, 1.1),
        )
        side = math.cos(angle + 1.4) * size * 0.14
        middle = ((x + tip[0]) / 2 + side, (base - size * 0.7 + tip[1]) / 2 - size * 0.1)
        canvas.polygon(
            [(x - 4, base - size * 0.7), middle, tip, (x + 6, base - size * 0.7)],
            "#3f7d4e" if n % 2 else "#5a9a63",
        )
    top, bottom = size * 0.42, size * 0.32
    canvas.polygon(
        [
            (x - top, base - size * 0.75),
            (x + top, base - size * 0.75),
            (x + bottom, base),
            (x - bottom, base),
        ],
        "#c8694a",
    )


def draw_cat(canvas: Canvas, chance: Random) -> str:
    wall, wall_name = chance.choice(WALLS)
    light = chance.choice(DAYLIGHTS)
    canvas.fill(mix(wall, "#554a5a", 0.25) if light.is_dark else wall)
    left, top, width = canvas.width * 0.16, canvas.height * 0.08, canvas.width * 0.68
    sill = canvas.height * 0.76
    canvas.rectangle(left - 16, top - 16, width + 32, sill - top + 16, "#f5f1e6", radius=4)
    for n in range(40):
        y = top + (sill - top) * n / 40
        canvas.rectangle(
            left, y, width, (sill - top) / 40 + 1, mix(light.top, light.horizon, n / 40)
        )
    canvas.circle(left + width * 0.76, top + (sill - top) * 0.26, canvas.height * 0.06, light.disc)
    canvas.rectangle(left + width / 2 - 6, top, 12, sill - top, "#f5f1e6")
    canvas.rectangle(left - 40, sill, width + 80, 26, "#e7dfcd", radius=5)
    fur, fur_name = chance.choice(
        (("#2b2733", "black"), ("#c9783a", "orange"), ("#8a8f98", "grey"), ("#efe6d8", "white"))
    )
    size, x = canvas.height * 0.17, left + width * chance.uniform(0.26, 0.4)
    base = sill + 4
    canvas.arc(x + size * 0.9, base + size * 0.1, size * 0.5, size * 0.62, 90, 300, size * 0.2, fur)
    canvas.ellipse(x, base - size * 0.75, size * 0.72, size * 0.85, fur)
    canvas.rectangle(
        x - size * 0.68, base - size * 0.6, size * 1.36, size * 0.6, fur, radius=size * 0.24
    )
    head = base - size * 1.75
    canvas.circle(x, head, size * 0.52, fur)
    for side in (-1, 1):
        ear = [
            (x + side * size * 0.5, head - size * 0.1),
            (x + side * size * 0.44, head - size * 0.78),
            (x + side * size * 0.05, head - size * 0.46),
        ]
        canvas.polygon(ear, fur)
    faces_room = chance.random() < 0.5
    if faces_room:
        for side in (-1, 1):
            canvas.ellipse(x + side * size * 0.2, head, size * 0.1, size * 0.13, "#d8e06a")
            canvas.ellipse(x + side * size * 0.2, head, size * 0.035, size * 0.12, "#15131a")
        nose = [(x - 6, head + size * 0.17), (x + 6, head + size * 0.17), (x, head + size * 0.25)]
        canvas.polygon(nose, "#e58f93")
    pose = "looks into the room" if faces_room else "looks out"
    return (
        f"{with_article(fur_name)} cat sits on the window sill of a {wall_name} room and {pose}."
        f" Outside is {light.sky}."
    )
