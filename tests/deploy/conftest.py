"""The site behind nginx: real processes on free ports, which all tests of this folder share."""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from socialsite.local.ports import free_port
from socialsite.local.processes import ChildProcess, start_child
from tests.browser.site import served_streams

from .nginx import HOST, Nginx, running_nginx, wait_for_port

THREADS = 4
PRODUCTION = {
    "HTTPS": "true",
    "TRUSTED_PROXIES": "1",
    "ALLOWED_HOSTS": f"{HOST},127.0.0.1",
    "SITE_URL": f"https://{HOST}",
    "STREAMING_URL": f"https://{HOST}",
}


@dataclass(frozen=True)
class Web:
    """The master process of gunicorn and its port."""

    child: ChildProcess
    port: int


@pytest.fixture(scope="package")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """Start the site as in production, with one process of few threads."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "socialsite.wsgi", "--bind", f"127.0.0.1:{port}"]
    command += ["--workers", "1", "--threads", f"{THREADS}"]
    environment = {
        **os.environ,
        **PRODUCTION,
        "MONGODB_NAME": connection.settings_dict["NAME"],
        "RATE_LIMIT_APPS": "1/h",
    }
    child = start_child(
        name="The web server",
        command=command,
        env=environment,
        log=tmp_path_factory.mktemp("web") / "web.log",
    )
    wait_for_port(child, port)
    yield Web(child, port)
    child.stop(timeout_seconds=5)


@pytest.fixture(scope="package")
def streams_port() -> Iterator[int]:
    """Start the streams process as in production."""
    database = connection.settings_dict["NAME"]
    with served_streams(database=database, data_dir=settings.DATA_DIR, **PRODUCTION) as streams:
        yield int(streams.url.rpartition(":")[2])


@pytest.fixture(scope="package")
def nginx(web: Web, streams_port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    folder = tmp_path_factory.mktemp("nginx")
    with running_nginx(folder, web_port=web.port, streams_port=streams_port) as server:
        yield server


@pytest.fixture(scope="package")
def nginx_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    """Start nginx in front of a site that is down."""
    folder: Path = tmp_path_factory.mktemp("nginx")
    with running_nginx(folder, web_port=free_port(), streams_port=free_port()) as server:
        yield server
