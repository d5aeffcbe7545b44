"""Helpers for tests of devices: browsers with keys, and a push service with HTTPS."""

import base64
import ipaddress
import json
import ssl
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import http_ece
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

AUTH = bytes(range(16))


def text_of(data):
    """Return the data as base64url without padding."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Browser:
    """A browser with a subscription at its push service."""

    def __init__(self, endpoint="https://fcm.googleapis.com/fcm/send/abc:def"):
        self.endpoint = endpoint
        self._key = ec.generate_private_key(ec.SECP256R1())
        point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.keys = {"p256dh": text_of(point), "auth": text_of(AUTH)}

    @property
    def subscription(self):
        return {"endpoint": self.endpoint, "expirationTime": None, "keys": self.keys}

    def subscribe(self, client, agent="Mozilla/5.0 (X11; Linux) Firefox/140.0"):
        """Add the device with the request that a page sends after a click."""
        return client.post(
            "/settings/notifications/devices/add/",
            json.dumps(self.subscription),
            content_type="application/json",
            headers={"User-Agent": agent},
        )

    def decrypt(self, body):
        message = http_ece.decrypt(
            body, private_key=self._key, auth_secret=AUTH, version="aes128gcm"
        )
        return json.loads(message)


class PushService:
    """A push service.

    Attributes:
        responses: the response for each path: a status, a pair (status, headers), or a function that is
            called with the request handler. The default is the status 201.
        got: ``(path, headers, body)`` of each request.
    """

    def __init__(self):
        self.responses, self.got = {}, []
        self.address = ""

    def browser(self, path):
        return Browser(f"{self.address}/{path}")

    def paths(self):
        return [path for path, _, _ in self.got]


@contextmanager
def push_service(folder):
    service = PushService()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            service.got.append((self.path[1:], self.headers, body))
            response = service.responses.get(self.path[1:], 201)
            if callable(response):
                response(self)
                return
            status, headers = response if isinstance(response, tuple) else (response, {})
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(folder))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    service.address = f"https://localhost:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def certificate(folder, host="localhost"):
    """Write a self-signed certificate for a host and its key to a file. Return the path."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    names = [x509.DNSName(host), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    now = datetime.now(UTC)
    signed_certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path = folder / f"{host}.pem"
    path.write_bytes(signed_certificate.public_bytes(Encoding.PEM) + secret)
    return path
