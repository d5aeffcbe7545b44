"""A web server and a name server of other sites, on this machine, for tests that fetch pages."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import dns.flags
import dns.message
import dns.resolver
import dns.rrset

Response = Callable[[BaseHTTPRequestHandler], None]


class OtherSite:
    """A web server. ``pages`` has a function for each path, ``requests`` the paths with headers."""

    def __init__(self, tls: Any = None) -> None:
        self.pages: dict[str, Response] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.stopped = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.requests.append((self.path, dict(self.headers)))
                page = site.pages.get(self.path)
                with suppress(OSError):
                    if page is None:
                        self.send_error(404)
                    else:
                        page(self)

            def log_message(self, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *args: object) -> None:
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        self.address = f"127.0.0.1:{self.port}"
        self.url = f"http://{self.address}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def paths(self) -> list[str]:
        return [path for path, _headers in self.requests]

    def serve(
        self, path: str, content: str | bytes, content_type: str = "text/html", **headers: str
    ) -> str:
        """Serve a page and return its URL."""
        body = content.encode() if isinstance(content, str) else content

        def respond(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            handler.send_header("Content-Type", content_type)
            handler.send_header("Content-Length", str(len(body)))
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.end_headers()
            handler.wfile.write(body)

        self.pages[path] = respond
        return self.url + path

    def redirect(self, path: str, location: str, status: int = 302) -> str:
        """Redirect a path and return its URL."""

        def respond(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            handler.send_header("Location", location)
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        self.pages[path] = respond
        return self.url + path

    def stop(self) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class NameServer:
    """A name server. ``answers`` has the addresses of each name, one list for each query in turn."""

    def __init__(self) -> None:
        self.answers: dict[str, list[list[str]]] = {}
        self.queries: list[str] = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self.resolver = dns.resolver.Resolver(configure=False)
        self.resolver.nameservers = ["127.0.0.1"]
        self.resolver.port = self._socket.getsockname()[1]

    def _run(self) -> None:
        while True:
            wire, sender = self._socket.recvfrom(4096)
            if not wire:
                return
            query = dns.message.from_wire(wire)
            question = query.question[0]
            name = question.name.to_text(omit_final_dot=True)
            response = dns.message.make_response(query)
            response.flags |= dns.flags.RA
            turns = self.answers.get(name, [])
            is_ipv6 = dns.rdatatype.to_text(question.rdtype) == "AAAA"
            if not is_ipv6:
                self.queries.append(name)
            addresses = turns[0] if turns else []
            if not is_ipv6 and len(turns) > 1:
                turns.pop(0)
            matching = [address for address in addresses if (":" in address) == is_ipv6]
            if matching:
                kind = "AAAA" if is_ipv6 else "A"
                response.answer.append(dns.rrset.from_text(question.name, 0, "IN", kind, *matching))
            if not turns:
                response.set_rcode(dns.rcode.NXDOMAIN)
            self._socket.sendto(response.to_wire(), sender)

    def stop(self) -> None:
        self._socket.sendto(b"", self._socket.getsockname())
        self._thread.join()
        self._socket.close()


@contextmanager
def other_site(settings: Any, tls: Any = None) -> Iterator[OtherSite]:
    """Start a web server whose address may be fetched."""
    site = OtherSite(tls)
    settings.FETCH_TEST_ADDRESSES = [*settings.FETCH_TEST_ADDRESSES, site.address]
    try:
        yield site
    finally:
        site.stop()


@contextmanager
def named_site(settings: Any, monkeypatch: Any, name: str, tls: Any = None) -> Iterator[OtherSite]:
    """Start a web server, and a name server that knows its name. ``url`` has the name."""
    names = NameServer()
    names.answers[name] = [["127.0.0.1"]]
    monkeypatch.setattr(dns.resolver, "default_resolver", names.resolver)
    with other_site(settings, tls) as site:
        site.url = f"{'https' if tls else 'http'}://{name}:{site.port}"
        yield site
    names.stop()
