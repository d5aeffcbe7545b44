"""Pictures of the demo, drawn by the demo itself: scenes with descriptions, and portraits.

* ``draw_scene``: a picture of a scene (``landscapes``, ``still_lifes``, ``food``, ``patterns``)
* ``portraits`` and ``hairstyles``: profile pictures

Everything is drawn with Pillow from random numbers with a seed, so the pictures are free of rights and
always the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from PIL import Image

from . import food, landscapes, patterns, still_lifes
from .canvas import Canvas

SCENES: dict[str, Callable[[Canvas, Random], str]] = {
    name.removeprefix("draw_"): function
    for module in (landscapes, still_lifes, food, patterns)
    for name, function in vars(module).items()
    if name.startswith("draw_")
}
SHAPES = ((960, 640), (960, 640), (960, 720), (960, 540), (720, 960), (800, 800))
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
