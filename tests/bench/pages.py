"""Stage ``pages``: the main pages and API calls over HTTP, compared with ready-made responses.

The data are the demo's. The web server (``wsgi``), its clients and the database share the machine, as on a
small site. Requests come from a user who is logged in, and pass all checks, such as rate limits. Each
request opens a new connection, because most proxies do so.
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
from dataclasses import replace
from functools import partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic, perf_counter, sleep
from typing import Any

from django.conf import settings

from . import publication
from .any_commit.prepare_requests import prepared_requests
from .database import connection
from .http_calls import START_SECONDS, CallResult, Page, call
from .own_server import ServerFailed
from .progress import ProgressListener
from .sizes import Sizes
from .timelines import percentiles

WORKERS = 2
CLIENTS = 4
POSTS, ROWS = (b" data-post>",), (b'class="user-row"',)

Figures = dict[str, Any]


def measure(*, sizes: Sizes, progress: ProgressListener) -> Figures:
    """Return ``pages``: {workers, connections, publication, responses.<page>}.

    Each page has {ms: {p50, p99}, cpu_ms, database_share, commands, bytes, items, per_second,
    busy_ms: {p50, p99}, ready_made_per_second, ready_made_for_viewer_per_second}. Needs
    ``throwaway_database``. Raises ServerFailed.
    """
    with _demo_site(sizes.demo_people, sizes.demo_posts, progress) as (port, folder):
        pages = page_list(prepared_requests())
        rivals = {page.name: _ready_made(port, page, folder) for page in pages}
        alone = _measure_alone(port, pages, sizes.http_samples, progress)
        busy = _measure_busy(port, pages, rivals, sizes, progress)
        progress.start_step(label="Posts", total=sizes.http_samples)
        posts = publication.measure(port=port, samples=sizes.http_samples, progress=progress)
    return {
        "pages": {
            "workers": WORKERS,
            "connections": CLIENTS,
            "publication": posts,
            "responses": {page.name: alone[page.name] | busy[page.name] for page in pages},
        }
    }


def measure_large_site(*, sizes: Sizes, progress: ProgressListener) -> Figures:
    """Return ``large_site``: {posts, responses.<page>}, with the same pages on a site with more posts.

    Each page has {ms: {p50, p99}, cpu_ms, database_share, commands, bytes, items}. Needs
    ``throwaway_database``. Raises ServerFailed.
    """
    with _demo_site(sizes.demo_people, sizes.large_demo_posts, progress) as (port, _):
        pages = page_list(prepared_requests())
        for page in pages:
            warm_up(port, page)
        responses = _measure_alone(port, pages, sizes.http_samples, progress)
    return {"large_site": {"posts": sizes.large_demo_posts, "responses": responses}}


@contextmanager
def _demo_site(people: int, posts: int, progress: ProgressListener) -> Iterator[tuple[int, Path]]:
    """Start a web server with demo data. Yield its port, and its folder for ready-made responses."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        env = site_environment(folder)
        progress.start_step(label=f"Demo with {posts:,} posts", total=1)
        write_demo(people, posts, env=env)
        with web_server(env, folder) as port:
            yield port, folder


def page_list(prepared: Mapping[str, Any]) -> list[Page]:
    """Return the pages that people and apps open most often (``prepared_requests``)."""
    author, post = prepared["post"]["author"], prepared["post"]["id"]
    cookie = {"Cookie": prepared["cookie"]}
    bearer = {"Authorization": f"Bearer {prepared['token']}"}
    return [
        Page("home", "/", POSTS, cookie),
        Page("home, translated", "/", POSTS, {**cookie, "Accept-Language": "de"}),
        Page("quiet posters", "/quiet/", POSTS, cookie),
        Page("public", "/public/", POSTS, cookie),
        Page("profile", f"/@{author}/", POSTS, cookie),
        Page("post with comments", f"/@{author}/{post}/", (b'<article class="',), cookie),
        Page("hashtag", f"/tags/{prepared['tag']}/", POSTS, cookie),
        Page("notifications", "/notifications/", (b'<article class="post',), cookie),
        Page("people", "/explore/people/", ROWS, cookie),
        Page("search", "/search/?q=a", (*ROWS, *POSTS), cookie),
        Page("home, JSON", "/api/v1/timelines/home", None, bearer),
        Page("public, JSON", "/api/v1/timelines/public", None, bearer),
        Page("notifications, JSON", "/api/v1/notifications", None, bearer),
        Page("own account, JSON", "/api/v1/accounts/verify_credentials", None, bearer),
    ]


def _ready_made(port: int, page: Page, folder: Path) -> dict[str, Page]:
    """Save the response of a page. Return its rivals, which send this response, by the keys of their rates.

    One rival checks nothing. The other reads session, token and user, and counts calls of the API.
    """
    name = re.sub(r"\W+", "-", page.name)
    (folder / name).write_bytes(warm_up(port, page))
    kind = "json" if page.path.startswith("/api/") else "html"
    return {
        "ready_made_per_second": replace(page, path=f"/ready/{kind}/{name}", headers={}),
        "ready_made_for_viewer_per_second": replace(page, path=f"/ready/{kind}/viewer/{name}"),
    }


