"""``make setup``: create ``.venv``, install the locked packages, compile the translations, write ``.env``.

    python3 socialsite/local/setup.py [--dev]

The script uses only the standard library and the syntax of Python 3.8, so that even an old Python can run
the script and report that a newer Python is needed.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
MIN_PYTHON = (3, 11)
PYTHON_COMMANDS = (
    "python3",
    "python3.13",
    "python3.12",
    "python3.11",
    "python3.14",
    "/usr/bin/python3",
)
PROBE_SCRIPT = """
import sys
print(*sys.version_info[:2])
try:
    import ensurepip, venv
    print("venv")
except ImportError:
    print("bare")
"""
VERSION_CHECK_SCRIPT = f"import sys; sys.exit(sys.version_info < {MIN_PYTHON})"
# Python versions in the repositories of Debian and Ubuntu releases. Error messages name the package to
# install.
DISTRIBUTION_PYTHON = {"trixie": "3.13", "noble": "3.12", "bookworm": "3.11", "jammy": "3.11"}
ENV_TEMPLATE = """\
# Written by 'make setup' for development on this machine. Real sites set their own variables.
DEBUG=true
SECRET_KEY={secret}
"""


class PythonCandidate(NamedTuple):
    """A Python on this machine. ``has_venv`` tells whether this Python can create environments."""

    path: str
    version: tuple[int, int]
    has_venv: bool


class SetupError(Exception):
    """An error whose message contains instructions for the developer."""


def main(arguments: Sequence[str]) -> int:
    """Run the set-up from the command line. Returns the exit code."""
    try:
        run_setup(ROOT, dev="--dev" in arguments)
    except SetupError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted. Run it again to continue.\n")
        return 130
    return 0


def run_setup(root: Path, *, dev: bool) -> None:
    """Write ``.env`` and install the packages, unless both steps were already done. Raises SetupError."""
    folder = os.open(root, os.O_RDONLY)
    try:
        _wait_for_turn(folder)
        write_env_file(root / ".env")
        install(root, dev=dev)
        compile_translations(root)
    finally:
        os.close(folder)


def write_env_file(path: Path) -> None:
    """Write settings for development, unless the file exists."""
    if path.exists():
        return
    _say("Writing .env with settings for development.")
    unfinished = path.with_name(".env.unfinished")
    unfinished.touch(mode=0o600)
    unfinished.write_text(ENV_TEMPLATE.format(secret=secrets.token_urlsafe(50)))
    unfinished.rename(path)


def install(root: Path, *, dev: bool) -> None:
    """Install the locked packages, unless ``.venv/installed`` shows that they are. Raises SetupError."""
    venv, plain, full = (
        root / ".venv",
        root / "requirements-demo.lock",
        root / "requirements-dev.lock",
    )
    lock = full if dev else plain
    if venv.is_symlink():
        raise SetupError(
            ".venv is a link, and its target may be in use elsewhere. Remove the link."
        )
    stamp = venv / "installed"
    before = stamp.read_text() if stamp.exists() else ""
    # One lock file is enough, because the development packages include all packages of the site.
    if before in (_stamp(lock, venv), _stamp(full, venv)) and _works(
        venv, "-c", VERSION_CHECK_SCRIPT
    ):
        return
    has_moved = bool(before) and not before.endswith(f" {venv}")
    if before:
        stamp.unlink()
    is_usable = _works(venv, "-c", VERSION_CHECK_SCRIPT) and _works(venv, "-m", "pip", "--version")
    if has_moved or not is_usable:
        _create_environment(venv)
    _say("Installing packages (about a minute the first time).")
    pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-input"]
    if not _run([*pip, "--disable-pip-version-check", "--require-hashes", "-r", str(lock)]):
        raise SetupError(
            "The packages could not be installed (see above). Fix this and run it again."
        )
    stamp.write_text(_stamp(lock, venv))


def compile_translations(root: Path) -> None:
    """Compile the translations that changed since the last set-up. Raises SetupError."""
    catalogs = [*(root / "socialsite" / "locale").glob("*/LC_MESSAGES/django.po")]
    if all(map(_is_compiled, catalogs)):
        return
    script = root / "socialsite" / "local" / "compile_translations.py"
    if not _run([str(root / ".venv" / "bin" / "python"), str(script)]):
        raise SetupError("The translations could not be compiled (see above).")


def _is_compiled(catalog: Path) -> bool:
    compiled = catalog.with_suffix(".mo")
    return compiled.exists() and compiled.stat().st_mtime > catalog.stat().st_mtime


def choose_python(candidates: Sequence[PythonCandidate]) -> str:
    """Return the path of the first suitable Python. Raises SetupError with the command to install one."""
    new_enough = [python for python in candidates if python.version >= MIN_PYTHON]
    for python in new_enough:
        if python.has_venv:
            return python.path
    if new_enough:
        version = new_enough[0].version
        is_system_python = ("/usr/bin/python3", version) in [
            candidate[:2] for candidate in candidates
        ]
        package = "python3" if is_system_python else "python{}.{}".format(*version)
        raise SetupError(
            "Python {}.{} is installed, but without its venv module. Run:\n".format(*version)
            + f"  sudo apt-get install {package}-venv"
        )
    installed = (
        "Found {}.{}.".format(*candidates[0].version) if candidates else "No Python was found."
    )
    package = "python" + DISTRIBUTION_PYTHON.get(_codename(), "3.11")
    raise SetupError(
        f"Socialsite needs Python 3.11 or newer. {installed} Run:\n"
        f"  sudo apt-get install {package} {package}-venv"
    )


def _create_environment(venv: Path) -> None:
    # The interpreter of this script comes first, because ``make setup PYTHON=...`` names it.
    commands = (getattr(sys, "_base_executable", sys.executable), *PYTHON_COMMANDS)
    python = choose_python([version for version in map(_probe, commands) if version])
    _say(f"Creating .venv with {python}.")
    if not _run([python, "-m", "venv", "--clear", str(venv)]):
        raise SetupError(
            ".venv could not be created (see above). Check free disk space and permissions."
        )


def _probe(command: str) -> PythonCandidate | None:
    """Return the Python of a command, or None if the command is missing or does not work."""
    path = shutil.which(command)
    if path is None:
        return None
    probe = subprocess.run(  # noqa: S603
        [path, "-c", PROBE_SCRIPT], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False
    )
    words = probe.stdout.decode().split()
    if probe.returncode != 0 or len(words) != 3:
        return None
    return PythonCandidate(path, (int(words[0]), int(words[1])), words[2] == "venv")


def _codename() -> str:
    release = Path("/etc/os-release")
    lines = release.read_text().splitlines() if release.exists() else []
    names = [line.partition("=")[2] for line in lines if line.startswith("VERSION_CODENAME=")]
    return names[0] if names else ""


def _stamp(lock: Path, venv: Path) -> str:
    """Return the text that ``install`` saves: the hash of the lock file, and the path of ``.venv``.

    After ``.venv`` is moved, its scripts no longer work, so another path requires a new installation.
    """
    return f"{hashlib.sha256(lock.read_bytes()).hexdigest()} {venv}"


def _works(venv: Path, *arguments: str) -> bool:
    python = venv / "bin" / "python"
    return python.exists() and _run([str(python), *arguments], output=subprocess.DEVNULL)


def _run(command: Sequence[str], *, output: int | None = None) -> bool:
    return subprocess.call(command, stdout=output, stderr=output) == 0  # noqa: S603


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _wait_for_turn(folder: int) -> None:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        _say("Waiting for another set-up of this folder.")
        fcntl.flock(folder, fcntl.LOCK_EX)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
