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

from . import site
from .own_server import NoServer
from .pages import spread
from .sizes import Sizes
from .throwaway import connection
from .watch import Watch

POSTS = (20, 40)  # what apps ask for when they say nothing, and the most they get
WORKERS = 2
AT_ONCE = 4
START_SECONDS = 60
TIMING = re.compile(r"total;dur=([\d.]+), db;dur=([\d.]+)")

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """``headers``: one after the other, those of different people."""

    name: str
    path: str
    headers: tuple[Mapping[str, str], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """``ms`` as the client sees it; ``total`` and ``waited`` as the server does."""

    ms: float
    total: float
    waited: float
    body: bytes


def measure(*, sizes: Sizes, watch: Watch) -> Figures:
    """``api``: {workers, connections, answers.<kind>}, each {ms: {p50, p99}, database_share, bytes,
    per_second, busy_ms: {p50, p99}}. Needs ``throwaway_database``; raises NoServer."""
    with TemporaryDirectory() as folder:
        env = _environment(Path(folder))
        _manage("migrate", env=env)
        _manage("collectstatic", "--no-input", env=env)
        there = site.build(sizes=sizes, watch=watch, has_tables=True)
        people = tuple({"Authorization": f"Bearer {token}"} for token in _tokens(there.readers))
        with _served(env, Path(folder)) as port:
            kinds = []
            for number in POSTS:
                home = Kind(
                    f"home, {number} posts", f"/api/v1/timelines/home?limit={number}", people
                )
                _warm(port, home)
                body = _ask(port, home).body
                (Path(folder) / f"{number}.json").write_bytes(body)
                kinds += [home, Kind(f"ready-made, {number} posts", f"/ready/{number}", ({},))]
            found = _alone(port, kinds, sizes.api_samples, watch)
            busy = _busy(port, kinds, sizes, watch)
    return {
        "api": {
            "workers": WORKERS,
            "connections": AT_ONCE,
            "answers": {one.name: found[one.name] | busy[one.name] for one in kinds},
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
        "LIMIT_API": "999999999/d",
    }


def _manage(*command: str, env: Mapping[str, str]) -> None:
    manage = [sys.executable, str(settings.BASE_DIR / "manage.py"), *command, "--verbosity", "0"]
    if subprocess.run(manage, env=env, check=False).returncode:  # noqa: S603
        raise NoServer(f"manage.py {command[0]} failed for the bench's database.")


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
    leash = [
        sys.executable,
        str(settings.BASE_DIR / "socialsite/local/leash.py"),
        str(os.getpid()),
        "15",
    ]
    command = [sys.executable, "-m", "gunicorn", "feed.bench.served", "--bind", f"127.0.0.1:{port}"]
    command += ["--workers", f"{WORKERS}", "--worker-class", "gthread", "--threads", f"{AT_ONCE}"]
    command += ["--no-control-socket", "--graceful-timeout", "1"]
    log = folder / "web.log"
    with log.open("wb") as output:
        server = subprocess.Popen(  # noqa: S603
            [*leash, *command], cwd=settings.BASE_DIR, env=env, stdout=output, stderr=output
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
    raise NoServer(f"The site does not answer:\n{log.read_text()[-2000:]}")


def _ask(port: int, kind: Kind, number: int = 0) -> Answer:
    """Raises NoServer for an answer that is none."""
    headers = kind.headers[number % len(kind.headers)]
    began = perf_counter()
    with closing(HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)) as client:
        client.request("GET", kind.path, headers=dict(headers))
        answer = client.getresponse()
        body = answer.read()
    spent = (perf_counter() - began) * 1000
    timing = TIMING.search(answer.headers.get("Server-Timing", ""))
    if answer.status != 200 or timing is None:
        raise NoServer(f"{kind.path} was answered with {answer.status}.")
    return Answer(ms=spent, total=float(timing[1]), waited=float(timing[2]), body=body)


def _warm(port: int, home: Kind) -> None:
    """Until each worker has begun, and everybody's inbox is there."""
    for number in range(2 * WORKERS * AT_ONCE + len(home.headers)):
        _ask(port, home, number)


def _alone(port: int, kinds: list[Kind], samples: int, watch: Watch) -> dict[str, Figures]:
    """One call after the other, of each kind in turn."""
    watch.begin(label="Calls, one after the other", total=samples)
    found: dict[str, list[Answer]] = {one.name: [] for one in kinds}
    for number in range(samples):
        kinds = kinds[1:] + kinds[:1]
        for one in kinds:
            found[one.name].append(_ask(port, one, number))
        watch.step()
    return {
        name: {
            "ms": spread([one.ms for one in answers]),
            "database_share": round(median(one.waited / one.total for one in answers), 3),
            "bytes": len(answers[0].body),
        }
        for name, answers in found.items()
    }


def _busy(port: int, kinds: list[Kind], sizes: Sizes, watch: Watch) -> dict[str, Figures]:
    """As many calls as the workers can answer, ``AT_ONCE`` at every moment."""
    watch.begin(label="Calls at once", total=len(kinds) * sizes.api_rounds)
    rates: dict[str, list[float]] = {one.name: [] for one in kinds}
    times: dict[str, list[float]] = {one.name: [] for one in kinds}
    for _ in range(sizes.api_rounds):
        for one in kinds:
            began = perf_counter()
            with ThreadPoolExecutor(AT_ONCE) as clients:
                found = list(clients.map(partial(_ask, port, one), range(sizes.api_calls)))
            rates[one.name].append(len(found) / (perf_counter() - began))
            times[one.name] += [answer.ms for answer in found]
            watch.step()
    return {
        name: {"per_second": round(median(rates[name]), 1), "busy_ms": spread(times[name])}
        for name in rates
    }
