"""Scenes outdoors: hills, mountains, the sea, cities, forests, the night sky, railways.

Each function draws on an empty canvas and returns a description of what it drew.
"""

import math
from random import Random

from PIL import Image, ImageEnhance, ImageOps

from .canvas import DAYLIGHTS, SCALE, Canvas, Point, count_word, mix, place_disc

SAILS = ("#fbfaf3", "#f2d7b0", "#d96c4f", "#e9e4d4")
LAMPS = ("#ffd98a", "#ffe9b8", "#ffc46b")


def draw_hills(canvas: Canvas, chance: Random) -> str:
    light = chance.choice(DAYLIGHTS)
    canvas.gradient(light.top, light.horizon, 0, canvas.height * 0.8)
    disc = place_disc(canvas, chance, light, chance.uniform(0.2, 0.38))
    number = chance.randint(4, 6)
    has_trees, has_birds = chance.random() < 0.6, chance.random() < 0.5 and not light.is_dark
    for layer in range(number):
        share = layer / (number - 1)
        level = canvas.height * (0.45 + 0.42 * share)
        points = _ridge(canvas, chance, level, canvas.height * 0.07)
        color = mix(mix(light.horizon, light.far, 0.6), light.near, share)
        canvas.polygon([*points, (canvas.width, canvas.height), (0, canvas.height)], color)
        if layer == number - 1 and has_trees:
            for x, y in chance.sample(points[2:-2], 14):
                _draw_fir(canvas, x, y + 4, canvas.height * chance.uniform(0.06, 0.12), light.near)
    if has_birds:
        _draw_birds(canvas, chance, light.near)
    extras = [disc]
    if has_birds:
        extras.append("a few birds")
    trees = " and firs on the nearest slope" if has_trees else ""
    layers = f"{count_word(number).capitalize()} layers of hills{trees}"
    return f"{layers} under {light.sky}, with {' and '.join(extras)}."


def draw_mountains(canvas: Canvas, chance: Random) -> str:
    light = chance.choice(DAYLIGHTS)
    has_lake = chance.random() < 0.6
    shore = canvas.height * (0.62 if has_lake else 1)
    canvas.gradient(light.top, light.horizon, 0, shore)
    disc = place_disc(canvas, chance, light, 0.16)
    peaks = chance.randint(2, 4)
    for layer, (size, share) in enumerate(((0.34, 0.25), (0.5, 0.7))):
        for peak in range(peaks):
            x = canvas.width * (peak + chance.uniform(0.2, 0.8)) / peaks
            height = shore * (0.55 + 0.25 * (1 - layer)) * chance.uniform(0.75, 1)
            _draw_peak(
                canvas, chance, x, shore, height, max(height * 0.8, canvas.width * size / math.sqrt(peaks)),
                mix(light.far, light.near, share), mix("#ffffff", light.horizon, 0.15 + 0.2 * layer),
            )  # fmt: skip
    if has_lake:
        _mirror(canvas, shore)
    lake = ", mirrored in a still lake" if has_lake else ""
    return f"Snow-capped mountains{lake}, under {light.sky} with {disc}."


def draw_sea(canvas: Canvas, chance: Random) -> str:
    light = chance.choice(DAYLIGHTS)
    horizon = canvas.height * chance.uniform(0.5, 0.62)
    canvas.gradient(light.top, light.horizon, 0, horizon)
    disc = place_disc(canvas, chance, light, horizon / canvas.height - chance.uniform(0.1, 0.26))
    water = mix("#2f7f9d", light.near, 0.45)
    canvas.gradient(mix(water, light.horizon, 0.45), mix(water, light.near, 0.4), horizon)
    for _ in range(150):
        depth = chance.random() ** 1.5
        x, y = chance.uniform(0, canvas.width), horizon + 3 + (canvas.height - horizon) * depth
        length = 8 + 60 * depth * chance.random()
        canvas.line([(x, y), (x + length, y)], 1 + 2 * depth, light.disc, 60)
    boats = chance.randint(0, 3)
    for boat in range(boats):
        x = canvas.width * (boat + chance.uniform(0.25, 0.75)) / boats
        _draw_boat(canvas, chance, x, horizon + canvas.height * chance.uniform(0.02, 0.2))
    has_lighthouse = boats < 2
    if has_lighthouse:
        _draw_lighthouse(canvas, chance, horizon, light.near)
    parts = []
    if boats:
        parts.append(f"{count_word(boats)} sailing boat{'s' if boats > 1 else ''}")
    if has_lighthouse:
        parts.append("a striped lighthouse on a rock")
    return f"The sea with {' and '.join(parts)}, under {light.sky} with {disc}."


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
        _mirror(canvas, ground)
    river = ", reflected in a river" if has_river else ""
    windows = " with lit windows" if is_lit else ""
    return f"A city skyline{windows}{river}, under {light.sky} with {disc}."


