"""Replace the data of the demo by data that ``make restore`` has prepared in the folder ``restoring``.

A file ``complete`` in this folder says that the restored data are complete. A restore that was killed
earlier has changed nothing. One that was killed later is finished by the next start of the server.
"""

import os
import shutil
from pathlib import Path

from .mongodb_uri import PORT_FILE

RESTORED_NAMES = ("mongod", PORT_FILE, "media", "secret")


def restoring_folder(data_dir: Path) -> Path:
    return data_dir / "restoring"


def mark_complete(data_dir: Path, *, old_data: str) -> None:
    """Declare the restored data complete. ``old_data`` names the folder for the data that they replace."""
    marker = restoring_folder(data_dir) / "complete"
    unfinished = marker.with_suffix(".unfinished")
    unfinished.write_text(old_data)
    unfinished.rename(marker)


def put_in_place(data_dir: Path) -> None:
    """Move the old data aside and complete restored data to their places. Safe to repeat."""
    restoring = restoring_folder(data_dir)
    marker = restoring / "complete"
    if not marker.exists():
        return
    old_data = data_dir / marker.read_text()
    old_data.mkdir(mode=0o700, exist_ok=True)
    for name in RESTORED_NAMES:
        if not os.path.lexists(old_data / name) and os.path.lexists(data_dir / name):
            (data_dir / name).rename(old_data / name)
        if (restoring / name).exists():
            (restoring / name).rename(data_dir / name)
    marker.unlink()
    shutil.rmtree(restoring)
