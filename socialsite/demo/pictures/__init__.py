"""Pictures of the demo, drawn by the demo itself: scenes with descriptions, and portraits.

* ``draw_scene``: a picture of a scene. The other modules contain the scenes
* ``draw_header``: a wide picture for a profile
* ``draw_panorama``: a picture of any shape, across which a video pans
* ``portraits`` and ``hairstyles``: profile pictures

Everything is drawn with Pillow from random numbers with a seed, so the pictures are free of rights and
always the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from PIL import Image

from . import food, landscapes, objects, patterns, still_lifes, towns
from .canvas import Canvas

SCENES: dict[str, Callable[[Canvas, Random], str]] = {
    name.removeprefix("draw_"): function
    for module in (landscapes, towns, still_lifes, food, objects, patterns)
    for name, function in vars(module).items()
    if name.startswith("draw_")
}
HEADER_SCENES = ("hills", "mountains", "sea", "forest", "night_sky")
HEADER_SIZE = (900, 300)
SHAPES = ((840, 560), (840, 560), (840, 630), (840, 472), (640, 800), (720, 720))
"""Width and height of pictures in pixels. The number of a motif decides its shape."""


@dataclass(frozen=True, slots=True)
class Motif:
    """One of the pictures of a scene."""

    scene: str
    number: int


def draw_scene(*, motif: Motif, seed: int) -> tuple[Image.Image, str]:
    """Return a picture and its description. The same arguments always give the same picture."""
    chance = Random(f"{seed}:{motif.scene}:{motif.number}")  # noqa: S311 - not a secret
    canvas = Canvas(*SHAPES[(motif.number + len(motif.scene)) % len(SHAPES)])
    description = SCENES[motif.scene](canvas, chance)
    return canvas.finish(), description


def draw_panorama(*, scene: str, size: tuple[int, int], seed: int) -> tuple[Image.Image, str]:
    """Return a picture of any shape and its description, reproducible like ``draw_scene``."""
    canvas = Canvas(*size)
    description = SCENES[scene](canvas, Random(f"{seed}:panorama:{scene}"))  # noqa: S311 - not a secret
    return canvas.finish(), description


def draw_header(*, number: int, seed: int) -> Image.Image:
    """Return a wide landscape. The same arguments always give the same picture."""
    chance = Random(f"{seed}:header:{number}")  # noqa: S311 - not a secret
    canvas = Canvas(*HEADER_SIZE)
    SCENES[HEADER_SCENES[number % len(HEADER_SCENES)]](canvas, chance)
    return canvas.finish()
