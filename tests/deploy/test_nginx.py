"""nginx in front of the site: what it serves, refuses, compresses, hides and passes on."""

import gzip
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import urllib3
from django.conf import settings
from django.templatetags.static import static
from websockets.sync.client import connect

from accounts import profile_pictures
from socialsite.request_bodies import max_request_bytes
from tests.actions import like_post
from tests.api.api_client import token_of
from tests.factories import follow, publish, publish_many
from tests.feed.picture_uploads import publish as publish_pictures
from tests.uploads import picture

from .nginx import CONFIGURATION, HOST, TIMEOUT_SECONDS

COMPRESSED = {"Accept-Encoding": "gzip"}
MEDIA = Path(settings.DATA_DIR) / "media"


@pytest.fixture
def cookie(client, alice):
    client.force_login(alice)
    name = settings.SESSION_COOKIE_NAME
    return {"Cookie": f"{name}={client.cookies[name].value}"}


def too_large(tmp_path):
    """Return the path of a file that is one megabyte too large, without a byte on the disk."""
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(max_request_bytes() + 2**20)
    return path


class TestHosts:
    def test_http_redirects_to_https(self, nginx):
        response = nginx.get("/@alice?page=2", is_secure=False)
        assert response.status == 301
        assert response.headers["Location"] == f"https://{HOST}/@alice?page=2"

    def test_pages_come_over_https(self, nginx):
        for claim in ({}, {"X-Forwarded-Proto": "http"}):
            response = nginx.get("/about/", headers=claim)
            assert response.status == 200
            assert "max-age=31536000" in response.headers["Strict-Transport-Security"]
            assert "nginx/" not in response.headers["Server"]

    def test_unknown_hosts_get_no_answer(self, nginx):
        for is_secure in (False, True):
            with pytest.raises(urllib3.exceptions.ProtocolError):
                nginx.get("/about/", is_secure=is_secure, headers={"Host": "other.example"})

    def test_unknown_hosts_get_no_certificate(self, nginx):
        with pytest.raises(ssl.SSLError, match="UNRECOGNIZED_NAME"):
            nginx.connect(name="other.example")

    def test_certificates_can_be_renewed(self, nginx):
        """certbot writes a file, which Let's Encrypt loads without HTTPS."""
        file = nginx.folder / "acme" / ".well-known" / "acme-challenge" / "token"
        file.parent.mkdir(parents=True)
        file.write_text("answer")
        response = nginx.get("/.well-known/acme-challenge/token", is_secure=False)
        assert response.data == b"answer"

    def test_browsers_speak_http_2(self, nginx):
        command = nginx.curl("/about/", "--output", "/dev/null", "--write-out", "%{http_version}")
        assert subprocess.check_output(command, text=True, timeout=TIMEOUT_SECONDS) == "2"


class TestAddresses:
    def test_the_site_counts_the_address_of_the_client(self, nginx):
        def register(source, claimed):
            fields = {"client_name": "App", "redirect_uris": "urn:ietf:wg:oauth:2.0:oob"}
            headers = {"X-Forwarded-For": claimed}
            return nginx.request(
                "POST", "/api/v1/apps", source=source, headers=headers, fields=fields
            ).status

        # The fixture allows one app for each address.
        assert register("127.0.0.5", "203.0.113.1") == 200
        assert register("127.0.0.5", "203.0.113.2") == 429
        assert register("127.0.0.6", "203.0.113.1") == 200

    def test_the_streams_count_the_address_of_the_client(self, nginx):
        def remaining(source, claimed):
            headers = {"X-Forwarded-For": claimed, "X-Forwarded-Proto": "http"}
            response = nginx.get("/api/v1/streaming/health", source=source, headers=headers)
            assert (response.status, response.data) == (200, b"OK")  # without HTTPS, a redirect
            return int(response.headers["X-RateLimit-Remaining"])

        first = remaining("127.0.0.7", "203.0.113.1")
        assert remaining("127.0.0.7", "203.0.113.2") == first - 1
        assert remaining("127.0.0.8", "203.0.113.1") == first


