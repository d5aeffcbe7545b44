"""Debian's nginx with ``docs/deploy/nginx.conf``, on free ports and with files in the test's folder."""

import os
import shutil
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import urllib3
from django.conf import settings

from socialsite.local.ports import free_port
from socialsite.local.processes import ROOT, ChildProcess, start_child
from tests.notifications.push_helpers import certificate

HOST = "social.example"
CONFIGURATION = ROOT / "docs" / "deploy" / "nginx.conf"
TIMEOUT_SECONDS = 30


@dataclass(frozen=True)
class Nginx:
    """A running nginx. ``folder`` contains its logs and its certificate, ``social.example.pem``."""

    folder: Path
    http_port: int
    https_port: int

    def request(
        self,
        method: str,
        path: str,
        *,
        source: str = "127.0.0.1",
        is_secure: bool = True,
        **options: object,
    ) -> urllib3.BaseHTTPResponse:
        """Send a request from the address ``source``. The body of the response is not decompressed."""
        common = {"timeout": TIMEOUT_SECONDS, "retries": False, "source_address": (source, 0)}
        headers = {"Host": HOST, **options.pop("headers", {})}
        if is_secure:
            pool = urllib3.HTTPSConnectionPool(
                "127.0.0.1",
                self.https_port,
                ca_certs=str(self.folder / f"{HOST}.pem"),
                server_hostname=HOST,
                assert_hostname=HOST,
                **common,
            )
        else:
            pool = urllib3.HTTPConnectionPool("127.0.0.1", self.http_port, **common)
        with pool:
            return pool.request(
                method, path, headers=headers, redirect=False, decode_content=False, **options
            )

    def get(self, path: str, **options: object) -> urllib3.BaseHTTPResponse:
        return self.request("GET", path, **options)

    def connect(
        self, *, source: str = "127.0.0.1", name: str = HOST, receive_buffer: int = 0
    ) -> ssl.SSLSocket:
        """Open a connection with TLS from the address ``source``."""
        raw = socket.socket()
        if receive_buffer:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        raw.settimeout(TIMEOUT_SECONDS)
        raw.bind((source, 0))
        raw.connect(("127.0.0.1", self.https_port))
        try:
            return self.tls_context().wrap_socket(raw, server_hostname=name)
        except BaseException:
            raw.close()
            raise

    def tls_context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.folder / f"{HOST}.pem")

    def curl(self, path: str, *options: str) -> list[str]:
        """Return a curl command for this server."""
        resolve = f"{HOST}:{self.https_port}:127.0.0.1"
        command = ["curl", "--silent", "--show-error", "--cacert", self.folder / f"{HOST}.pem"]
        url = f"https://{HOST}:{self.https_port}{path}"
        return [*map(str, command), "--resolve", resolve, *options, url]

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def wait_for_log(self, line: str) -> None:
        """Wait until the access log contains the line. nginx writes it after the response."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while line not in self.log("access"):
            assert time.monotonic() < deadline, self.log("access")
            time.sleep(0.05)


@contextmanager
def running_nginx(
    folder: Path, *, web_port: int, streams_port: int, has_short_timeouts: bool = False
) -> Iterator[Nginx]:
    """Start nginx in front of a site. ``has_short_timeouts`` divides all times of the file by ten."""
    program = _program("nginx")
    server = Nginx(folder=folder, http_port=free_port(), https_port=free_port())
    certificate(folder, HOST)
    text = _configuration(server, web_port=web_port, streams_port=streams_port)
    if has_short_timeouts:
        text = _replaced(text, "0s;", "s;")
        text = _replaced(text, " 15s;", " 1500ms;")
    file = folder / "nginx.conf"
    file.write_text(text)
    command = [program, "-p", str(folder), "-c", str(file), "-e", str(folder / "error.log")]
    subprocess.run([*command, "-t", "-q"], check=True, timeout=TIMEOUT_SECONDS)
    child = start_child(
        name="nginx",
        command=[*command, "-g", "daemon off;"],
        log=folder / "nginx.log",
        parent_death_signal=signal.SIGQUIT,
    )
    try:
        wait_for_port(child, server.https_port)
        yield server
    finally:
        child.stop(timeout_seconds=5)


def _configuration(server: Nginx, *, web_port: int, streams_port: int) -> str:
    """Return the file for a user without privileges. Only paths, ports and the user change."""
    folder = server.folder
    text = CONFIGURATION.read_text()
    temporary = "".join(
        f"    {name}_temp_path {folder}/{name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;" if os.geteuid() == 0 else ""
    for before, after in (
        ("user www-data;", user),
        ("/run/nginx.pid", f"{folder}/nginx.pid"),
        ("include /etc/nginx/modules-enabled/*.conf;\n", ""),
        ("http {\n", f"http {{\n{temporary}"),
        ("/etc/ssl/socialsite/fullchain.pem", f"{folder}/{HOST}.pem"),
        ("/etc/ssl/socialsite/privkey.pem", f"{folder}/{HOST}.pem"),
        ("/var/log/nginx", f"{folder}"),
        ("/var/www/acme", f"{folder}/acme"),
        ("/var/lib/socialsite", f"{settings.DATA_DIR}"),
        ("listen [::]", "# listen [::]"),
        ("listen 80", f"listen 127.0.0.1:{server.http_port}"),
        ("listen 443", f"listen 127.0.0.1:{server.https_port}"),
        ("127.0.0.1:8000", f"127.0.0.1:{web_port}"),
        ("127.0.0.1:8001", f"127.0.0.1:{streams_port}"),
    ):
        text = _replaced(text, before, after)
    return text


def _replaced(text: str, before: str, after: str) -> str:
    assert before in text
    return text.replace(before, after)


def _program(name: str) -> str:
    if path := shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin"):
        return path
    if os.environ.get("SOCIALSITE_REQUIRE_NGINX") == "1":
        pytest.fail(f"{name} is not installed.")
    pytest.skip(f"{name} is not installed (Debian: nginx-light).")


def wait_for_port(child: ChildProcess, port: int) -> None:
    """Wait until the process listens on the port. Fails if it ends instead."""
    while True:
        assert child.is_running, child.log_tail(lines=30)
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
            return
        except ConnectionRefusedError:
            time.sleep(0.05)
