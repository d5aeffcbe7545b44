"""Runs a part of the bench on a MongoDB of its own, which may be treated badly and is gone afterwards."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings


class ServerFailed(RuntimeError):
    """It could not be started, or the bench failed on it; what went wrong was printed."""


def measure_on_own_server(*, arguments: Sequence[str]) -> dict[str, Any]:
    """The figures of ``feed_bench`` with these arguments. Raises NoServer."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        command = [sys.executable, "-m", "socialsite.local.with_mongodb", sys.executable]
        command += [str(settings.BASE_DIR / "manage.py"), "feed_bench", "--own-server"]
        command += ["--json", str(file), *arguments]
        # A server that somebody else runs is not to be treated badly.
        own = {name: value for name, value in os.environ.items() if name != "TEST_MONGODB_URI"}
        done = subprocess.run(  # noqa: S603
            command, cwd=settings.BASE_DIR, env=own, stdout=subprocess.DEVNULL, check=False
        )
        if done.returncode or not file.exists():
            raise ServerFailed("The part that needs a MongoDB of its own could not be run.")
        figures: dict[str, Any] = json.loads(file.read_text())
        return figures