class TestCompression:
    def test_static_files(self, nginx_alone):
        """nginx serves them without the site, compressed by collectstatic, for ever."""
        response = nginx_alone.get(static("css/site.css"), headers=COMPRESSED)
        assert response.status == 200
        file = settings.STATIC_ROOT / static("css/site.css").removeprefix("/static/")
        assert response.data == file.with_name(f"{file.name}.gz").read_bytes()
        assert response.headers["Content-Encoding"] == "gzip"
        assert response.headers["Content-Type"] == "text/css"
        assert "Accept-Encoding" in response.headers["Vary"]
        assert "immutable" in response.headers["Cache-Control"]
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert nginx_alone.get(static("css/site.css")).data == file.read_bytes()

    @pytest.mark.parametrize("path", ["/about/", "/api/v2/instance"])
    def test_answers_to_visitors(self, nginx, path):
        response = nginx.get(path, headers=COMPRESSED)
        assert response.headers["Content-Encoding"] == "gzip"
        assert "Accept-Encoding" in response.headers["Vary"]
        assert len(response.data) < len(gzip.decompress(response.data)) / 2
        assert "Content-Encoding" not in nginx.get(path).headers

    def test_answers_to_apps(self, nginx, alice):
        publish_many(alice, 20)
        headers = {**COMPRESSED, "Authorization": f"Bearer {token_of(alice)}"}
        response = nginx.get("/api/v1/timelines/home", headers=headers)
        assert response.headers["Content-Encoding"] == "gzip"
        assert len(json.loads(gzip.decompress(response.data))) == 20

    def test_pages_of_users_are_not_compressed(self, nginx, cookie):
        """Otherwise, their size would reveal secrets in them (BREACH)."""
        response = nginx.get("/", headers={**COMPRESSED, **cookie})
        assert "Content-Encoding" not in response.headers
        assert b"alice" in response.data


class TestUploads:
    def test_the_limits_agree(self):
        (megabytes,) = re.findall(r"client_max_body_size (\d+)m;", CONFIGURATION.read_text())
        assert int(megabytes) * 2**20 == max_request_bytes()

    @pytest.mark.parametrize("version", ["--http1.1", "--http2"])
    @pytest.mark.parametrize(
        ("path", "content_type"),
        [("/posts/", "text/html; charset=utf-8"), ("/api/v2/media", "application/json")],
    )
    def test_larger_uploads_are_refused(self, nginx, tmp_path, version, path, content_type):
        sent = ("--header", "Expect:", "--data-binary", f"@{too_large(tmp_path)}")
        shown = ("--write-out", "\n%{http_code} %{content_type}")
        command = nginx.curl(path, version, *sent, *shown)
        output = subprocess.check_output(command, text=True, timeout=TIMEOUT_SECONDS)
        text, _, status = output.rpartition("\n")
        assert status == f"413 {content_type}"
        assert "The files are too large" in text
        assert path == "/posts/" or json.loads(text)["error"]

    def test_large_uploads_reach_the_site(self, nginx, alice):
        headers = {"Authorization": f"Bearer {token_of(alice)}"}
        fields = {"file": ("large.png", bytes(20 * 2**20), "image/png")}
        response = nginx.request("POST", "/api/v2/media", headers=headers, fields=fields)
        assert response.status == 422


class TestMedia:
    def test_profile_pictures_need_no_site(self, nginx_alone):
        content = picture("WEBP")
        for kind in profile_pictures.KINDS:
            name = profile_pictures.save_picture(kind=kind, uid=1, picture=content)
            path = f"/media/{profile_pictures.picture_path(kind=kind, name=name)}"
            response = nginx_alone.get(path)
            assert response.data == content
            assert response.headers["Content-Type"] == "image/webp"
            assert "immutable" in response.headers["Cache-Control"]
            assert response.headers["Access-Control-Allow-Origin"] == "*"
            assert response.headers["X-Content-Type-Options"] == "nosniff"

    def test_the_site_has_profile_pictures_that_are_not_on_this_server(self, nginx, nginx_alone):
        path = f"/media/avatars/1-{'0' * 32}.webp"
        assert nginx_alone.get(path).status == 503
        response = nginx.get(path)
        assert response.status == 404
        assert "Content-Security-Policy" in response.headers
        assert "immutable" not in response.headers.get("Cache-Control", "")

    def test_only_profile_pictures_are_served(self, nginx_alone):
        (MEDIA / "avatars").mkdir(parents=True, exist_ok=True)
        hidden = MEDIA / "avatars" / "hidden.webp"
        hidden.write_bytes(b"secret")
        for path in ("avatars/hidden.webp", "avatars/", "avatars/../avatars/hidden.webp"):
            response = nginx_alone.get(f"/media/{path}")
            assert response.status == 503
            assert b"secret" not in response.data
        hidden.unlink()

    def test_the_site_decides_who_sees_pictures_of_posts(self, nginx, nginx_alone, client, alice):
        client.force_login(alice)
        public = publish_pictures(client, picture())
        private = publish_pictures(client, picture(color="blue"), visibility="followers")

        def path(post):
            return f"/media/pictures/{post.media[0]['name']}-small.webp"

        assert nginx.get(path(public)).status == 200
        assert nginx.get(path(private)).status == 404
        assert nginx_alone.get(path(public)).status == 503


