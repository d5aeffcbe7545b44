"""Scenes in nature: hills, mountains, the sea, forests, the night sky.

Each function draws on an empty canvas and returns a description of what it drew.
"""

import math
from random import Random

from .canvas import DAYLIGHTS, Canvas, count_word, mirror, mix, place_disc, ridge

SAILS = ("#fbfaf3", "#f2d7b0", "#d96c4f", "#e9e4d4")


def draw_hills(canvas: Canvas, chance: Random) -> str:
    light = chance.choice(DAYLIGHTS)
    canvas.gradient(light.top, light.horizon, 0, canvas.height * 0.8)
    disc = place_disc(canvas, chance, light, chance.uniform(0.2, 0.38))
    number = chance.randint(4, 6)
    has_trees, has_birds = chance.random() < 0.6, chance.random() < 0.5 and not light.is_dark
    for layer in range(number):
        share = layer / (number - 1)
        level = canvas.height * (0.45 + 0.42 * share)
        points = ridge(canvas, chance, level, canvas.height * 0.07)
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
        mirror(canvas, shore)
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
    points = ridge(canvas, chance, canvas.height * 0.84, canvas.height * 0.05)
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
