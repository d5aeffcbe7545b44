"""Shows on a real server why the site is not built on djongo: ``make djongo-proof``.

Runs ``checks.py`` on five stacks and prints what each did; exit code 0 if it is what the decision note
says. djongo goes into a throw-away environment made with the Python that runs this file; ours is the
project's ``.venv``. The server is ``MONGODB_URI``, or a throw-away one. Needs a package index.
"""

import json
import os
import subprocess
import sys
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
OURS = ROOT / ".venv" / "bin" / "python"

DJONGO = "djongo==1.3.7"
PINS = [DJONGO, "Django==3.1.12", "PyMongo==3.11.4", "sqlparse==0.2.4", "pytz"]
# What Django 3.1 imports from the standard library, and newer Pythons no longer have.
REPAIRS = ['setuptools<81; python_version >= "3.12"', 'legacy-cgi; python_version >= "3.13"']

CHECKS = {
    "constraint": "second identical follow refused (UniqueConstraint)",
    "together": "second identical follow refused (unique_together)",
    "rollback": "an exception inside atomic() undoes the writes",
    "iexact": 'iexact=".*" finds nobody, and iexact="ALICE" finds alice',
    "migrate": "tables and permissions of django.contrib.auth are made by migrate",
}


@dataclass(frozen=True)
class Stack:
    """``passes`` are the checks that the note says it passes; None: shown, but not judged."""

    name: str
    engine: str
    python: Path
    path: Path
    passes: set[str] | None


def main() -> int:
    if not OURS.exists():
        return _fail("The project's own environment is missing. Run: make setup")
    uri = os.environ.get("MONGODB_URI", "")
    if not uri:
        server = [str(OURS), "-m", "socialsite.local.with_mongodb"]
        return subprocess.call([*server, sys.executable, __file__], cwd=ROOT)  # noqa: S603
    with tempfile.TemporaryDirectory(prefix="djongo-proof-") as folder:
        try:
            stacks = _install(Path(folder))
        except subprocess.CalledProcessError as error:
            return _fail(f"{DJONGO} could not be installed: {error.stdout}{error.stderr}")
        found = [(stack, _measure(stack, uri)) for stack in stacks]
    _show(found)
    if "constraint" not in found[0][1]:
        return _fail(
            f"djongo does not start on Python {sys.version.split()[0]}, so nothing was shown. "
            "Measured on 3.11 to 3.13; choose one: make djongo-proof PYTHON=python3.11"
        )
    if odd := [stack.name for stack, outcomes in found if not _is_as_noted(stack, outcomes)]:
        return _fail(f"Not as the decision note says: {', '.join(odd)}.")
    sys.stdout.write("As the decision note says.\n")
    return 0


def _install(folder: Path) -> list[Stack]:
    old, newer_django, only_djongo = (folder / name for name in ("old", "django", "djongo"))
    python = old / "bin" / "python"
    version = "import django; print(django.__version__)"
    django = _run(str(OURS), "-c", version).stdout.strip()
    _say(f"Installing {DJONGO} with its own pins, beside Django {django} ...")
    _run(sys.executable, "-m", "venv", str(old))
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run(*pip, *PINS, *REPAIRS)
    _run(*pip, "--no-deps", "--target", str(newer_django), f"Django=={django}")
    _run(*pip, "--no-deps", "--target", str(only_djongo), DJONGO, "pytz")
    all_checks = set(CHECKS)
    return [
        Stack("djongo, its own pins", "djongo", python, HERE, {"together", "migrate"}),
        Stack("djongo, only Django is newer", "djongo", python, newer_django, {"together"}),
        Stack("djongo, the project's packages", "djongo", OURS, only_djongo, set()),
        Stack("django_mongodb_backend, plain", "django_mongodb_backend", OURS, ROOT, None),
        Stack("socialsite.engine (based on it)", "socialsite.engine", OURS, ROOT, all_checks),
    ]


def _measure(stack: Stack, uri: str) -> dict[str, str]:
    """What ``checks.py`` printed, or under "error" why it could not start."""
    database = f"djongo_proof_{uuid.uuid4().hex[:12]}"
    arguments = [stack.engine, uri, database]
    ended = subprocess.run(  # noqa: S603
        [str(stack.python), str(HERE / "checks.py"), *arguments],
        env={**os.environ, "PYTHONPATH": str(stack.path)},
        capture_output=True,
        text=True,
        timeout=180,
    )
    if ended.returncode:
        return {"error": (ended.stderr.strip() or "no output").splitlines()[-1]}
    outcomes: dict[str, str] = json.loads(ended.stdout.splitlines()[-1])
    return outcomes


def _is_as_noted(stack: Stack, outcomes: dict[str, str]) -> bool:
    if stack.passes is None:
        return True
    return stack.passes == {check for check in CHECKS if outcomes.get(check) == "yes"}


def _show(found: list[tuple[Stack, dict[str, str]]]) -> None:
    for about in ("python", "server"):
        values = dict.fromkeys(outcomes[about] for _, outcomes in found if about in outcomes)
        _say(f"{about.replace('server', 'MongoDB').capitalize()}: {', '.join(values)}")
    widths = (32, 26, *[18] * len(CHECKS))
    rows = [("", "Django / PyMongo / sqlparse", *CHECKS)]
    for stack, outcomes in found:
        cells = [outcomes.get(check, "-") for check in CHECKS]
        rows.append((stack.name, outcomes.get("versions", outcomes.get("error", "")), *cells))
    for row in rows:
        _say(" ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())
    for check, meaning in CHECKS.items():
        _say(f"  {check}: {meaning}")


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)  # noqa: S603


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _fail(message: str) -> int:
    sys.stderr.write(f"{message}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
