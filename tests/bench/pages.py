"""Stage ``pages``: the main pages and API calls over HTTP, compared with ready-made responses.

The data are the demo's. The web server (``wsgi``), its clients and the database share the machine, as on a
small site. Requests come from a user who is logged in, and pass all checks, such as rate limits. Requests
for ready-made responses pass the middleware only. Each request opens a new connection, because most proxies
do so.
"""

import json
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
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.utils import timezone

from accounts.models import User
from accounts.oauth.models import AccessToken, Application
from accounts.session_store import SessionStore
from feed.models import Post

from .database import connection
from .own_server import ServerFailed
from .progress import ProgressListener
from .sizes import Sizes
from .timelines import percentiles

WORKERS = 2
CLIENTS = 4
START_SECONDS = 60
SERVER_TIMING = re.compile(r'total;dur=([\d.]+), cpu;dur=([\d.]+), db;dur=([\d.]+);desc="(\d+)"')
TOKEN = "token-of-the-benchmark"
POST_ITEM, USER_ITEM = b"data-post", b'class="user-row'

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """A page or API call. ``item_start``: the HTML with which each item of its list begins."""

    name: str
    path: str
    item_start: bytes | None
    headers: Mapping[str, str]
    is_ready_made: bool = False


@dataclass(frozen=True, slots=True)
class CallResult:
    """The measurements of a request. ``ms`` is measured by the client, the others by the server."""

    ms: float
    server_ms: float
    cpu_ms: float
    database_ms: float
    commands: int
    body: bytes


def measure(*, sizes: Sizes, progress: ProgressListener) -> Figures:
    """Return ``pages``: {workers, connections, responses.<page>}.

    Each page has {ms: {p50, p99}, cpu_ms, database_share, commands, bytes, items, per_second,
    busy_ms: {p50, p99}, ready_made_per_second}. Needs ``throwaway_database``. Raises ServerFailed.
    """
    with TemporaryDirectory() as folder:
        env = _environment(Path(folder))
        progress.start_step(label="Demo", total=1)
        run_manage("migrate", env=env)
        run_manage("collectstatic", "--no-input", env=env)
        amounts = ("--people", str(sizes.demo_people), "--posts", str(sizes.demo_posts))
        run_manage("seed_demo", *amounts, env=env)
        with _web_server(env, Path(folder)) as port:
            pages = _pages()
            ready_made = {page.name: _make_ready(port, page, Path(folder)) for page in pages}
            alone = _measure_alone(port, pages, sizes.http_samples, progress)
            busy = _measure_busy(port, pages, ready_made, sizes, progress)
    return {
        "pages": {
            "workers": WORKERS,
            "connections": CLIENTS,
            "responses": {page.name: alone[page.name] | busy[page.name] for page in pages},
        }
    }


def _pages() -> list[Page]:
    """Return the pages that people and apps open most often. The post is the one with most comments."""
    viewer = User.objects.get(username="alice")
    post = Post.objects.filter(visibility="public", share_of=None).order_by("-comments").first()
    if post is None:
        raise ServerFailed("The demo has no posts.")
    cookie = {"Cookie": f"{settings.SESSION_COOKIE_NAME}={_session_key(viewer)}"}
    bearer = {"Authorization": f"Bearer {_token(viewer)}"}
    author = post.author.username
    return [
        Page("home", "/", POST_ITEM, cookie),
        Page("quiet posters", "/quiet/", POST_ITEM, cookie),
        Page("public", "/public/", POST_ITEM, cookie),
        Page("profile", f"/@{author}/", POST_ITEM, cookie),
        Page("post with comments", f"/@{author}/{post.pk}/", b'<article class="', cookie),
        Page("hashtag", f"/tags/{_used_tag()}/", POST_ITEM, cookie),
        Page("notifications", "/notifications/", b'<article class="post', cookie),
        Page("people", "/explore/people/", USER_ITEM, cookie),
        Page("search", "/search/?q=a", USER_ITEM, cookie),
        Page("home, JSON", "/api/v1/timelines/home", None, bearer),
        Page("public, JSON", "/api/v1/timelines/public", None, bearer),
        Page("notifications, JSON", "/api/v1/notifications", None, bearer),
        Page("own account, JSON", "/api/v1/accounts/verify_credentials", None, bearer),
    ]


def _used_tag() -> str:
    with_tags = Post.objects.filter(visibility="public", text__contains="#").order_by("-pk")[:100]
    tags = (
        attribute["value"]
        for post in with_tags
        for attribute in post.attributes
        if attribute["kind"] == "hashtag"
    )
    return str(next(tags, "none"))


