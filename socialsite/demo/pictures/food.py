"""Scenes with food: bread, fruit, coffee.

Each function draws on an empty canvas and returns a description of what it drew.
"""

import math
from random import Random

from .canvas import (
    BOOK_COLORS,
    FLOWER_COLORS,
    TABLES,
    WALLS,
    Canvas,
    Point,
    mix,
    with_article,
)

FRUIT = (
    ("#e0aa2e", "lemons"),
    ("#c8372d", "apples"),
    ("#ee8434", "oranges"),
    ("#7aa23f", "limes"),
    ("#8c3f5d", "plums"),
)


def draw_bread(canvas: Canvas, chance: Random) -> str:
    wall, wall_name = chance.choice(WALLS)
    _draw_table(canvas, wall, chance.choice(TABLES), 0.56)
    board_y = canvas.height * 0.78
    half = canvas.width * 0.4
    canvas.rectangle(canvas.width / 2 - half, board_y - 14, 2 * half, 36, "#e2bd8b", radius=16)
    canvas.circle(canvas.width / 2 + half - 22, board_y + 4, 7, "#a9744f")
    crust = chance.choice(("#b5733a", "#9a5b2b", "#c98a4b"))
    form = chance.choice(("a round loaf", "a long loaf", "three rolls"))
    if form == "three rolls":
        for n in (-1, 0, 1):
            _draw_loaf(
                canvas,
                (canvas.width / 2 + n * half * 0.56, board_y),
                half * 0.3,
                half * 0.26,
                crust,
                1,
            )
    elif form == "a round loaf":
        _draw_loaf(canvas, (canvas.width / 2, board_y), half * 0.6, half * 0.52, crust, 3)
    else:
        _draw_loaf(canvas, (canvas.width / 2, board_y), half * 0.84, half * 0.36, crust, 5)
    has_jar = chance.random() < 0.5
    if has_jar:
        side, (jam, jam_name) = chance.choice((0.12, 0.88)), chance.choice(FLOWER_COLORS[:4])
        x, width, height = canvas.width * side, canvas.width * 0.11, canvas.height * 0.2
        canvas.rectangle(x - width / 2, board_y - height, width, height, jam, radius=12)
        canvas.rectangle(
            x - width * 0.42, board_y - height - 14, width * 0.84, 20, "#f4efe4", radius=5
        )
        canvas.rectangle(
            x - width * 0.34, board_y - height * 0.7, width * 0.68, height * 0.34, "#fbf6e8"
        )
    jar = f" and a jar of {jam_name} jam" if has_jar else ""
    verb = "lie" if form == "three rolls" else "lies"
    return (
        f"{form.capitalize()} with a brown crust {verb} on a wooden board{jar},"
        f" in front of a {wall_name} wall."
    )


def _draw_loaf(canvas: Canvas, place: Point, rx: float, ry: float, crust: str, cuts: int) -> None:
    x, base = place
    canvas.pie(x, base - 10, rx, ry * 1.6, 180, 360, crust)
    canvas.pie(x - rx * 0.08, base - 12, rx * 0.8, ry * 1.36, 180, 360, mix(crust, "#ffd9a0", 0.2))
    for n in range(cuts):
        middle = x + (n - (cuts - 1) / 2) * rx * 1.3 / cuts
        top = base - ry * 1.1
        canvas.line(
            [(middle - rx * 0.08, top + ry * 0.5), (middle + rx * 0.1, top)],
            rx * 0.05 + 4,
            "#f3d9ab",
        )


def draw_fruit(canvas: Canvas, chance: Random) -> str:
    wall, wall_name = chance.choice(WALLS)
    _draw_table(canvas, wall, chance.choice(TABLES), 0.6)
    kinds = chance.sample(FRUIT, 2)
    x, y, half = (
        canvas.width / 2,
        canvas.height * 0.62,
        min(canvas.width * 0.3, canvas.height * 0.42),
    )
    radius = half * 0.27
    for row, count in enumerate((3, 4)):
        for n in range(count):
            color, name = kinds[(n + row) % 2]
            fx = x + (n - (count - 1) / 2) * radius * 1.75
            fy = y - radius * (1.9 - 1.25 * row)
            canvas.circle(fx, fy, radius, color)
            canvas.circle(fx - radius * 0.3, fy - radius * 0.35, radius * 0.26, "#ffffff", 70)
            if name in ("apples", "plums"):
                canvas.line([(fx, fy - radius * 0.8), (fx + 5, fy - radius * 1.2)], 4, "#4f3a2a")
    bowl, bowl_name = chance.choice(
        (("#f4f1e8", "white"), ("#3f6f8f", "blue"), ("#c46a4a", "terracotta"))
    )
    canvas.pie(x, y - 6, half, half * 0.78, 0, 180, bowl)
    canvas.rectangle(
        x - half * 0.34,
        y + half * 0.68,
        half * 0.68,
        half * 0.12,
        mix(bowl, "#000000", 0.15),
        radius=5,
    )
    canvas.rectangle(x - half - 8, y - 14, 2 * half + 16, 16, mix(bowl, "#ffffff", 0.3), radius=8)
    names = f"{kinds[0][1]} and {kinds[1][1]}"
    return f"A {bowl_name} bowl with {names} on a table, in front of a {wall_name} wall."


