"""Run stages of the benchmark on a separate MongoDB server, which is removed afterwards."""

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
    """The server did not start or the benchmark failed on it. The cause was printed."""


def measure_on_own_server(*, arguments: Sequence[str]) -> dict[str, Any]:
    """Return the figures that ``python -m tests.bench`` measures with these arguments.

    Raises ServerFailed.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        command = [sys.executable, "-m", "tests.with_mongodb", sys.executable]
        command += ["-m", "tests.bench", "--own-server", "--json", str(file), *arguments]
        # If this variable is set, ``with_mongodb`` starts no server, but uses the server of the variable.
        environment = {
            name: value for name, value in os.environ.items() if name != "TEST_MONGODB_URI"
        }
        process = subprocess.run(
            command, cwd=settings.BASE_DIR, env=environment, stdout=subprocess.DEVNULL, check=False
        )
        if process.returncode or not file.exists():
            raise ServerFailed("The stages that need a MongoDB server of their own failed.")
        figures: dict[str, Any] = json.loads(file.read_text())
        return figures