def _make_ready(port: int, page: Page, folder: Path) -> Page:
    """Save the response of a page as its ready-made response. Return the page with this response."""
    name = re.sub(r"\W+", "-", page.name)
    for number in range(
        2 * WORKERS * CLIENTS
    ):  # until each worker has started and the inbox is warm
        body = _call(port, page, number).body
    (folder / name).write_bytes(body)
    kind = "json" if page.path.startswith("/api/") else "html"
    return Page(page.name, f"/ready/{kind}/{name}", page.item_start, {}, is_ready_made=True)


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
        "RATE_LIMIT_SEARCHES": "999999999/d",
    }


def run_manage(*command: str, env: Mapping[str, str]) -> None:
    manage = [sys.executable, str(settings.BASE_DIR / "manage.py"), *command, "--verbosity", "0"]
    if subprocess.run(manage, env=env, check=False, stdout=subprocess.DEVNULL).returncode:
        raise ServerFailed(f"manage.py {command[0]} failed for the database of the benchmark.")


def _session_key(user: User) -> str:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return str(session.session_key)


def _token(user: User) -> str:
    """Create an access token. Ids are assigned here, because the generator uses the site's database."""
    app = Application.objects.create(
        pk=1,
        name="Bench",
        client_id="bench",
        redirect_uris="urn:ietf:wg:oauth:2.0:oob",
        scopes="read",
    )
    AccessToken.objects.create(
        pk=1,
        user=user,
        application=app,
        token=TOKEN,
        scope="read",
        expires=timezone.now() + timedelta(days=1),
    )
    return TOKEN


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


def _call(port: int, page: Page, _number: int = 0) -> CallResult:
    """Send a request. Raises ServerFailed if the status code is not 200."""
    began = perf_counter()
    with closing(HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)) as client:
        client.request("GET", page.path, headers=dict(page.headers))
        response = client.getresponse()
        body = response.read()
    spent = (perf_counter() - began) * 1000
    timing = SERVER_TIMING.search(response.headers.get("Server-Timing", ""))
    if response.status != 200 or timing is None:
        raise ServerFailed(f"{page.path} returned status {response.status}.")
    total, cpu, database = (float(timing[number]) for number in (1, 2, 3))
    return CallResult(spent, total, cpu, database, commands=int(timing[4]), body=body)


def _measure_alone(
    port: int, pages: list[Page], samples: int, progress: ProgressListener
) -> dict[str, Figures]:
    """Measure single requests one after another. The pages take turns."""
    progress.start_step(label="Requests, one after another", total=samples)
    results: dict[str, list[CallResult]] = {page.name: [] for page in pages}
    for _ in range(samples):
        pages = pages[1:] + pages[:1]
        for page in pages:
            results[page.name].append(_call(port, page))
        progress.step()
    return {
        page.name: {
            "ms": percentiles([call.ms for call in results[page.name]]),
            "cpu_ms": round(median(call.cpu_ms for call in results[page.name]), 2),
            "database_share": round(
                median(call.database_ms / call.server_ms for call in results[page.name]), 3
            ),
            "commands": median(call.commands for call in results[page.name]),
            "bytes": len(results[page.name][-1].body),
            "items": _item_count(page, results[page.name][-1].body),
        }
        for page in pages
    }


def _item_count(page: Page, body: bytes) -> int:
    if page.item_start is not None:
        return body.count(page.item_start)
    content = json.loads(body)
    return len(content) if isinstance(content, list) else 1


def _measure_busy(
    port: int,
    pages: list[Page],
    ready_made: Mapping[str, Page],
    sizes: Sizes,
    progress: ProgressListener,
) -> dict[str, Figures]:
    """Measure ``CLIENTS`` concurrent requests. Pages take turns with their ready-made responses."""
    progress.start_step(label="Concurrent requests", total=len(pages) * sizes.http_rounds)
    rates: dict[tuple[str, bool], list[float]] = {}
    times: dict[str, list[float]] = {page.name: [] for page in pages}
    for _ in range(sizes.http_rounds):
        for page in pages:
            for requested in (page, ready_made[page.name]):
                began = perf_counter()
                with ThreadPoolExecutor(CLIENTS) as clients:
                    calls = list(
                        clients.map(partial(_call, port, requested), range(sizes.http_calls))
                    )
                rate = len(calls) / (perf_counter() - began)
                rates.setdefault((page.name, requested.is_ready_made), []).append(rate)
                if not requested.is_ready_made:
                    times[page.name] += [call.ms for call in calls]
            progress.step()
    return {
        page.name: {
            "per_second": round(median(rates[page.name, False]), 1),
            "ready_made_per_second": round(median(rates[page.name, True]), 1),
            "busy_ms": percentiles(times[page.name]),
        }
        for page in pages
    }