def draw_coffee(canvas: Canvas, chance: Random) -> str:
    table = chance.choice(TABLES)
    canvas.fill(table)
    for n in range(1, 7):
        y = canvas.height * n / 7 + chance.uniform(-6, 6)
        canvas.line([(0, y), (canvas.width, y)], 3, mix(table, "#000000", 0.18))
    x, y = canvas.width * chance.uniform(0.32, 0.42), canvas.height * chance.uniform(0.42, 0.6)
    radius = min(canvas.width, canvas.height) * 0.22
    cup, cup_name = chance.choice(
        (("#f6f3ec", "white"), ("#345c7c", "blue"), ("#d9694a", "orange"))
    )
    canvas.circle(x + 8, y + 12, radius * 1.42, "#000000", 50)
    canvas.circle(x, y, radius * 1.42, mix(cup, "#ffffff", 0.55))
    canvas.ring(x, y, radius * 1.05, 3, mix(cup, "#000000", 0.18))
    angle = chance.uniform(-0.6, 0.6)
    handle = (x + math.cos(angle) * radius * 1.3, y + math.sin(angle) * radius * 1.3)
    canvas.line([(x, y), handle], radius * 0.22, cup)
    canvas.circle(x, y, radius, cup)
    canvas.circle(x, y, radius * 0.84, "#6b4128")
    for step in range(5, 0, -1):
        canvas.ellipse(
            x,
            y - radius * 0.07 * step,
            radius * 0.1 * step,
            radius * 0.09 * step,
            "#e9cfae" if step % 2 else "#8a5a38",
        )
    left, top = canvas.width * 0.68, canvas.height * 0.22
    companion = chance.choice(("an open book", "a croissant on a plate", "a closed notebook"))
    width, height = canvas.width * 0.27, canvas.height * 0.5
    if companion == "an open book":
        canvas.rectangle(left + 8, top + 10, width, height, "#000000", opacity=50, radius=4)
        canvas.rectangle(left, top, width, height, "#fbf7ea", radius=4)
        canvas.line([(left + width / 2, top), (left + width / 2, top + height)], 4, "#cfc6ae")
        for n in range(9):
            for side in (0.08, 0.56):
                line_y = top + height * (0.12 + 0.085 * n)
                canvas.line(
                    [(left + width * side, line_y), (left + width * (side + 0.34), line_y)],
                    3,
                    "#b9b2a0",
                )
    elif companion == "a croissant on a plate":
        middle, plate = (left + width / 2, top + height / 2), width * 0.52
        canvas.circle(middle[0] + 6, middle[1] + 10, plate, "#000000", 50)
        canvas.circle(*middle, plate, "#f7f4ee")
        for n in range(7):
            turn = math.pi * (0.95 - 0.15 * n) + 0.1
            size = plate * (0.17 + 0.05 * (3 - abs(3 - n)))
            canvas.circle(
                middle[0] + math.cos(turn) * plate * 0.5,
                middle[1] + plate * 0.25 - math.sin(turn) * plate * 0.5,
                size,
                "#c98a45" if n % 2 else "#dca25c",
            )
    else:
        color = chance.choice(BOOK_COLORS)
        canvas.rectangle(left + 8, top + 10, width, height, "#000000", opacity=50, radius=10)
        canvas.rectangle(left, top, width, height, color, radius=10)
        canvas.rectangle(left + width * 0.82, top, 8, height, mix(color, "#ffffff", 0.4))
    return (
        f"{with_article(cup_name)} cup of coffee with milk foam and {companion} on a wooden table,"
        " seen from above."
    )


def _draw_table(canvas: Canvas, wall: str, table: str, level: float) -> None:
    canvas.gradient(mix(wall, "#ffffff", 0.25), wall, 0, canvas.height * level)
    canvas.rectangle(0, canvas.height * level, canvas.width, canvas.height, table)
    canvas.rectangle(0, canvas.height * level, canvas.width, 6, mix(table, "#ffffff", 0.3))
