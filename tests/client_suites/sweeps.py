"""Programs that call every method of ``masto`` and ``megalodon``, two client libraries from npm."""

import os
import subprocess
import sys
from pathlib import Path

from tests.client_suites.site import running_site

FOLDER = Path(__file__).parent


def run_masto() -> bool:
    return _run("masto.mjs")


def run_megalodon() -> bool:
    return _run("megalodon.mjs")


def _run(program: str) -> bool:
    """Install the libraries and run the program. Return whether the program succeeds."""
    try:
        subprocess.run(["npm", "ci", "--ignore-scripts", "--silent"], cwd=FOLDER, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"The sweeps need Node 22 and npm: {error}")
    sys.stdout.write(f"{program}:\n")
    sys.stdout.flush()
    with running_site() as url:
        env = {**os.environ, "SITE_URL": url}
        return subprocess.run(["node", program], cwd=FOLDER, env=env, check=False).returncode == 0
