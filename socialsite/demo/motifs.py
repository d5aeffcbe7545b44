"""The pictures of the demo: files in ``pictures/`` with their descriptions. They are free of rights.

* ``SCENE-NUMBER.webp``: a picture of a scene for posts and link cards. ``SCENE-NUMBER`` is the motif.
* ``header-NUMBER.webp``: a wide picture for profiles
* ``portrait-USERNAME.webp``: the profile picture of a fixed user
* ``video.mp4``, ``audio.ogg``: the clips (``clips``)
"""

from collections import Counter
from pathlib import Path

FOLDER = Path(__file__).with_name("pictures")
DESCRIPTIONS: dict[str, str] = dict(
    line.split(": ", 1) for line in (FOLDER / "descriptions.txt").read_text("utf-8").splitlines()
)
"""Alternative texts by the name of the file without its suffix."""

HEADER_COUNT = len(list(FOLDER.glob("header-*.webp")))
SCENES = Counter(name.rpartition("-")[0] for name in DESCRIPTIONS)
"""The number of motifs by scene."""


def read_picture(*, name: str) -> bytes:
    """Return the content of a file of ``pictures/``. ``name``: without the suffix."""
    return (FOLDER / f"{name}.webp").read_bytes()
