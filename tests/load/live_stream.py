"""A stream of server-sent events that a page or an app holds open."""

import random
import time
from urllib.parse import urlsplit

import gevent
from gevent import socket

from tests.load.client import record

RESUME_SECONDS = 3.0
"""The pause of browsers. The script of the page pauses longer after an error status."""


class LiveStream:
    """Open streams one after the other, each at the latest path. A closed stream is opened again."""

    def __init__(self, *, page: str, headers):
        """``headers`` is a function that returns the lines of the headers of a request."""
        self._page, self._headers = page, headers
        self._url, self._socket, self._greenlet = "", None, None

    def open(self, url: str) -> None:
        """Replace the stream, as a browser does with each page."""
        self.close()
        self._url = url
        self._greenlet = gevent.spawn(self._follow)

    def close(self) -> None:
        if self._greenlet:
            self._greenlet.kill()
        self._disconnect()

    def _follow(self) -> None:
        while True:
            started_at, start = time.time(), time.perf_counter()
            status, error = 0, ""
            try:
                status = self._connect()
                error = "" if status == 200 else str(status)
            except OSError as failure:
                error = f"0 {failure}"[:120]
            record.add_request(
                page=self._page,
                milliseconds=(time.perf_counter() - start) * 1000,
                status=status,
                error=error,
                at=started_at,
            )
            if status == 200:
                self._read()
            gevent.sleep(RESUME_SECONDS * random.uniform(0.8, 1.2))

    def _connect(self) -> int:
        """Connect and return the status of the response."""
        parts = urlsplit(self._url)
        self._socket = socket.create_connection((parts.hostname, parts.port or 80), timeout=30)
        lines = [f"GET {parts.path}?{parts.query} HTTP/1.1", f"Host: {parts.netloc}"]
        lines += ["Accept: text/event-stream", *self._headers(), "", ""]
        self._socket.sendall("\r\n".join(lines).encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            if not (chunk := self._socket.recv(4096)):
                raise OSError("closed before the response")
            answer += chunk
        return int(answer.split(b" ", 2)[1])

    def _read(self) -> None:
        """Read until the server closes the stream. Streams are silent for up to a minute."""
        self._socket.settimeout(120)
        start = time.perf_counter()
        try:
            while self._socket.recv(65536):
                pass
            error = "0 closed by the server"
        except OSError as failure:
            error = f"0 {failure}"[:120]
        record.add_request(
            page=f"{self._page}: closed",
            milliseconds=(time.perf_counter() - start) * 1000,
            status=0,
            error=error,
            at=time.time(),
        )
        self._disconnect()

    def _disconnect(self) -> None:
        if self._socket:
            self._socket.close()
        self._socket = None
