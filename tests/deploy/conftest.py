"""The site behind nginx: real processes on free ports, which all tests of this folder share."""

import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection

from socialsite.local.ports import free_port
from socialsite.local.processes import start_child
from tests.browser.site import served_site

from .nginx import HOST, Nginx, running_nginx, wait_for_port

THREADS = 4


@pytest.fixture(scope="package")
def web_port() -> Iterator[int]:
    """Start the site as in production, with few threads. Return the port of gunicorn."""
    with served_site(
        database=connection.settings_dict["NAME"],
        data_dir=settings.DATA_DIR,
        threads=THREADS,
        graceful_timeout=5,
        HTTPS="true",
        TRUSTED_PROXIES="1",
        ALLOWED_HOSTS=HOST,
        SITE_URL=f"https://{HOST}",
        RATE_LIMIT_APPS="1/h",
    ) as address:
        yield urlsplit(address).port


@pytest.fixture(scope="package")
def streams_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "tests.deploy.streams_app:application"]
    child = start_child(
        name="The streams",
        command=[*command, "--port", str(port), "--no-proxy-headers"],
        log=tmp_path_factory.mktemp("streams") / "streams.log",
    )
    wait_for_port(child, port)
    yield port
    child.kill()


@pytest.fixture(scope="package")
def nginx(
    web_port: int, streams_port: int, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Nginx]:
    folder = tmp_path_factory.mktemp("nginx")
    with running_nginx(folder, web_port=web_port, streams_port=streams_port) as server:
        yield server


@pytest.fixture(scope="package")
def nginx_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    """Start nginx in front of a site that is down."""
    folder: Path = tmp_path_factory.mktemp("nginx")
    with running_nginx(folder, web_port=free_port(), streams_port=free_port()) as server:
        yield server
