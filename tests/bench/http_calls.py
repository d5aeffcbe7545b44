"""Requests to the web server of the benchmark (``wsgi``), which reports the cost of each request."""

import json
import re
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection
from time import perf_counter

from .own_server import ServerFailed

START_SECONDS = 60
SERVER_TIMING = re.compile(r'total;dur=([\d.]+), cpu;dur=([\d.]+), db;dur=([\d.]+);desc="(\d+)"')


@dataclass(frozen=True, slots=True)
class Page:
    """A page or API call.

    Attributes:
        item_starts: the HTML with which the items of its lists begin. None for JSON.
        data: the JSON object of a POST request. None for a GET request.
    """

    name: str
    path: str
    item_starts: tuple[bytes, ...] | None
    headers: Mapping[str, str]
    data: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class CallResult:
    """The measurements of a request. ``ms`` is measured by the client, the others by the server."""

    ms: float
    server_ms: float
    cpu_ms: float
    database_ms: float
    commands: int
    body: bytes


def call(port: int, page: Page, _number: int = 0) -> CallResult:
    """Send a request. Raises ServerFailed if the status code is not 200."""
    began = perf_counter()
    with closing(HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)) as client:
        if page.data is None:
            client.request("GET", page.path, headers=dict(page.headers))
        else:
            headers = {"Content-Type": "application/json", **page.headers}
            client.request("POST", page.path, body=json.dumps(page.data), headers=headers)
        response = client.getresponse()
        body = response.read()
    spent = (perf_counter() - began) * 1000
    timing = SERVER_TIMING.search(response.headers.get("Server-Timing", ""))
    if response.status != 200 or timing is None:
        raise ServerFailed(f"{page.path} returned status {response.status}.")
    total, cpu, database = (float(timing[number]) for number in (1, 2, 3))
    return CallResult(spent, total, cpu, database, commands=int(timing[4]), body=body)
