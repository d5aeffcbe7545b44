"""Scenes with buildings: city skylines, and trains on viaducts.

Each function draws on an empty canvas and returns a description of what it drew.
"""

from random import Random

from .canvas import DAYLIGHTS, Canvas, Point, count_word, mirror, mix, place_disc, ridge

LAMPS = ("#ffd98a", "#ffe9b8", "#ffc46b")


def draw_city(canvas: Canvas, chance: Random) -> str:
    light = chance.choice(DAYLIGHTS)
    has_river = chance.random() < 0.6
    ground = canvas.height * (0.68 if has_river else 1)
    canvas.gradient(light.top, light.horizon, 0, ground)
    disc = place_disc(canvas, chance, light, chance.uniform(0.11, 0.16))
    is_lit = light.is_dark or light.sky.startswith("a red")
    for share, lowest, highest in ((0.3, 0.35, 0.62), (0.8, 0.2, 0.5)):
        color, x = mix(mix(light.horizon, light.far, 0.7), light.near, share), -10.0
        while x < canvas.width:
            width = canvas.width * chance.uniform(0.05, 0.1)
            height = ground * chance.uniform(lowest, highest)
            _draw_building(canvas, chance, (x, ground - height), (width, height), color, is_lit)
            x += width + chance.choice((0, 0, 4))
    if has_river:
        mirror(canvas, ground)
    river = ", reflected in a river" if has_river else ""
    windows = " with lit windows" if is_lit else ""
    return f"A city skyline{windows}{river}, under {light.sky} with {disc}."


def draw_railway(canvas: Canvas, chance: Random) -> str:
    light = chance.choice(DAYLIGHTS[:5])
    canvas.gradient(light.top, light.horizon, 0, canvas.height * 0.7)
    disc = place_disc(canvas, chance, light, 0.18)
    for level, share in ((0.5, 0.2), (0.62, 0.45)):
        points = ridge(canvas, chance, canvas.height * level, canvas.height * 0.06)
        color = mix(light.far, light.near, share)
        canvas.polygon([*points, (canvas.width, canvas.height), (0, canvas.height)], color)
    deck, stone = canvas.height * 0.56, mix("#a08873", light.near, 0.25)
    arches = chance.randint(5, 7)
    span = canvas.width / arches
    canvas.rectangle(0, deck, canvas.width, canvas.height * 0.34, stone)
    valley = mix(light.near, "#3f6b45", 0.45)
    for arch in range(arches):
        x = (arch + 0.5) * span
        canvas.ellipse(x, deck + span * 0.5, span * 0.36, span * 0.36, mix(valley, light.far, 0.35))
        canvas.rectangle(
            x - span * 0.36,
            deck + span * 0.5,
            span * 0.72,
            canvas.height,
            mix(valley, light.far, 0.35),
        )
    points = ridge(canvas, chance, canvas.height * 0.88, canvas.height * 0.03)
    canvas.polygon([*points, (canvas.width, canvas.height), (0, canvas.height)], valley)
    paint, name = chance.choice((("#b8322f", "red"), ("#2d6a4f", "green"), ("#28527a", "blue")))
    cars, length, height = chance.randint(3, 5), canvas.width * 0.13, canvas.height * 0.07
    for car in range(cars):
        x = canvas.width * 0.12 + car * (length + 4)
        canvas.rectangle(x, deck - height, length, height - 3, paint, radius=5)
        for window in range(4):
            canvas.rectangle(
                x + 10 + window * (length - 14) / 4, deck - height * 0.75, length / 7, height * 0.32,
                "#fdf3cf", radius=2,
            )  # fmt: skip
    return (
        f"A {name} train with {count_word(cars)} cars on a stone viaduct with {count_word(arches)} arches,"
        f" under {light.sky} with {disc}."
    )


def _draw_building(
    canvas: Canvas, chance: Random, corner: Point, size: Point, color: str, is_lit: bool
) -> None:
    (x, y), (width, height) = corner, size
    canvas.rectangle(x, y, width, height, color)
    roof = chance.random()
    if roof < 0.15:
        canvas.polygon([(x, y), (x + width / 2, y - width * 0.45), (x + width, y)], color)
    elif roof < 0.3:
        canvas.rectangle(x + width * 0.42, y - width * 0.5, 3, width * 0.5, color)
    pane = mix(color, "#ffffff", 0.14)
    columns, rows = max(2, int(width // 15)), int(height // 19)
    for row in range(rows):
        for column in range(columns):
            is_bright = is_lit and chance.random() < 0.4
            canvas.rectangle(
                x + (column + 0.28) * width / columns, y + 9 + row * 19, width / columns * 0.44, 9,
                chance.choice(LAMPS) if is_bright else pane,
            )  # fmt: skip
