"""Streams of a real process: restarts, limits, shutdown, memory and speed."""

import http.client
import json
import os
import resource
import selectors
import signal
import socket
import statistics
import time
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from django.conf import settings as configured
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.db import connection

from accounts.session_store import SessionStore
from tests.actions import like_post
from tests.api.api_client import token_of
from tests.browser.site import served_site, served_streams
from tests.factories import follow, follow_many, people, publish
from tests.notifications.open_pages import open_page

pytestmark = pytest.mark.slow
STREAMS = int(os.environ.get("STREAMS", "100"))
"""``STREAMS=1000`` measures memory and speed with as many streams. Fewer are enough for a test."""

MAX_KILOBYTES_PER_STREAM = 100
"""10,000 streams fit in a gigabyte."""

POSTS = 5


@contextmanager
def streams(**options):
    """Start the streams process and yield it."""
    name = connection.settings_dict["NAME"]
    with served_streams(database=name, data_dir=configured.DATA_DIR, **options) as running:
        yield running


def netloc_of(running):
    return urlsplit(running.url).netloc


def cookie_of(user):
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = configured.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return f"{configured.SESSION_COOKIE_NAME}={session.session_key}"


def request_of(user, top):
    """Return the request of a page for its stream."""
    lines = (f"GET /notifications/live/?top={top} HTTP/1.1", "Host: 127.0.0.1")
    return "\r\n".join([*lines, f"Cookie: {cookie_of(user)}", "", ""]).encode()


def test_a_process_stops_at_once_and_pages_get_what_they_missed_meanwhile(alice, bob):
    follow(alice, bob)
    post, top = publish(alice), publish(bob)
    with streams() as running:
        with open_page(netloc_of(running), alice, f"?top={top}") as page:
            os.kill(running.child.process.pid, signal.SIGTERM)
            began = time.monotonic()
            assert page.remaining_events() == []
            running.child.process.wait(20)
            assert time.monotonic() - began < 4, "the graceful timeout would be too late"
            last_id = str(top)
        like_post(post_id=post, actor=bob)
        publish(bob)
        running.start()
        with open_page(
            netloc_of(running), alice, f"?top={top}", **{"Last-Event-ID": last_id}
        ) as page:
            assert page.wait_for_event("posts")["count"] == 1
            like_post(post_id=publish(alice), actor=bob)
            assert page.wait_for_event("unread")["count"] == 2


def test_pages_are_served_while_all_streams_are_in_use(alice, bob):
    name = connection.settings_dict["NAME"]
    options = {"database": name, "data_dir": configured.DATA_DIR, "LIVE_MAX_STREAMS": "4"}
    with served_site(threads=2, **options) as address, ExitStack() as opened:
        instance = requests.get(f"{address}/api/v2/instance", timeout=20).json()
        netloc = urlsplit(instance["configuration"]["urls"]["streaming"]).netloc
        for user in people(4):
            opened.enter_context(open_page(netloc, user))
        with closing(http.client.HTTPConnection(netloc, timeout=30)) as refused:
            refused.request("GET", "/notifications/live/", headers={"Cookie": cookie_of(bob)})
            assert refused.getresponse().status == 503
        with closing(http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)) as page:
            page.request("GET", "/notifications/poll/", headers={"Cookie": cookie_of(alice)})
            assert json.loads(page.getresponse().read())["unread"]["count"] == 0


@pytest.fixture(scope="module")
def shared_streams():
    with streams() as running:
        yield running


def test_silent_and_slow_clients_do_not_delay_others(shared_streams, alice, bob):
    """A silent client sends nothing, a slow client does not read."""
    with ExitStack() as opened:
        address = ("127.0.0.1", urlsplit(shared_streams.url).port)
        for user in people(30):
            opened.enter_context(socket.create_connection(address, timeout=30))
            client = opened.enter_context(socket.create_connection(address, timeout=30))
            client.sendall(request_of(user, top=0))
        with open_page(netloc_of(shared_streams), alice) as page:
            like_post(post_id=publish(alice), actor=bob)
            assert page.wait_for_event("unread")["count"] == 1


def test_logs_contain_no_tokens(shared_streams, alice):
    token = token_of(alice)
    url = f"{shared_streams.url}/api/v1/streaming/elsewhere?access_token={token}"
    assert requests.get(url, timeout=20).status_code == 404
    log = shared_streams.log.read_text()
    assert "/api/v1/streaming/elsewhere" in log
    assert token not in log


class Clients:
    """Many open pages in one thread, whose newest post is ``top``."""

    def __init__(self, address, users, *, top):
        self._selector = selectors.DefaultSelector()
        self._sockets = []
        for number, user in enumerate(users):
            client = socket.create_connection(address, timeout=30)
            client.sendall(request_of(user, top))
            self._sockets.append(client)
            self._selector.register(client, selectors.EVENT_READ, number)
            self._wait_until_open(client)

    def _wait_until_open(self, client):
        received = b""
        while b"event: unread" not in received:
            chunk = client.recv(65536)
            assert chunk, received
            received += chunk

    def read(self, handle, *, seconds, until=lambda: False):
        """Call ``handle(client number, bytes)`` for each chunk, until the condition or the time-out."""
        deadline = time.monotonic() + seconds
        while (remaining := deadline - time.monotonic()) > 0 and not until():
            for key, _mask in self._selector.select(remaining):
                if chunk := key.fileobj.recv(65536):
                    handle(key.data, chunk)

    def close(self):
        for client in self._sockets:
            client.close()
        self._selector.close()


def test_a_process_has_memory_for_many_streams(alice):
    """With ``STREAMS`` open pages: measure memory, the CPU of posts and likes, and their delay."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    users = people(STREAMS)
    authors = people(10, prefix="author")
    for number, author in enumerate(authors):
        follow_many(users[number::10], author)
    post_of_first = publish(users[0])
    with streams() as running:
        pid = running.child.process.pid
        before = kilobytes(pid)
        began_at = time.monotonic()
        address = ("127.0.0.1", urlsplit(running.url).port)
        clients = Clients(address, users, top=post_of_first)
        opening_seconds = time.monotonic() - began_at
        clients.read(lambda *_: None, seconds=1)
        per_stream = (kilobytes(pid) - before) / STREAMS
        delays, cpu_before, began_at = [], cpu_seconds(pid), time.monotonic()
        for number in range(1, POSTS + 1):
            sent_at = time.monotonic()
            publish(authors[number % 10])

            def note(_number, chunk, sent_at=sent_at):
                if b"event: posts" in chunk:
                    delays.append(time.monotonic() - sent_at)

            clients.read(note, seconds=2, until=lambda n=number: len(delays) >= n * STREAMS // 10)
        cpu = (cpu_seconds(pid) - cpu_before) / (time.monotonic() - began_at)
        got_like = []
        like_post(post_id=post_of_first, actor=alice)
        clients.read(lambda n, _: got_like.append(n), seconds=2, until=lambda: 0 in got_like)
        clients.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert 0 in got_like
    assert len(delays) >= POSTS * (STREAMS // 10) * 0.9
    delays.sort()
    print(  # noqa: T201
        f"{STREAMS} streams: {per_stream:.0f} KB each, opened in {opening_seconds:.1f} s,"
        f" {cpu:.1%} of a core while {POSTS} posts reach {STREAMS // 10} pages each,"
        f" p50 {statistics.median(delays):.2f} s, p95 {delays[int(len(delays) * 0.95)]:.2f} s"
    )
    if STREAMS >= 100:
        assert per_stream < MAX_KILOBYTES_PER_STREAM


def kilobytes(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
