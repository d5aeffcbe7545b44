"""The pictures of the demo: files in ``pictures/`` with their descriptions. They are free of rights.

* ``SCENE-NUMBER.webp``: a motif, a picture of a scene for posts and link cards
* ``header-NUMBER.webp``: a wide picture for profiles
* ``portrait-USERNAME.webp``: the profile picture of a fixed user
* ``panorama.webp``: a wide picture, across which the video pans
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("pictures")
DESCRIPTIONS: dict[str, str] = dict(
    line.split(": ", 1) for line in (FOLDER / "descriptions.txt").read_text("utf-8").splitlines()
)
"""Alternative texts by the name of the file without its suffix."""

PANORAMA = "panorama"
HEADER_COUNT = len(list(FOLDER.glob("header-*.webp")))
SCENES = Counter(name.rpartition("-")[0] for name in DESCRIPTIONS if name != PANORAMA)
"""The number of motifs by scene."""


@dataclass(frozen=True, slots=True)
class Motif:
    """One of the pictures of a scene."""

    scene: str
    number: int

    @property
    def name(self) -> str:
        return f"{self.scene}-{self.number}"

    @property
    def description(self) -> str:
        return DESCRIPTIONS[self.name]


def read_picture(*, name: str) -> bytes:
    """Return the content of a file of ``pictures/``. ``name``: without the suffix."""
    return (FOLDER / f"{name}.webp").read_bytes()