class TestStreams:
    @pytest.mark.parametrize("version", ["--http1.1", "--http2"])
    def test_events_of_apps_arrive_while_the_stream_is_open(self, nginx, alice, bob, version):
        follow(alice, bob)
        header = ("--header", f"Authorization: Bearer {token_of(alice)}")
        with open_events(nginx, "/api/v1/streaming/user", version, *header) as lines:
            assert next(lines) == ":)\n"  # the stream is open
            publish(bob, "Hello, stream")
            line = next(line for line in lines if line.startswith("data:"))
            assert "Hello, stream" in json.loads(line.removeprefix("data: "))["content"]

    def test_events_of_pages_arrive_while_the_stream_is_open(self, nginx, cookie, alice, bob):
        post = publish(alice)
        header = ("--header", f"Cookie: {cookie['Cookie']}")
        with open_events(nginx, "/notifications/live/", *header) as lines:
            assert next(lines).startswith("retry: ")
            like_post(post_id=post, actor=bob)
            assert any('"1 unread notification"' in line for line in lines)

    def test_websockets(self, nginx, alice, bob):
        follow(alice, bob)
        path = f"/api/v1/streaming?access_token={token_of(alice)}"
        raw = socket.create_connection(("127.0.0.1", nginx.https_port))
        tls = {"sock": raw, "ssl": nginx.tls_context(), "server_hostname": HOST}
        with connect(f"wss://{HOST}:{nginx.https_port}{path}", **tls) as opened:
            opened.send(json.dumps({"type": "subscribe", "stream": "user"}))
            message = None
            while message is None:  # a subscription is not acknowledged
                publish(bob, "Hello, socket")
                with suppress(TimeoutError):
                    message = json.loads(opened.recv(timeout=1))
        assert (message["stream"], message["event"]) == (["user"], "update")
        assert "Hello, socket" in json.loads(message["payload"])["content"]


@contextmanager
def open_events(nginx, path, *options):
    """Open an event stream with curl, and yield its lines as they arrive."""
    command = nginx.curl(path, "--no-buffer", "--compressed", *options)
    command += ["--max-time", f"{TIMEOUT_SECONDS}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as curl:
        yield iter(curl.stdout)
        assert curl.poll() is None
        curl.kill()


class TestLogs:
    def test_logs_contain_no_tokens(self, nginx, nginx_alone):
        nginx.get("/about/?key=a-secret")
        nginx_alone.get("/api/v1/streaming/user?access_token=a-secret")
        nginx.wait_for_log('"GET /about/ HTTP/1.1" 200')
        nginx_alone.wait_for_log('"GET /api/v1/streaming/user HTTP/1.1" 503')
        for server in (nginx, nginx_alone):
            assert "a-secret" not in server.log("access") + server.log("error")


class TestErrors:
    def test_a_page_while_the_site_is_down(self, nginx_alone):
        response = nginx_alone.get("/")
        assert response.status == 503
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"
        assert int(response.headers["Retry-After"]) > 0
        assert response.headers["Cache-Control"] == "no-store"
        assert b"load the page again" in response.data

    def test_json_while_the_site_is_down(self, nginx_alone):
        response = nginx_alone.get("/api/v1/timelines/home")
        assert response.status == 503
        assert int(response.headers["Retry-After"]) > 0
        assert "Try again" in json.loads(response.data)["error"]

    def test_errors_of_the_site_pass_through(self, nginx):
        response = nginx.get("/api/v1/nothing")
        assert response.status == 404
        assert json.loads(response.data)["error"] == "This endpoint does not exist"

    def test_pages_of_nginx_have_no_urls(self, nginx):
        assert nginx.get("/-/413.html").status == 404


def test_a_reload_interrupts_nobody(nginx, web):
    """``systemctl reload`` sends SIGHUP: new processes take over, and old ones finish their requests."""
    statuses, is_over = [], threading.Event()

    def keep_loading():
        while not is_over.is_set():
            statuses.append(nginx.get("/about/").status)

    threads = [threading.Thread(target=keep_loading) for _ in range(3)]
    for thread in threads:
        thread.start()
    master = web.child.process.pid
    before = children_of(master)
    os.kill(master, signal.SIGHUP)
    while children_of(master) & before:
        is_over.wait(0.1)
    seen = len(statuses)
    while len(statuses) < seen + 10:
        is_over.wait(0.1)
    is_over.set()
    for thread in threads:
        thread.join()
    assert set(statuses) == {200}


def children_of(pid):
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return {int(child) for child in text.split()}
