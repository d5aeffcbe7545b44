"""Show on a real server why the site does not use djongo: ``make djongo-proof``.

The script runs ``checks.py`` on five stacks. The exit code is 0 if all stacks behave as decision 1 says.

Stacks with djongo use a temporary virtual environment with the Python that runs this file, so the script
needs a package index. The other stacks use ``.venv``. The database is on the server of ``MONGODB_URI``, or
on a temporary server if the variable is not set.
"""
# ruff: noqa: S603, T201

import json
import os
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
OURS = ROOT / ".venv" / "bin" / "python"
WITH_SERVER = "--with-server"

DJONGO = "djongo==1.3.7"
PINS = [DJONGO, "Django==3.1.12", "PyMongo==3.11.4", "sqlparse==0.2.4", "pytz"]
# Packages that replace modules which Django 3.1 imports but newer Pythons have removed.
REPAIRS = ['setuptools<81; python_version >= "3.12"', 'legacy-cgi; python_version >= "3.13"']

CHECKS = {
    "constraint": "a second identical follow is refused (UniqueConstraint)",
    "together": "a second identical follow is refused (unique_together)",
    "iexact": 'iexact="ALICE" finds alice, and iexact=".*" finds no user',
    "migrate": "migrate creates the tables and permissions of django.contrib.auth",
    "rollback": "an exception inside atomic() undoes the writes",
}
# The checks that each stack passes according to decision 1. Stacks with None are shown, but not compared.
NOTED: dict[str, set[str] | None] = {
    "djongo, its own pins": {"together", "migrate"},
    "djongo, only Django is newer": {"together"},
    "djongo, the project's packages": set(),
    "django_mongodb_backend, plain": None,
    "socialsite.engine (based on it)": set(CHECKS),
}


def main() -> None:
    if not OURS.exists():
        sys.exit("The environment .venv is missing. Run: make setup")
    if WITH_SERVER not in sys.argv:
        with_server = [OURS, "-m", "tests.with_mongodb"]
        again = [sys.executable, str(Path(__file__).resolve()), WITH_SERVER]
        environment = {"TEST_MONGODB_URI": os.environ.get("MONGODB_URI", ""), **os.environ}
        sys.exit(subprocess.call([*with_server, *again], cwd=ROOT, env=environment))
    with tempfile.TemporaryDirectory(prefix="djongo-proof-") as folder:
        try:
            outcomes = _measure_all(Path(folder))
        except subprocess.CalledProcessError as error:
            sys.exit(f"djongo could not be installed:\n{error.stdout}{error.stderr}")
    _show(outcomes)
    if "error" in outcomes["djongo, its own pins"]:
        version = sys.version.split()[0]
        sys.exit(
            f"djongo did not start on Python {version} (see the table), so there is no result. "
            "It was measured on 3.11, 3.12 and 3.13: make djongo-proof PYTHON=python3.11"
        )
    for name, passes in NOTED.items():
        passed = {check for check in CHECKS if outcomes[name].get(check) == "yes"}
        if passes is not None and passed != passes:
            sys.exit(f"Result differs from decision 1: {name}")
    print("All results agree with decision 1.")


def _measure_all(folder: Path) -> dict[str, dict[str, str]]:
    old, newer_django, only_djongo = (folder / name for name in ("old", "django", "djongo"))
    python = old / "bin" / "python"
    django = _run(OURS, "-c", "import django; print(django.__version__)").strip()
    print(
        f"Installing {DJONGO} with its pinned versions, and Django {django} separately ...",
        flush=True,
    )
    _run(sys.executable, "-m", "venv", old)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run(*pip, *PINS, *REPAIRS)
    _run(*pip, "--no-deps", "--target", newer_django, f"Django=={django}")
    _run(*pip, "--no-deps", "--target", only_djongo, DJONGO, "pytz")
    measured = [
        _measure("djongo", python, HERE),
        _measure("djongo", python, newer_django),
        _measure("djongo", OURS, only_djongo),
        _measure("django_mongodb_backend", OURS, ROOT),
        _measure("socialsite.engine", OURS, ROOT),
    ]
    return dict(zip(NOTED, measured, strict=True))


def _measure(engine: str, python: Path, path: Path) -> dict[str, str]:
    """Return the results of ``checks.py``, or ``{"error": message}`` if the script fails."""
    database = f"djongo_proof_{uuid.uuid4().hex[:12]}"
    ended = subprocess.run(
        [python, HERE / "checks.py", engine, os.environ["MONGODB_URI"], database],
        env={**os.environ, "PYTHONPATH": str(path)},
        capture_output=True,
        text=True,
    )
    if ended.returncode:
        return {"error": (ended.stderr.strip() or "no output").splitlines()[-1]}
    printed: dict[str, str] = json.loads(ended.stdout.splitlines()[-1])
    return printed


def _show(outcomes: dict[str, dict[str, str]]) -> None:
    for about in ("Python", "MongoDB"):
        print(
            f"{about} {', '.join({outcome[about] for outcome in outcomes.values() if about in outcome})}"
        )
    rows = [("", "Django / PyMongo / sqlparse", *CHECKS)]
    for name, outcome in outcomes.items():
        versions = outcome.get("versions") or outcome["error"]
        rows.append((name, versions, *(outcome.get(check, "-") for check in CHECKS)))
    for name, versions, *cells in rows:
        print(f"{name:32}{versions:28}" + " ".join(f"{cell:16}" for cell in cells).rstrip())
    for check, meaning in CHECKS.items():
        print(f"  {check}: {meaning}")


def _run(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


if __name__ == "__main__":
    main()