def draw_forest(canvas: Canvas, chance: Random) -> str:
    light = chance.choice(DAYLIGHTS)
    canvas.gradient(mix(light.top, light.horizon, 0.5), light.horizon)
    disc = place_disc(canvas, chance, light, chance.uniform(0.15, 0.28))
    near = mix("#16382f", light.near, 0.4)
    rows = chance.randint(4, 5)
    for row in range(rows):
        share = row / (rows - 1)
        color = mix(mix(light.horizon, near, 0.25), near, share)
        level, step = canvas.height * (0.5 + 0.48 * share), canvas.width * (0.03 + 0.05 * share)
        canvas.rectangle(0, level - step * 0.4, canvas.width, canvas.height, color)
        x = -step * chance.random()
        while x < canvas.width + step:
            height = canvas.height * (0.14 + 0.22 * share) * chance.uniform(0.7, 1.2)
            _draw_fir(canvas, x, level + 6, height, color)
            x += step * chance.uniform(0.6, 1.1)
    return f"Rows of fir trees that fade into the mist, under {light.sky} with {disc}."


def draw_night_sky(canvas: Canvas, chance: Random) -> str:
    top, horizon = chance.choice(
        (("#070b22", "#2b3a73"), ("#0b0b24", "#553a72"), ("#04121f", "#1f5a6b"))
    )
    canvas.gradient(top, horizon)
    slope = chance.uniform(-0.5, 0.5)
    for _ in range(240):
        x = chance.uniform(0, canvas.width)
        y = canvas.height * 0.36 + slope * (x - canvas.width / 2) + chance.gauss(0, 36)
        canvas.circle(x, y, chance.uniform(12, 34), "#c9cdf2", 5)
    for _ in range(330):
        x, y = chance.uniform(0, canvas.width), chance.uniform(0, canvas.height * 0.85)
        canvas.circle(x, y, min(3.2, chance.paretovariate(2.4) * 0.7), "#fdfbe8")
    x, y, radius = (
        canvas.width * chance.uniform(0.2, 0.8),
        canvas.height * 0.22,
        canvas.height * 0.07,
    )
    phase = chance.choice(("crescent moon", "half moon", "full moon"))
    canvas.circle(x, y, radius, "#f6f0d7")
    if phase == "crescent moon":
        canvas.circle(x + radius * 0.55, y - radius * 0.12, radius * 0.92, mix(top, horizon, 0.2))
    elif phase == "half moon":
        canvas.pie(x, y, radius + 1, radius + 1, 270, 90, mix(top, horizon, 0.2))
    points = _ridge(canvas, chance, canvas.height * 0.84, canvas.height * 0.05)
    canvas.polygon([*points, (canvas.width, canvas.height), (0, canvas.height)], "#05070f")
    has_tent = chance.random() < 0.5
    if has_tent:
        place, level = chance.choice(points[8:-8])
        size = canvas.height * 0.09
        tent = [(place - size, level + 14), (place, level + 14 - size), (place + size, level + 14)]
        canvas.polygon(tent, "#f2b25c")
        canvas.polygon([(place - 5, level + 14), tent[1], (place + 12, level + 14)], "#8c4a24")
    tent_text = " with a small lit tent" if has_tent else ""
    return f"A {phase} and hundreds of stars above a dark ridge{tent_text}. The Milky Way is faint."


def draw_railway(canvas: Canvas, chance: Random) -> str:
    light = chance.choice(DAYLIGHTS[:5])
    canvas.gradient(light.top, light.horizon, 0, canvas.height * 0.7)
    disc = place_disc(canvas, chance, light, 0.18)
    for level, share in ((0.5, 0.2), (0.62, 0.45)):
        points = _ridge(canvas, chance, canvas.height * level, canvas.height * 0.06)
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
    points = _ridge(canvas, chance, canvas.height * 0.88, canvas.height * 0.03)
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


def _ridge(canvas: Canvas, chance: Random, level: float, size: float) -> list[Point]:
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


