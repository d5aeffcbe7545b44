"""Hairstyles for portraits, and the face that they surround."""

from collections.abc import Callable
from dataclasses import dataclass

from .canvas import Canvas, mix


@dataclass(frozen=True, slots=True)
class Face:
    """The colors of a face and the center and size of the head."""

    skin: str
    hair: str
    x: float
    y: float
    size: float

    @property
    def shade(self) -> str:
        return mix(self.skin, "#6b2a1a", 0.22)


@dataclass(frozen=True, slots=True)
class Hairstyle:
    """``draw_back`` draws behind the body and the head, ``draw_front`` in front of the head."""

    draw_back: Callable[[Canvas, Face], None]
    draw_front: Callable[[Canvas, Face], None]


def _nothing(canvas: Canvas, face: Face) -> None:
    """Draw nothing: no hair behind the head, or a bald head."""


def _cap(canvas: Canvas, face: Face) -> None:
    x, y, size = face.x, face.y, face.size
    canvas.pie(x, y - size * 0.3, size * 1.02, size * 0.86, 180, 360, face.hair)
    for side in (-1, 1):
        canvas.rectangle(
            x + side * size * 0.9 - size * 0.12,
            y - size * 0.36,
            size * 0.24,
            size * 0.36,
            face.hair,
            radius=3,
        )


def _side_part(canvas: Canvas, face: Face) -> None:
    x, y, size = face.x, face.y, face.size
    canvas.pie(x, y - size * 0.34, size * 1.04, size * 0.84, 180, 360, face.hair)
    canvas.pie(x - size * 0.34, y - size * 0.42, size * 0.72, size * 0.42, 0, 180, face.hair)
    canvas.pie(x + size * 0.7, y - size * 0.4, size * 0.36, size * 0.24, 0, 180, face.hair)


def _quiff(canvas: Canvas, face: Face) -> None:
    _cap(canvas, face)
    for shift, radius in ((-0.5, 0.34), (0, 0.42), (0.48, 0.36)):
        canvas.circle(
            face.x + shift * face.size, face.y - face.size * 1.02, radius * face.size, face.hair
        )


def _fringe(canvas: Canvas, face: Face) -> None:
    x, y, size = face.x, face.y, face.size
    canvas.pie(x, y - size * 0.3, size * 1.05, size * 0.9, 180, 360, face.hair)
    canvas.rectangle(
        x - size * 0.98, y - size * 0.5, size * 1.96, size * 0.32, face.hair, radius=size * 0.14
    )


def _curls_front(canvas: Canvas, face: Face) -> None:
    for shift, height in (
        (-0.85, 0.4),
        (-0.62, 0.78),
        (-0.24, 0.96),
        (0.2, 0.98),
        (0.6, 0.8),
        (0.86, 0.42),
    ):
        canvas.circle(
            face.x + shift * face.size, face.y - height * face.size, face.size * 0.36, face.hair
        )


def _afro_back(canvas: Canvas, face: Face) -> None:
    canvas.circle(face.x, face.y - face.size * 0.34, face.size * 1.44, face.hair)


def _long_back(canvas: Canvas, face: Face) -> None:
    x, y, size = face.x, face.y, face.size
    canvas.rectangle(
        x - size * 1.18, y - size * 0.9, size * 2.36, size * 2.9, face.hair, radius=size
    )


def _bob_back(canvas: Canvas, face: Face) -> None:
    x, y, size = face.x, face.y, face.size
    canvas.rectangle(x - size * 1.2, y - size, size * 2.4, size * 2.1, face.hair, radius=size * 0.7)


def _bun_back(canvas: Canvas, face: Face) -> None:
    canvas.circle(face.x, face.y - face.size * 1.3, face.size * 0.46, face.hair)


def _braids_back(canvas: Canvas, face: Face) -> None:
    for side in (-1, 1):
        for n in range(6):
            canvas.circle(
                face.x + side * face.size * 1.1,
                face.y + face.size * (0.1 + 0.34 * n),
                face.size * 0.24,
                face.hair,
            )


def _middle_part(canvas: Canvas, face: Face) -> None:
    x, y, size = face.x, face.y, face.size
    canvas.pie(x, y - size * 0.34, size * 1.04, size * 0.86, 180, 360, face.hair)
    for side in (-1, 1):
        strand = [
            (x, y - size * 1.05),
            (x + side * size * 1.06, y - size * 0.5),
            (x + side * size * 1.08, y + size * 0.7),
            (x + side * size * 0.84, y + size * 0.4),
            (x + side * size * 0.62, y - size * 0.42),
        ]
        canvas.polygon(strand, face.hair)


SHORT_HAIR = [
    Hairstyle(_nothing, _cap),
    Hairstyle(_nothing, _side_part),
    Hairstyle(_nothing, _quiff),
    Hairstyle(_nothing, _curls_front),
    Hairstyle(_nothing, _fringe),
    Hairstyle(_nothing, _nothing),
]
ALL_HAIR = [
    Hairstyle(_long_back, _middle_part),
    Hairstyle(_long_back, _fringe),
    Hairstyle(_long_back, _side_part),
    Hairstyle(_bob_back, _fringe),
    Hairstyle(_bob_back, _side_part),
    Hairstyle(_bun_back, _cap),
    Hairstyle(_bun_back, _middle_part),
    Hairstyle(_braids_back, _middle_part),
    Hairstyle(_afro_back, _curls_front),
    Hairstyle(_nothing, _curls_front),
    Hairstyle(_nothing, _side_part),
]
