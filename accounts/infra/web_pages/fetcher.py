"""Download a page or picture from a URL that a user chose.

* Connects only to addresses that ``addresses`` accepts, also after a redirect, and checks certificates.
* Limits the time of the whole download, the number of redirects, and all bytes, compressed or not.
* Sends no cookies and no credentials, and uses no proxy of the environment.
"""

import http.client
import io
import socket
import ssl
import time
import zlib
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast
from urllib.parse import urljoin

import certifi
from django.conf import settings

from .addresses import HostNotFound, UnusableUrl, WebUrl, parse_web_url, resolve_host

MAX_SECONDS = 10.0
"""How long a download may take, with all redirects."""

CONNECT_SECONDS = 4.0
MAX_ADDRESSES = 2
"""How many addresses of a host are tried."""

MAX_REDIRECTS = 4
MAX_HEADER_BYTES = 65_536
READ_BYTES = 16_384
REDIRECTS = (301, 302, 303, 307, 308)


class FetchFailed(Exception):
    """The page could not be fetched. ``status`` is the HTTP status of the response, 0 without one."""

    def __init__(self, reason: str, *, status: int = 0) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True, slots=True)
class Download:
    """A downloaded page or picture.

    Attributes:
        url: the URL after all redirects.
        charset: the character set that the server declared, "" if none.
        is_complete: False if the content was longer than the limit. ``content`` then is its beginning.
    """

    url: str
    content_type: str
    charset: str
    content: bytes = field(repr=False)
    is_complete: bool = True


def fetch(
    *, url: str, content_types: Collection[str], max_bytes: int, for_owner: bool = False
) -> Download:
    """Download the first ``max_bytes`` bytes of a URL. Raises FetchFailed.

    Args:
        content_types: the accepted types, such as "text/html".
        for_owner: the page must come from the owner of the host. Refuse URLs and redirects without
            encryption, where others could change the content, and redirects to other hosts, except with or
            without "www.".
    """
    host = ""
    deadline = time.monotonic() + MAX_SECONDS
    try:
        for _attempt in range(MAX_REDIRECTS + 1):
            target = parse_web_url(url)
            if for_owner and target.scheme != "https":
                raise FetchFailed("The address is not encrypted.")
            host = host or target.host
            if for_owner and target.host.removeprefix("www.") != host.removeprefix("www."):
                raise FetchFailed("The host redirects to another host.", status=302)
            result = _request(target, content_types, max_bytes, deadline)
            if isinstance(result, Download):
                return result
            url = urljoin(str(target), result)
    except (UnusableUrl, HostNotFound) as error:
        raise FetchFailed(f"{type(error).__name__}: {error}") from error
    # A hostile server can cause almost any of these errors in the parsers.
    except (
        OSError, http.client.HTTPException, zlib.error, ValueError, TypeError, LookupError
    ) as error:  # fmt: skip
        raise FetchFailed(f"{type(error).__name__}: {error}") from error
    raise FetchFailed("There are too many redirects.")


def _request(
    url: WebUrl, content_types: Collection[str], max_bytes: int, deadline: float
) -> Download | str:
    """Return the download, or the address to which the server redirects."""
    with closing(_connect(url, deadline)) as connected:
        http_connection = http.client.HTTPConnection(url.host, url.port)
        bounded_socket = _BoundedSocket(connected, deadline, max_bytes + MAX_HEADER_BYTES)
        # http.client needs only these methods of a socket.
        http_connection.sock = cast("socket.socket", bounded_socket)
        http_connection.request("GET", url.target, headers=_headers(url, content_types))
        response = http_connection.getresponse()
        with closing(response):
            if response.status in REDIRECTS and (location := response.headers.get("Location")):
                return str(location).encode("latin-1").decode("utf-8", "replace")
            if response.status != 200:
                reason = f"The server answered {response.status}."
                raise FetchFailed(reason, status=response.status)
            content_type = response.headers.get_content_type()
            if content_type not in content_types:
                raise FetchFailed(f"The content type is {content_type}.", status=200)
            content = _read_content(response, max_bytes + 1)
            return Download(
                url=str(url),
                content_type=content_type,
                charset=response.headers.get_content_charset() or "",
                content=content[:max_bytes],
                is_complete=len(content) <= max_bytes,
            )


def _headers(url: WebUrl, content_types: Collection[str]) -> dict[str, str]:
    return {
        "Host": url.authority,
        "User-Agent": f"Socialsite (+{settings.SITE_URL}/about/)",
        "Accept": ", ".join(content_types),
        "Accept-Encoding": "gzip",
        "Connection": "close",
    }


def _connect(url: WebUrl, deadline: float) -> socket.socket:
    """Connect to a checked address of the host."""
    addresses = resolve_host(url=url, seconds=_seconds_left(deadline))[:MAX_ADDRESSES]
    for number, address in enumerate(addresses, 1):
        seconds = min(CONNECT_SECONDS, _seconds_left(deadline))
        try:
            connected = socket.create_connection((address, url.port), timeout=seconds)
            break
        except OSError:
            if number == len(addresses):
                raise
    if url.scheme == "http":
        return connected
    try:
        connected.settimeout(_seconds_left(deadline))  # limits the whole handshake
        return _tls_context().wrap_socket(connected, server_hostname=url.host)
    except BaseException:
        connected.close()
        raise


@lru_cache(maxsize=1)
def _tls_context() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=certifi.where())


def _seconds_left(deadline: float) -> float:
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError("The download took too long.")
    return seconds


class _BoundedSocket(io.RawIOBase):
    """A socket for http.client that ends at a deadline, even if a server sends a byte now and then."""

    def __init__(self, connected: socket.socket, deadline: float, max_bytes: int) -> None:
        super().__init__()
        self._connected = connected
        self._deadline = deadline
        self._bytes_left = max_bytes

    def sendall(self, data: Any) -> None:
        self._connected.settimeout(_seconds_left(self._deadline))
        self._connected.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._bytes_left <= 0:
            raise FetchFailed("The response is too long.")
        self._connected.settimeout(_seconds_left(self._deadline))
        count = self._connected.recv_into(buffer)
        self._bytes_left -= count
        return count

    def close(self) -> None:
        """Do nothing: http.client closes the socket before the body is read. ``_request`` closes it."""


def _read_content(response: http.client.HTTPResponse, max_bytes: int) -> bytes:
    """Return at most ``max_bytes`` bytes, decompressed."""
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        raise FetchFailed(f"The content encoding is {encoding[:20]}.", status=200)
    decompressor = zlib.decompressobj(wbits=31) if encoding.endswith("gzip") else None
    content = bytearray()
    while len(content) < max_bytes:
        if decompressor is not None and decompressor.eof:
            break
        part = response.read(min(READ_BYTES, max_bytes))
        if not part:
            break
        # The decompressor stops at the limit, however much the part would expand.
        room = max_bytes - len(content)
        content += part[:room] if decompressor is None else decompressor.decompress(part, room)
    return bytes(content)
