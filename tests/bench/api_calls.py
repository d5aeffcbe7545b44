"""What the home timeline costs apps: JSON over HTTP from two workers, beside the same answers ready-made.

The web server (``served``) and what asks it share the machine with the database, as on a small site. Apps
have tokens, so who calls, how often, and everything else is looked up as always; the ready-made answers are
given to anybody. Each call has a connection of its own, as behind most proxies.
"""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic, perf_counter, sleep
from typing import Any

from django.conf import settings
from django.utils import timezone

from accounts.oauth.models import AccessToken, Application

from . import site_data
from .database import connection
from .own_server import ServerFailed
from .pages import percentiles
from .progress import ProgressListener
from .sizes import Sizes

PAGE_SIZES = (20, 40)  # what apps ask for when they say nothing, and the most they get
WORKERS = 2
CLIENTS = 4
START_SECONDS = 60
SERVER_TIMING = re.compile(r"total;dur=([\d.]+), db;dur=([\d.]+)")

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CallKind:
    """``headers``: one after the other, those of different people."""

    name: str
    path: str
    headers: tuple[Mapping[str, str], ...]


@dataclass(frozen=True, slots=True)
class CallResult:
    """``ms`` as the client sees it; ``total`` and ``waited`` as the server does."""

    ms: float
    server_ms: float
    database_ms: float
    body: bytes


def measure(*, sizes: Sizes, progress: ProgressListener) -> Figures:
    """``api``: {workers, connections, answers.<kind>}, each {ms: {p50, p99}, database_share, bytes,
    per_second, busy_ms: {p50, p99}}. Needs ``throwaway_database``; raises NoServer."""
    with TemporaryDirectory() as folder:
        env = _environment(Path(folder))
        run_manage("migrate", env=env)
        run_manage("collectstatic", "--no-input", env=env)
        existing = site_data.build_site(sizes=sizes, progress=progress, has_tables=True)
        people = tuple({"Authorization": f"Bearer {token}"} for token in _tokens(existing.viewers))
        with _served(env, Path(folder)) as port:
            kinds = []
            for number in PAGE_SIZES:
                home = CallKind(
                    f"home, {number} posts", f"/api/v1/timelines/home?limit={number}", people
                )
                _warm(port, home)
                body = _ask(port, home).body
                (Path(folder) / f"{number}.json").write_bytes(body)
                kinds += [home, CallKind(f"ready-made, {number} posts", f"/ready/{number}", ({},))]
            result = _alone(port, kinds, sizes.api_samples, progress)
            busy = _busy(port, kinds, sizes, progress)
    return {
        "api": {
            "workers": WORKERS,
            "connections": CLIENTS,
            "answers": {kind.name: result[kind.name] | busy[kind.name] for kind in kinds},
        }
    }


def _environment(folder: Path) -> dict[str, str]:
    """For a site with the bench's database, where nobody calls too often."""
    return {
        **os.environ,
        "DEBUG": "false",
        "HTTPS": "false",
        "ALLOWED_HOSTS": "127.0.0.1",
        "MONGODB_NAME": connection.database.name,
        "DATA_DIR": str(folder),
        "READY_ANSWERS": str(folder),
        "RATE_LIMIT_API": "999999999/d",
    }


def run_manage(*command: str, env: Mapping[str, str]) -> None:
    manage = [sys.executable, str(settings.BASE_DIR / "manage.py"), *command, "--verbosity", "0"]
    if subprocess.run(manage, env=env, check=False).returncode:
        raise ServerFailed(f"manage.py {command[0]} failed for the bench's database.")


def _tokens(readers: list[int]) -> Iterator[str]:
    """Ids are made here, for those of the site come from its own database."""
    app = Application.objects.create(
        pk=1,
        name="Bench",
        client_id="bench",
        redirect_uris="urn:ietf:wg:oauth:2.0:oob",
        scopes="read",
    )
    for number, reader in enumerate(readers, start=1):
        AccessToken.objects.create(
            pk=number,
            user_id=reader,
            application=app,
            token=f"token-{number}",
            scope="read",
            expires=timezone.now() + timedelta(days=1),
        )
        yield f"token-{number}"


