"""Scenes with bicycles, records and charts.

Each function draws on an empty canvas and returns a description of what it drew.
"""

import math
from random import Random

from .canvas import BOOK_COLORS, FLOWER_COLORS, TABLES, WALLS, Canvas, mix, with_article

PAINTS = (("#c8443a", "red"), ("#2d6a4f", "green"), ("#28527a", "blue"), ("#e0a030", "yellow"))


def draw_bicycle(canvas: Canvas, chance: Random) -> str:
    wall, wall_name = chance.choice(WALLS)
    ground = canvas.height * 0.82
    _draw_brick_wall(canvas, chance, wall, ground)
    canvas.rectangle(0, ground, canvas.width, canvas.height, "#8b8f94")
    canvas.rectangle(0, ground, canvas.width, 10, "#b7babd")
    paint, paint_name = chance.choice(PAINTS)
    r = min(canvas.width * 0.15, canvas.height * 0.2)
    x, y = canvas.width / 2, ground - r
    back, front = (x - r * 1.55, y), (x + r * 1.55, y)
    for cx, cy in (back, front):
        for n in range(10):
            turn = math.tau * n / 10 + 0.2
            canvas.line(
                [(cx, cy), (cx + math.cos(turn) * r, cy + math.sin(turn) * r)], 1.5, "#8f8f8f"
            )
        canvas.ring(cx, cy, r, r * 0.09, "#2b2b2b")
    crank, seat, head = (
        (x - r * 0.25, y + r * 0.1),
        (x - r * 0.6, y - r * 1.25),
        (x + r * 0.95, y - r * 1.2),
    )
    for start, end in (
        (back, crank),
        (back, seat),
        (seat, crank),
        (crank, head),
        (seat, head),
        (head, front),
    ):
        canvas.line([start, end], r * 0.11, paint)
    canvas.line(
        [(seat[0] - r * 0.32, seat[1] - r * 0.18), (seat[0] + r * 0.3, seat[1] - r * 0.18)],
        r * 0.15,
        "#3a2a22",
    )
    canvas.line([seat, (seat[0] - r * 0.05, seat[1] - r * 0.16)], r * 0.08, "#444444")
    bar = [head, (head[0] - r * 0.08, head[1] - r * 0.35), (head[0] + r * 0.35, head[1] - r * 0.4)]
    canvas.line(bar, r * 0.09, "#3a3a3a")
    canvas.circle(*crank, r * 0.2, "#3a3a3a")
    has_basket = chance.random() < 0.5
    if has_basket:
        left, top = head[0] + r * 0.16, head[1] - r * 0.3
        for n, (color, _name) in enumerate(chance.sample(FLOWER_COLORS, 4)):
            canvas.circle(left + r * (0.12 + 0.2 * n), top - r * 0.08, r * 0.16, color)
        canvas.polygon(
            [
                (left, top),
                (left + r * 0.85, top),
                (left + r * 0.72, top + r * 0.55),
                (left + r * 0.12, top + r * 0.55),
            ],
            "#b98a56",
        )
    basket = " with flowers in its basket" if has_basket else ""
    return f"A {paint_name} bicycle{basket} leans against a {wall_name} brick wall."


def _draw_brick_wall(canvas: Canvas, chance: Random, wall: str, ground: float) -> None:
    canvas.fill(wall)
    for row in range(int(ground // 44)):
        for column in range(int(canvas.width // 90) + 2):
            if chance.random() < 0.3:
                x, color = (
                    column * 90 - 45 * (row % 2),
                    mix(wall, "#8a5a44", chance.uniform(0.08, 0.2)),
                )
                canvas.rectangle(x + 3, row * 44 + 3, 84, 38, color, radius=3)


def draw_record(canvas: Canvas, chance: Random) -> str:
    canvas.fill(mix(chance.choice(TABLES), "#222222", 0.2))
    size = min(canvas.width * 0.56, canvas.height * 0.78)
    left, top = canvas.width * 0.08, (canvas.height - size) / 2
    x, y = left + size * 1.02, canvas.height / 2
    canvas.circle(x + 8, y + 10, size * 0.48, "#000000", 60)
    canvas.circle(x, y, size * 0.48, "#17171b")
    for n in range(6):
        canvas.ring(x, y, size * (0.22 + 0.04 * n), 1.5, "#3a3a42")
    label, _name = chance.choice(FLOWER_COLORS)
    canvas.circle(x, y, size * 0.16, label)
    canvas.circle(x, y, size * 0.02, "#f7f3ea")
    back, front, third = chance.sample(BOOK_COLORS, 3)
    canvas.rectangle(left + 8, top + 10, size, size, "#000000", opacity=60, radius=4)
    canvas.rectangle(left, top, size, size, back, radius=4)
    design = chance.choice(("circles", "stripes", "triangles"))
    for n in range(5):
        if design == "circles":
            canvas.circle(
                left + size / 2, top + size / 2, size * (0.42 - 0.08 * n), front if n % 2 else third
            )
        elif design == "stripes":
            canvas.rectangle(
                left, top + size * (0.12 + 0.17 * n), size, size * 0.09, front if n % 2 else third
            )
        else:
            edge = top + size * (0.95 - 0.17 * n)
            wide = size * (0.44 - 0.08 * n)
            canvas.polygon(
                [
                    (left + size / 2 - wide, edge),
                    (left + size / 2, edge - size * 0.24),
                    (left + size / 2 + wide, edge),
                ],
                front if n % 2 else third,
            )
    return f"A vinyl record half out of its sleeve. The sleeve shows a design of colored {design}."


def draw_chart(canvas: Canvas, chance: Random) -> str:
    is_dark = chance.random() < 0.5
    paper, ink = ("#14202b", "#8aa0b2") if is_dark else ("#fbfaf5", "#9aa3a8")
    canvas.fill(paper)
    left, right, top, base = (
        canvas.width * 0.08,
        canvas.width * 0.95,
        canvas.height * 0.1,
        canvas.height * 0.88,
    )
    for n in range(6):
        y = base - (base - top) * n / 5
        canvas.line([(left, y), (right, y)], 1.5, mix(paper, ink, 0.4))
    color, color_name = chance.choice(
        (("#e4572e", "orange"), ("#2a9d8f", "green"), ("#3f8fd6", "blue"))
    )
    turn = chance.uniform(0.4, 0.65)
    goes_down = chance.random() < 0.6
    points = []
    for n in range(70):
        share = n / 69
        level = 0.82 if (share < turn) == goes_down else 0.14
        noise = chance.gauss(0, 0.05 if level > 0.5 else 0.02)
        points.append(
            (left + (right - left) * share, base - (base - top) * max(0.03, level + noise))
        )
    canvas.polygon([(left, base), *points, (right, base)], color, 50)
    canvas.line(points, 5, color)
    canvas.line([(left, top), (left, base), (right, base)], 3, ink)
    change = (
        "stays high, then drops sharply and stays low"
        if goes_down
        else "stays low, then rises sharply and stays high"
    )
    return f"A line chart without labels. {with_article(color_name)} line {change}."
