"""Stage ``api``: the home timeline as JSON over HTTP, compared with a ready-made response of the same size.

The web server (``wsgi``), its clients and the database share the machine, as on a small site. Calls to the
home timeline have a token and pass all checks, such as rate limits. Calls for the ready-made response need
no token. Each call opens a new connection, because most proxies do so.
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

PAGE_SIZES = (20, 40)  # the default and the maximum of the API
WORKERS = 2
CLIENTS = 4
START_SECONDS = 60
SERVER_TIMING = re.compile(r"total;dur=([\d.]+), db;dur=([\d.]+)")

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CallKind:
    """A path of the API. Calls use the elements of ``headers`` in turn, each with another user's token."""

    name: str
    path: str
    headers: tuple[Mapping[str, str], ...]


@dataclass(frozen=True, slots=True)
class CallResult:
    """The measurements of a call. ``ms`` is measured by the client, the other two times by the server."""

    ms: float
    server_ms: float
    database_ms: float
    body: bytes


def measure(*, sizes: Sizes, progress: ProgressListener) -> Figures:
    """Return ``api``: {workers, connections, answers.<kind>}.

    Each kind has {ms: {p50, p99}, database_share, bytes, per_second, busy_ms: {p50, p99}}. Needs
    ``throwaway_database``. Raises ServerFailed.
    """
    with TemporaryDirectory() as folder:
        env = _environment(Path(folder))
        run_manage("migrate", env=env)
        run_manage("collectstatic", "--no-input", env=env)
        site = site_data.build_site(sizes=sizes, progress=progress, has_tables=True)
        auth_headers = tuple(
            {"Authorization": f"Bearer {token}"} for token in _tokens(site.viewers)
        )
        with _web_server(env, Path(folder)) as port:
            kinds = []
            for number in PAGE_SIZES:
                home = CallKind(
                    f"home, {number} posts", f"/api/v1/timelines/home?limit={number}", auth_headers
                )
                _warm(port, home)
                body = _call(port, home).body
                (Path(folder) / f"{number}.json").write_bytes(body)
                kinds += [home, CallKind(f"ready-made, {number} posts", f"/ready/{number}", ({},))]
            alone = _measure_alone(port, kinds, sizes.api_samples, progress)
            busy = _measure_busy(port, kinds, sizes, progress)
    return {
        "api": {
            "workers": WORKERS,
            "connections": CLIENTS,
            "answers": {kind.name: alone[kind.name] | busy[kind.name] for kind in kinds},
        }
    }


def _environment(folder: Path) -> dict[str, str]:
    """Return the settings of a site that uses the database of the benchmark, without rate limits."""
    return {
        **os.environ,
        "DEBUG": "false",
        "HTTPS": "false",
        "ALLOWED_HOSTS": "127.0.0.1",
        "MONGODB_NAME": connection.database.name,
        "DATA_DIR": str(folder),
        "READY_RESPONSES": str(folder),
        "RATE_LIMIT_API": "999999999/d",
    }


def run_manage(*command: str, env: Mapping[str, str]) -> None:
    manage = [sys.executable, str(settings.BASE_DIR / "manage.py"), *command, "--verbosity", "0"]
    if subprocess.run(manage, env=env, check=False).returncode:
        raise ServerFailed(f"manage.py {command[0]} failed for the database of the benchmark.")


def _tokens(uids: list[int]) -> Iterator[str]:
    """Create an access token for each user and yield it.

    Ids are assigned here because the id generator of the site uses the site's database.
    """
    app = Application.objects.create(
        pk=1,
        name="Bench",
        client_id="bench",
        redirect_uris="urn:ietf:wg:oauth:2.0:oob",
        scopes="read",
    )
    for number, uid in enumerate(uids, start=1):
        AccessToken.objects.create(
            pk=number,
            user_id=uid,
            application=app,
            token=f"token-{number}",
            scope="read",
            expires=timezone.now() + timedelta(days=1),
        )
        yield f"token-{number}"


@contextmanager
def _web_server(env: Mapping[str, str], folder: Path) -> Iterator[int]:
    """Start the web server and yield its port."""
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


def _call(port: int, kind: CallKind, number: int = 0) -> CallResult:
    """Call the API once. Raises ServerFailed if the status code is not 200."""
    headers = kind.headers[number % len(kind.headers)]
    began = perf_counter()
    with closing(HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)) as client:
        client.request("GET", kind.path, headers=dict(headers))
        response = client.getresponse()
        body = response.read()
    spent = (perf_counter() - began) * 1000
    timing = SERVER_TIMING.search(response.headers.get("Server-Timing", ""))
    if response.status != 200 or timing is None:
        raise ServerFailed(f"{kind.path} returned status {response.status}.")
    return CallResult(ms=spent, server_ms=float(timing[1]), database_ms=float(timing[2]), body=body)


def _warm(port: int, home: CallKind) -> None:
    """Call the API until each worker has started and each inbox is warm."""
    for number in range(2 * WORKERS * CLIENTS + len(home.headers)):
        _call(port, home, number)


def _measure_alone(
    port: int, kinds: list[CallKind], samples: int, progress: ProgressListener
) -> dict[str, Figures]:
    """Measure single calls one after another. The kinds take turns."""
    progress.start_step(label="Calls, one after another", total=samples)
    results: dict[str, list[CallResult]] = {kind.name: [] for kind in kinds}
    for number in range(samples):
        kinds = kinds[1:] + kinds[:1]
        for kind in kinds:
            results[kind.name].append(_call(port, kind, number))
        progress.step()
    return {
        name: {
            "ms": percentiles([call.ms for call in calls]),
            "database_share": round(median(call.database_ms / call.server_ms for call in calls), 3),
            "bytes": len(calls[0].body),
        }
        for name, calls in results.items()
    }


def _measure_busy(
    port: int, kinds: list[CallKind], sizes: Sizes, progress: ProgressListener
) -> dict[str, Figures]:
    """Measure the throughput of ``CLIENTS`` concurrent calls."""
    progress.start_step(label="Concurrent calls", total=len(kinds) * sizes.api_rounds)
    rates: dict[str, list[float]] = {kind.name: [] for kind in kinds}
    times: dict[str, list[float]] = {kind.name: [] for kind in kinds}
    for _ in range(sizes.api_rounds):
        for kind in kinds:
            began = perf_counter()
            with ThreadPoolExecutor(CLIENTS) as clients:
                calls = list(clients.map(partial(_call, port, kind), range(sizes.api_calls)))
            rates[kind.name].append(len(calls) / (perf_counter() - began))
            times[kind.name] += [call.ms for call in calls]
            progress.step()
    return {
        name: {"per_second": round(median(rates[name]), 1), "busy_ms": percentiles(times[name])}
        for name in rates
    }
