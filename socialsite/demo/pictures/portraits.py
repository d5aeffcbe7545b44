"""Portraits for the profile pictures of demo users: faces in a flat style that is clear at 44 pixels.

Every part is drawn at random: skin, hair, eyes, clothes, glasses, beards, headscarves, hats, backgrounds.
"""

from dataclasses import dataclass
from random import Random

from PIL import Image

from .canvas import Canvas, mix
from .hairstyles import ALL_HAIR, SHORT_HAIR, Face

SIDE = 192
SKINS = ["#f6d7c3", "#f0c4a4", "#e3ac84", "#cf9068", "#b5764c", "#97593a", "#7d4a31", "#643c2b"]
DARK_HAIR = ["#15131a", "#2a1d1a", "#3d2a22"]
HAIR = [
    *DARK_HAIR,
    *DARK_HAIR,
    *["#5a3a26", "#7a4a28", "#9a6a3a", "#c99a52", "#dcbc7c", "#a5472a", "#8a8d94", "#d9d9dc"],
]
CLOTHES = (
    *("#264653", "#2a9d8f", "#e9c46a", "#f4a261", "#e76f51", "#8d6a9f"),
    *("#577590", "#f3efe0", "#9b2226", "#606c38", "#33415c", "#d88c9a"),
)  # fmt: skip
BACKGROUNDS = (
    *("#f2d8c2", "#cfe3dc", "#d9d4ef", "#f7cdbf", "#c7ddf0", "#f4e3a1"),
    *("#b9d8c2", "#e8c7d8", "#a9c4d8", "#e9b8a0", "#9fb8a6", "#c9b6dd"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Looks:
    """What the name of a user suggests: the possible skin and hair colors, and whether a beard is drawn."""

    skins: tuple[str, ...] = tuple(SKINS)
    hair: tuple[str, ...] = tuple(HAIR)
    can_have_beard: bool = False


def draw_portrait(*, looks: Looks, seed: str) -> Image.Image:
    """Return a square portrait. The same arguments always give the same picture."""
    chance = Random(seed)  # noqa: S311 - not a secret
    canvas = Canvas(SIDE, SIDE)
    _draw_background(canvas, chance)
    size = SIDE * chance.uniform(0.225, 0.25)
    skin = chance.choice(looks.skins)
    hair = chance.choice(looks.hair if skin in SKINS[:4] or chance.random() < 0.2 else DARK_HAIR)
    face = Face(skin, hair, SIDE / 2, SIDE * 0.45, size)
    _draw_person(canvas, chance, face, looks.can_have_beard)
    return canvas.finish()


def draw_team(*, seed: str) -> Image.Image:
    """Return a square picture of three people."""
    chance = Random(seed)  # noqa: S311 - not a secret
    canvas = Canvas(SIDE, SIDE)
    canvas.gradient("#35637f", "#8fc1bd")
    for number, (x, y) in enumerate(((0.25, 0.42), (0.75, 0.42), (0.5, 0.62))):
        skin = SKINS[(number * 3 + 1) % len(SKINS)]
        face = Face(skin, HAIR[number * 4], SIDE * x, SIDE * y, SIDE * 0.14)
        _draw_person(canvas, chance, face, can_have_beard=number == 1)
    return canvas.finish()


def _draw_background(canvas: Canvas, chance: Random) -> None:
    color = chance.choice(BACKGROUNDS)
    other = mix(color, chance.choice(("#ffffff", "#31405c", "#d96c4f")), 0.3)
    form = chance.random()
    canvas.fill(color)
    if form < 0.3:
        canvas.gradient(mix(color, "#ffffff", 0.35), other)
    elif form < 0.5:
        canvas.circle(SIDE / 2, SIDE * 0.45, SIDE * 0.4, other)
    elif form < 0.65:
        canvas.polygon([(0, SIDE * 0.75), (SIDE, SIDE * 0.2), (SIDE, SIDE), (0, SIDE)], other)
    elif form < 0.8:
        for n in range(0, 9, 2):
            canvas.rectangle(n * SIDE / 9, 0, SIDE / 9, SIDE, other)
    elif form < 0.9:
        for n in range(16):
            canvas.circle(24 + 48 * (n % 4) + 24 * (n // 4 % 2), 20 + 46 * (n // 4), 8, other)


def _draw_person(canvas: Canvas, chance: Random, face: Face, can_have_beard: bool) -> None:
    is_veiled = not can_have_beard and chance.random() < 0.06
    is_turbaned = can_have_beard and chance.random() < 0.03
    style = chance.choice(SHORT_HAIR if can_have_beard and chance.random() < 0.85 else ALL_HAIR)
    cloth = chance.choice(CLOTHES)
    scarf = chance.choice([color for color in CLOTHES if color != cloth])
    if is_veiled:
        canvas.ellipse(face.x, face.y + face.size * 0.35, face.size * 1.28, face.size * 1.75, scarf)
    elif not is_turbaned:
        style.draw_back(canvas, face)
    _draw_body(canvas, chance, face, cloth)
    _draw_head(canvas, chance, face, has_ears=not is_veiled)
    if can_have_beard and chance.random() < (1 if is_turbaned else 0.4):
        _draw_beard(canvas, chance, face)
    _draw_features(canvas, chance, face)
    if is_veiled:
        _draw_headscarf(canvas, face, scarf)
    elif is_turbaned:
        _draw_turban(canvas, face, scarf)
    else:
        style.draw_front(canvas, face)
        if chance.random() < 0.07:
            _draw_beanie(canvas, face, scarf)
    if chance.random() < 0.28:
        _draw_glasses(canvas, chance, face)
    if not (is_veiled or can_have_beard) and chance.random() < 0.35:
        for side in (-1, 1):
            canvas.circle(
                face.x + side * face.size * 0.98,
                face.y + face.size * 0.5,
                face.size * 0.11,
                "#f2c94c",
            )


def _draw_body(canvas: Canvas, chance: Random, face: Face, cloth: str) -> None:
    x, size = face.x, face.size
    top = face.y + size * 1.42
    canvas.rectangle(x - size * 0.38, face.y + size * 0.6, size * 0.76, size * 1.2, face.shade)
    canvas.rectangle(x - size * 1.62, top, size * 3.24, SIDE, cloth, radius=size * 0.8)
    canvas.ellipse(x, top + size * 0.02, size * 0.52, size * 0.34, face.shade)
    form = chance.random()
    if form < 0.3:
        for side in (-1, 1):
            collar = [
                (x, top + size * 0.62),
                (x + side * size * 0.62, top - size * 0.08),
                (x + side * size * 0.7, top + size * 0.5),
            ]
            canvas.polygon(collar, mix(cloth, "#ffffff", 0.45))
    elif form < 0.5:
        for n in range(4):
            canvas.rectangle(
                x - size * 1.5,
                top + size * (0.6 + 0.34 * n),
                size * 3,
                size * 0.14,
                mix(cloth, "#ffffff", 0.5),
            )
    elif form < 0.65:
        canvas.arc(
            x, top, size * 0.6, size * 0.46, 10, 170, size * 0.16, mix(cloth, "#ffffff", 0.3)
        )
    elif form < 0.75:
        canvas.rectangle(
            x - size * 0.6,
            top - size * 0.22,
            size * 1.2,
            size * 0.46,
            mix(cloth, "#000000", 0.15),
            radius=size * 0.2,
        )


def _draw_head(canvas: Canvas, chance: Random, face: Face, *, has_ears: bool) -> None:
    x, y, size = face.x, face.y, face.size
    if has_ears:
        for side in (-1, 1):
            canvas.ellipse(
                x + side * size * 0.96, y + size * 0.14, size * 0.17, size * 0.24, face.shade
            )
    length = chance.uniform(1.1, 1.2)
    canvas.rectangle(
        x - size * 0.95, y - size, size * 1.9, size * (1 + length), face.skin, radius=size * 0.92
    )


def _draw_features(canvas: Canvas, chance: Random, face: Face) -> None:
    x, y, size = face.x, face.y, face.size
    ink = mix(face.skin, "#1a0f10", 0.9)
    brow = mix(face.hair, "#2a1a16", 0.5)
    gap = size * chance.uniform(0.38, 0.44)
    eyes = "closed" if chance.random() < 0.14 else "open"
    for side in (-1, 1):
        ex = x + side * gap
        if eyes == "closed":
            canvas.arc(ex, y + size * 0.06, size * 0.15, size * 0.14, 190, 350, size * 0.08, ink)
        else:
            canvas.ellipse(ex, y + size * 0.08, size * 0.15, size * 0.15, "#ffffff", 190)
            canvas.ellipse(ex, y + size * 0.08, size * 0.105, size * 0.13, ink)
            canvas.circle(ex + size * 0.035, y + size * 0.03, size * 0.035, "#ffffff")
        canvas.arc(ex, y - size * 0.1, size * 0.22, size * 0.16, 205, 335, size * 0.08, brow)
        canvas.ellipse(
            x + side * size * 0.58, y + size * 0.46, size * 0.18, size * 0.12, "#d9534f", 46
        )
    canvas.arc(x, y + size * 0.3, size * 0.12, size * 0.11, 20, 160, size * 0.06, face.shade)
    mouth = chance.random()
    lips = mix("#c2424c", face.skin, 0.2)
    if mouth < 0.4:
        canvas.pie(x, y + size * 0.56, size * 0.33, size * 0.3, 0, 180, "#7d2530")
        canvas.rectangle(
            x - size * 0.25, y + size * 0.56, size * 0.5, size * 0.09, "#ffffff", radius=2
        )
    elif mouth < 0.8:
        canvas.arc(x, y + size * 0.5, size * 0.32, size * 0.25, 15, 165, size * 0.09, lips)
    else:
        canvas.ellipse(x, y + size * 0.68, size * 0.24, size * 0.075, lips)


def _draw_beard(canvas: Canvas, chance: Random, face: Face) -> None:
    x, y, size = face.x, face.y, face.size
    if chance.random() < 0.35:
        canvas.arc(x, y + size * 0.58, size * 0.38, size * 0.2, 190, 350, size * 0.15, face.hair)
        return
    canvas.pie(x, y + size * 0.16, size * 0.97, size * 1.14, 0, 180, face.hair)
    canvas.rectangle(
        x - size * 0.62, y - size * 0.05, size * 1.24, size * 0.66, face.skin, radius=size * 0.32
    )
    canvas.ellipse(x, y + size * 0.68, size * 0.4, size * 0.2, mix(face.hair, face.skin, 0.3))


def _draw_headscarf(canvas: Canvas, face: Face, color: str) -> None:
    x, y, size = face.x, face.y, face.size
    canvas.arc(x, y + size * 0.1, size * 1.2, size * 1.38, 0, 360, size * 0.34, color)
    canvas.pie(x, y - size * 0.42, size * 0.98, size * 0.72, 180, 360, color)
    canvas.polygon(
        [
            (x - size * 0.75, y + size * 1.1),
            (x + size * 0.75, y + size * 1.1),
            (x + size * 1.2, y + size * 2),
            (x - size * 1.2, y + size * 2),
        ],
        color,
    )
    canvas.line(
        [(x - size * 0.5, y + size * 1.3), (x + size * 0.7, y + size * 1.75)],
        size * 0.07,
        mix(color, "#000000", 0.2),
    )


def _draw_turban(canvas: Canvas, face: Face, color: str) -> None:
    x, y, size = face.x, face.y, face.size
    canvas.ellipse(x, y - size * 0.78, size * 1.16, size * 0.72, color)
    for shift in (-0.5, 0, 0.5):
        canvas.line(
            [(x + shift * size, y - size * 0.14), (x + shift * size * 0.4, y - size * 1.44)],
            size * 0.06,
            mix(color, "#000000", 0.16),
        )


def _draw_beanie(canvas: Canvas, face: Face, color: str) -> None:
    x, y, size = face.x, face.y, face.size
    canvas.pie(x, y - size * 0.36, size * 1.06, size * 1.0, 180, 360, color)
    canvas.rectangle(
        x - size * 1.1,
        y - size * 0.62,
        size * 2.2,
        size * 0.34,
        mix(color, "#ffffff", 0.3),
        radius=size * 0.12,
    )


def _draw_glasses(canvas: Canvas, chance: Random, face: Face) -> None:
    x, y, size = face.x, face.y, face.size
    color = chance.choice(("#1f1f24", "#6b3a2a", "#9b2226", "#2d4a6b"))
    for side in (-1, 1):
        canvas.ring(x + side * size * 0.42, y + size * 0.08, size * 0.31, size * 0.075, color)
    canvas.line(
        [(x - size * 0.12, y + size * 0.04), (x + size * 0.12, y + size * 0.04)], size * 0.07, color
    )