@contextmanager
def _served(env: Mapping[str, str], folder: Path) -> Iterator[int]:
    """Its port."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    wrapper = [
        sys.executable,
        str(settings.BASE_DIR / "socialsite/local/parent_death_signal.py"),
        str(os.getpid()),
        "15",
    ]
    command = [sys.executable, "-m", "gunicorn", "tests.bench.wsgi", "--bind", f"127.0.0.1:{port}"]
    command += ["--workers", f"{WORKERS}", "--worker-class", "gthread", "--threads", f"{CLIENTS}"]
    command += ["--no-control-socket", "--graceful-timeout", "1"]
    log = folder / "web.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [*wrapper, *command], cwd=settings.BASE_DIR, env=env, stdout=output, stderr=output
        )
    try:
        _wait(server, port, log)
        yield port
    finally:
        server.terminate()
        server.wait()


def _wait(server: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = monotonic() + START_SECONDS
    while server.poll() is None and monotonic() < deadline:
        try:
            with closing(HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)) as client:
                client.request("GET", "/api/v2/instance")
                if client.getresponse().status == 200:
                    return
        except (OSError, HTTPException):
            pass
        sleep(0.1)
    raise ServerFailed(f"The site does not answer:\n{log.read_text()[-2000:]}")


def _ask(port: int, kind: CallKind, number: int = 0) -> CallResult:
    """Raises NoServer for an answer that is none."""
    headers = kind.headers[number % len(kind.headers)]
    began = perf_counter()
    with closing(HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)) as client:
        client.request("GET", kind.path, headers=dict(headers))
        answer = client.getresponse()
        body = answer.read()
    spent = (perf_counter() - began) * 1000
    timing = SERVER_TIMING.search(answer.headers.get("Server-Timing", ""))
    if answer.status != 200 or timing is None:
        raise ServerFailed(f"{kind.path} was answered with {answer.status}.")
    return CallResult(ms=spent, server_ms=float(timing[1]), database_ms=float(timing[2]), body=body)


def _warm(port: int, home: CallKind) -> None:
    """Until each worker has begun, and everybody's inbox is there."""
    for number in range(2 * WORKERS * CLIENTS + len(home.headers)):
        _ask(port, home, number)


def _alone(
    port: int, kinds: list[CallKind], samples: int, watch: ProgressListener
) -> dict[str, Figures]:
    """One call after the other, of each kind in turn."""
    watch.start_step(label="Calls, one after the other", total=samples)
    results: dict[str, list[CallResult]] = {kind.name: [] for kind in kinds}
    for number in range(samples):
        kinds = kinds[1:] + kinds[:1]
        for kind in kinds:
            results[kind.name].append(_ask(port, kind, number))
        watch.step()
    return {
        name: {
            "ms": percentiles([answer.ms for answer in answers]),
            "database_share": round(
                median(answer.database_ms / answer.server_ms for answer in answers), 3
            ),
            "bytes": len(answers[0].body),
        }
        for name, answers in results.items()
    }


def _busy(
    port: int, kinds: list[CallKind], sizes: Sizes, watch: ProgressListener
) -> dict[str, Figures]:
    """As many calls as the workers can answer, ``AT_ONCE`` at every moment."""
    watch.start_step(label="Calls at once", total=len(kinds) * sizes.api_rounds)
    rates: dict[str, list[float]] = {kind.name: [] for kind in kinds}
    times: dict[str, list[float]] = {kind.name: [] for kind in kinds}
    for _ in range(sizes.api_rounds):
        for kind in kinds:
            began = perf_counter()
            with ThreadPoolExecutor(CLIENTS) as clients:
                result = list(clients.map(partial(_ask, port, kind), range(sizes.api_calls)))
            rates[kind.name].append(len(result) / (perf_counter() - began))
            times[kind.name] += [answer.ms for answer in result]
            watch.step()
    return {
        name: {"per_second": round(median(rates[name]), 1), "busy_ms": percentiles(times[name])}
        for name in rates
    }
