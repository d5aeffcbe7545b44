"""A local HTTP server that receives error reports and stores everything that it gets."""

import gzip
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import brotli


class ReportServer(ThreadingHTTPServer):
    """Attributes:
    received: the text of each request: request line, headers and decompressed body.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received = []
        self.dsn = f"http://publickey@127.0.0.1:{self.server_port}/7"

    def events(self):
        """Return the reports in the received envelopes."""
        bodies = [text.split("\n\n", 1)[1] for text in self.received]
        lines = [json.loads(line) for body in bodies for line in body.splitlines()]
        return [line for line in lines if "exception" in line]


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        match self.headers.get("Content-Encoding"):
            case "gzip":
                body = gzip.decompress(body)
            case "br":
                body = brotli.decompress(body)
        self.server.received.append(
            f"{self.requestline}\n{self.headers}".strip() + f"\n\n{body.decode()}"
        )
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


@contextmanager
def report_server():
    server = ReportServer()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
