"""Compare the pages with those of another commit: ``make bench ARGS='--only pages --against COMMIT'``.

Each commit runs its own code on a database of its own, with the same demo. Single requests alternate
between the two, so that a change of the machine's speed affects both. The figures are the CPU time of the
web process, which varies least, the number of database commands, and the bytes. Both use the packages of
this checkout.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings

from .database import connection
from .http_calls import CallResult, Page, call
from .own_server import ServerFailed
from .pages import page_list, site_environment, warm_up, web_server, write_demo
from .progress import ProgressListener
from .sizes import Sizes

ANY_COMMIT = Path(__file__).with_name("any_commit")

Figures = dict[str, Any]


def measure(*, commit: str, sizes: Sizes, progress: ProgressListener) -> Figures:
    """Return ``against``: {commit, pages.<page>: {cpu_ms, ratio, commands, bytes}}.

    ``cpu_ms``, ``commands`` and ``bytes`` are pairs: this checkout, then the commit. ``ratio`` is the
    median of the ratios of their CPU times. Raises ServerFailed.
    """
    with ExitStack() as stack:
        other = stack.enter_context(_checkout(commit))
        sites = [
            stack.enter_context(_site(folder, name, sizes, progress))
            for folder, name in ((Path(settings.BASE_DIR), "this"), (other, "other"))
        ]
        progress.start_step(label="Requests, in turns", total=sizes.against_samples)
        results = _measure(sites, sizes.against_samples, progress)
    return {"against": {"commit": commit, "pages": results}}


@contextmanager
def _checkout(commit: str) -> Iterator[Path]:
    """Check the commit out into a temporary folder."""
    with TemporaryDirectory() as name:
        folder = Path(name) / "site"
        _run(["git", "worktree", "add", "--detach", str(folder), commit], settings.BASE_DIR)
        try:
            compiler = folder / "socialsite" / "local" / "compile_translations.py"
            if compiler.exists():
                _run([sys.executable, str(compiler)], folder)
            yield folder
        finally:
            _run(["git", "worktree", "remove", "--force", str(folder)], settings.BASE_DIR)


@contextmanager
def _site(
    folder: Path, name: str, sizes: Sizes, progress: ProgressListener
) -> Iterator[tuple[int, list[Page]]]:
    """Start the site of a checkout with demo data. Yield its port and its pages."""
    with TemporaryDirectory() as data:
        database = f"{connection.database.name}_{name}"
        env = {
            **site_environment(Path(data)),
            "MONGODB_NAME": database,
            "PYTHONPATH": os.pathsep.join([str(folder), str(ANY_COMMIT)]),
        }
        progress.start_step(label=f"Demo of {name}", total=1)
        try:
            write_demo(sizes.against_people, sizes.against_posts, env=env, checkout=folder)
            prepared = _run([sys.executable, str(ANY_COMMIT / "prepare_requests.py")], folder, env)
            with web_server(env, Path(data), module="timed_wsgi", checkout=folder) as port:
                yield port, page_list(json.loads(prepared))
        finally:
            connection.database.client.drop_database(database)


def _measure(
    sites: list[tuple[int, list[Page]]], samples: int, progress: ProgressListener
) -> Figures:
    ports = [port for port, _pages in sites]
    pairs = list(zip(*(pages for _port, pages in sites), strict=True))
    for pair in pairs:
        for port, page in zip(ports, pair, strict=True):
            warm_up(port, page)
    results: dict[str, tuple[list[CallResult], list[CallResult]]] = {
        pair[0].name: ([], []) for pair in pairs
    }
    for number in range(samples):
        for pair in pairs:
            turns = (0, 1) if number % 2 else (1, 0)
            for turn in turns:
                results[pair[0].name][turn].append(call(ports[turn], pair[turn]))
        progress.step()
    return {name: _compared(*measured) for name, measured in results.items()}


def _compared(this: list[CallResult], other: list[CallResult]) -> Figures:
    ratios = [mine.cpu_ms / theirs.cpu_ms for mine, theirs in zip(this, other, strict=True)]
    both = (this, other)
    return {
        "cpu_ms": [round(median(result.cpu_ms for result in results), 2) for results in both],
        "ratio": round(median(ratios), 3),
        "commands": [median(result.commands for result in results) for results in both],
        "bytes": [len(results[-1].body) for results in both],
    }


def _run(command: list[str], folder: Path, env: Mapping[str, str] | None = None) -> str:
    result = subprocess.run(
        command, cwd=folder, env=env, check=False, capture_output=True, text=True
    )
    if result.returncode:
        raise ServerFailed(f"{' '.join(command)} failed:\n{result.stderr[-2000:]}")
    return result.stdout
