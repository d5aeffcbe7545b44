"""Slow clients and greedy clients cost nginx a connection, and never the site a thread."""

import json
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.conf import settings

from notifications.live.streams import AppStream
from tests.api.api_client import token_of
from tests.factories import people
from tests.feed.picture_uploads import publish as publish_pictures
from tests.uploads import picture

from .conftest import THREADS
from .nginx import HOST, running_nginx

CLIENTS = 30
"""Clients of each kind. The site has far fewer threads."""

HEAD = f"HTTP/1.1\r\nHost: {HOST}\r\n"
UNFINISHED_UPLOAD = (
    f"POST /posts/ {HEAD}Content-Type: multipart/form-data; boundary=x\r\n"
    "Content-Length: 5000000\r\n\r\n--x\r\n"
).encode()
UNFINISHED_HEADER = f"GET / {HEAD}X-Unfinished: ".encode()
SLOW, OTHERS, GREEDY = "127.0.0.2", "127.0.0.3", "127.0.0.4"
MAX_STREAMS = 300
"""Number of streams that an address may have open."""


@pytest.fixture
def large_path(client, alice):
    """Publish a picture whose file is so large that no kernel keeps it for a slow reader."""
    client.force_login(alice)
    post = publish_pictures(client, picture())
    name = f"pictures/{post.media[0]['name']}-large.webp"
    file = Path(settings.DATA_DIR) / "media" / name
    file.write_bytes(bytes(20_000_000))
    yield f"/media/{name}"
    file.unlink()


def test_slow_clients_have_no_effect_on_others(nginx, large_path):
    assert CLIENTS > THREADS
    read = f"GET {large_path} {HEAD}\r\n".encode()
    with ExitStack() as opened:
        for beginning in (b"", UNFINISHED_HEADER, UNFINISHED_UPLOAD, read):
            for _ in range(CLIENTS):
                slow = opened.enter_context(nginx.connect(source=SLOW, receive_buffer=4096))
                slow.sendall(beginning)
        statuses = []

        def load_pages():
            statuses.extend(nginx.get("/about/", source=OTHERS).status for _ in range(10))

        threads = [threading.Thread(target=load_pages) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert statuses == [200] * 40
        # The slow readers get everything in the end.
        assert slow.recv(12) == b"HTTP/1.1 200"


def test_silence_closes_the_connection(web, streams_port, tmp_path, large_path):
    """With all times divided by ten. A time that is missing would stay at the minute of nginx."""
    with (
        running_nginx(
            tmp_path, web_port=web.port, streams_port=streams_port, has_short_timeouts=True
        ) as nginx,
        ExitStack() as opened,
    ):
        for beginning in (UNFINISHED_HEADER, UNFINISHED_UPLOAD):
            connected = opened.enter_context(nginx.connect())
            connected.sendall(beginning)
            assert is_closed(connected)
        reader = opened.enter_context(nginx.connect(receive_buffer=4096))
        reader.sendall(f"GET {large_path} {HEAD}\r\n".encode())
        nginx.wait_for_log(f'"GET {large_path} HTTP/1.1" 200')


def is_closed(connected):
    """Wait until the other side closes the connection. Fails with TimeoutError if it does not."""
    try:
        return connected.recv(4096) == b""
    except ConnectionResetError:
        return True


def test_an_address_can_open_only_so_many_requests(nginx):
    with ExitStack() as opened:
        for _ in range(100):
            connected = opened.enter_context(nginx.connect(source=GREEDY))
            connected.sendall(UNFINISHED_UPLOAD)
        while (refused := nginx.get("/about/", source=GREEDY)).status == 200:
            pass  # nginx still reads the headers of the last request
        assert refused.status == 429
        assert b"Wait a moment" in refused.data
        refused = nginx.get("/api/v2/instance", source=GREEDY)
        assert refused.status == 429
        assert "try again" in json.loads(refused.data)["error"]
        assert nginx.get("/about/", source=OTHERS).status == 200
        assert nginx.get("/api/v1/streaming/health", source=GREEDY).status == 200


def test_many_streams(nginx):
    """More than nginx could hold with its own settings, and no more than allowed for each address."""
    tokens = [token_of(user) for user in people(MAX_STREAMS // AppStream.max_per_user + 1)]

    def open_stream(token, number=0, source=GREEDY):
        stream = opened.enter_context(nginx.connect(source=source))
        authorization = f"Authorization: Bearer {token}\r\n"
        path = f"/api/v1/streaming/hashtag?tag=tea{number}"
        stream.sendall(f"GET {path} {HEAD}{authorization}\r\n".encode())
        return stream.recv(12)

    with ExitStack() as opened:
        for token in tokens[:-1]:
            for number in range(AppStream.max_per_user):
                assert open_stream(token, number) == b"HTTP/1.1 200"
        assert open_stream(tokens[-1]) == b"HTTP/1.1 429"
        assert open_stream(tokens[-1], source=OTHERS) == b"HTTP/1.1 200"