def _draw_fir(canvas: Canvas, x: float, y: float, height: float, color: str) -> None:
    for part in range(3):
        width, top = height * (0.16 + 0.07 * part), y - height * (1 - 0.24 * part)
        canvas.polygon(
            [(x - width, top + height * 0.46), (x, top), (x + width, top + height * 0.46)], color
        )
    canvas.rectangle(x - height * 0.03, y - height * 0.1, height * 0.06, height * 0.1, color)


def _draw_birds(canvas: Canvas, chance: Random, color: str) -> None:
    left, top = canvas.width * chance.uniform(0.3, 0.6), canvas.height * chance.uniform(0.12, 0.24)
    for _ in range(chance.randint(3, 6)):
        x, y = left + chance.uniform(-70, 70), top + chance.uniform(-36, 36)
        size = chance.uniform(5, 10)
        canvas.arc(x - size, y, size, size * 0.7, 200, 340, 2, color)
        canvas.arc(x + size, y, size, size * 0.7, 200, 340, 2, color)


def _draw_peak(
    canvas: Canvas, chance: Random, x: float, base: float, height: float, half: float, rock: str, snow: str
) -> None:  # fmt: skip
    """Draw a mountain with a shaded side and a snow cap."""
    top = base - height
    canvas.polygon([(x - half, base), (x, top), (x + half, base)], rock)
    shade = mix(rock, "#000020", 0.16)
    canvas.polygon([(x, top), (x + half, base), (x + half * 0.1, base)], shade)
    line = [(x - half * 0.3, top + height * 0.3)]
    for n in range(1, 6):
        jag = height * (0.07 if n % 2 else -0.04) * chance.uniform(0.6, 1.4)
        line.append((x + half * (-0.3 + 0.12 * n), top + height * 0.3 + jag))
    canvas.polygon([(x, top), *line[::-1]], snow)


def _mirror(canvas: Canvas, shore: float) -> None:
    """Fill everything below ``shore`` with a darker reflection of what is above."""
    edge = round(shore * SCALE)
    rest = canvas.image.height - edge
    above = ImageOps.flip(canvas.image.crop((0, 0, canvas.image.width, edge)))
    reflection = above.resize((canvas.image.width, round(edge * 0.62)), Image.Resampling.BILINEAR)
    canvas.image.paste(ImageEnhance.Brightness(reflection).enhance(0.78), (0, edge))
    for n in range(9):
        y = shore + (n / 9) ** 1.4 * rest / SCALE
        canvas.line([(0, y), (canvas.width, y)], 1.5, "#ffffff", 26)


def _draw_boat(canvas: Canvas, chance: Random, x: float, y: float) -> None:
    size = canvas.height * chance.uniform(0.06, 0.11)
    hull = [
        (x - size, y),
        (x + size, y),
        (x + size * 0.7, y + size * 0.35),
        (x - size * 0.7, y + size * 0.35),
    ]
    canvas.polygon(hull, chance.choice(("#2d3142", "#7a2f2b", "#23496b")))
    sail = chance.choice(SAILS)
    canvas.polygon([(x - 2, y - 3), (x - 2, y - size * 2.2), (x - size * 0.9, y - 3)], sail)
    canvas.polygon(
        [(x + 3, y - 3), (x + 3, y - size * 1.9), (x + size * 0.8, y - 3)],
        mix(sail, "#888888", 0.15),
    )


def _draw_lighthouse(canvas: Canvas, chance: Random, horizon: float, dark: str) -> None:
    side = chance.choice((0.14, 0.86))
    x, base, height = canvas.width * side, horizon + canvas.height * 0.06, canvas.height * 0.34
    rock = [
        (x - 110, base + 26),
        (x - 70, base - 6),
        (x - 20, base - 16),
        (x + 40, base - 12),
        (x + 105, base + 26),
    ]
    canvas.polygon(rock, mix(dark, "#444444", 0.3))
    bands = 5
    for band in range(bands):
        upper, lower = 15 + 9 * band / bands, 15 + 9 * (band + 1) / bands
        top = base - 12 - height * (1 - band / bands)
        bottom = top + height / bands
        color = "#c8443a" if band % 2 == 0 else "#f7f3ea"
        canvas.polygon(
            [(x - upper, top), (x + upper, top), (x + lower, bottom), (x - lower, bottom)], color
        )
    canvas.rectangle(x - 11, base - 12 - height - 20, 22, 20, "#ffe8a3")
    canvas.polygon(
        [(x - 16, base - 32 - height), (x, base - 48 - height), (x + 16, base - 32 - height)],
        "#7a2f2b",
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