def warm_up(port: int, page: Page) -> bytes:
    """Request a page until each worker has started and the inbox is warm. Return the last response."""
    return [call(port, page).body for _ in range(2 * WORKERS * CLIENTS)][-1]


def site_environment(folder: Path) -> dict[str, str]:
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
        "RATE_LIMIT_POSTS": "",
    }


def write_demo(
    people: int, posts: int, *, env: Mapping[str, str], checkout: Path = Path(settings.BASE_DIR)
) -> None:
    """Prepare the site of a checkout, and write its demo."""
    demo = ("seed_demo", "--people", f"{people}", "--posts", f"{posts}")
    for command in (("migrate",), ("collectstatic", "--no-input"), demo):
        run_manage(*command, env=env, checkout=checkout)


def run_manage(*command: str, env: Mapping[str, str], checkout: Path) -> None:
    manage = [sys.executable, str(checkout / "manage.py"), *command, "--verbosity", "0"]
    # In another folder, that folder's apps would be imported.
    run = subprocess.run(manage, cwd=checkout, env=env, check=False, stdout=subprocess.DEVNULL)
    if run.returncode:
        raise ServerFailed(f"manage.py {command[0]} failed for the database of the benchmark.")


@contextmanager
def web_server(
    env: Mapping[str, str],
    folder: Path,
    *,
    module: str = "tests.bench.wsgi",
    checkout: Path = Path(settings.BASE_DIR),
) -> Iterator[int]:
    """Start the web server with the code of a checkout and yield its port."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    wrapper = [
        sys.executable,
        str(settings.BASE_DIR / "socialsite/local/parent_death_signal.py"),
        str(os.getpid()),
        "15",
        "0",
    ]
    command = [sys.executable, "-m", "gunicorn", module, "--bind", f"127.0.0.1:{port}"]
    command += ["--workers", f"{WORKERS}", "--worker-class", "gthread", "--threads", f"{CLIENTS}"]
    command += ["--no-control-socket", "--graceful-timeout", "1"]
    log = folder / "web.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [*wrapper, *command], cwd=checkout, env=env, stdout=output, stderr=output
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


def _measure_alone(
    port: int, pages: list[Page], samples: int, progress: ProgressListener
) -> dict[str, Figures]:
    """Measure single requests one after another. The pages take turns."""
    progress.start_step(label="Requests, one after another", total=samples)
    results: dict[str, list[CallResult]] = {page.name: [] for page in pages}
    for _ in range(samples):
        pages = pages[1:] + pages[:1]
        for page in pages:
            results[page.name].append(call(port, page))
        progress.step()
    return {
        page.name: {
            "ms": percentiles([result.ms for result in results[page.name]]),
            "cpu_ms": round(median(result.cpu_ms for result in results[page.name]), 2),
            "database_share": round(
                median(result.database_ms / result.server_ms for result in results[page.name]), 3
            ),
            "commands": median(result.commands for result in results[page.name]),
            "bytes": len(results[page.name][-1].body),
            "items": _item_count(page, results[page.name][-1].body),
        }
        for page in pages
    }


def _item_count(page: Page, body: bytes) -> int:
    if page.item_starts is not None:
        return sum(map(body.count, page.item_starts))
    content = json.loads(body)
    return len(content) if isinstance(content, list) else 1


def _measure_busy(
    port: int,
    pages: list[Page],
    rivals: Mapping[str, Mapping[str, Page]],
    sizes: Sizes,
    progress: ProgressListener,
) -> dict[str, Figures]:
    """Measure ``CLIENTS`` concurrent requests. Pages take turns with their rivals."""
    progress.start_step(label="Concurrent requests", total=len(pages) * sizes.http_rounds)
    rates: dict[tuple[str, str], list[float]] = {}
    times: dict[str, list[float]] = {page.name: [] for page in pages}
    for _ in range(sizes.http_rounds):
        for page in pages:
            for key, requested in {"per_second": page, **rivals[page.name]}.items():
                began = perf_counter()
                with ThreadPoolExecutor(CLIENTS) as clients:
                    calls = list(
                        clients.map(partial(call, port, requested), range(sizes.http_calls))
                    )
                rate = len(calls) / (perf_counter() - began)
                rates.setdefault((page.name, key), []).append(rate)
                if requested is page:
                    times[page.name] += [result.ms for result in calls]
            progress.step()
    return {
        page.name: {
            "busy_ms": percentiles(times[page.name]),
            **{
                key: round(median(measured), 1)
                for (name, key), measured in rates.items()
                if name == page.name
            },
        }
        for page in pages
    }
