"""Streams of a real site with gunicorn."""

import http.client
import json
import os
import signal
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings as configured
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection

from tests.actions import like_post
from tests.browser.site import pid_file, served_site
from tests.factories import follow, people, publish

pytestmark = pytest.mark.slow
STREAMS = int(os.environ.get("STREAMS", "100"))
"""``STREAMS=500`` measures the planned number of streams in one process. Fewer are enough."""

PLANNED_STREAMS, MAX_MEGABYTES = 500, 300


@contextmanager
def site(**options):
    """Start the site and yield its address."""
    name = connection.settings_dict["NAME"]
    with served_site(database=name, data_dir=configured.DATA_DIR, **options) as address:
        yield urlsplit(address).netloc


def cookie_of(user):
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = configured.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return f"{configured.SESSION_COOKIE_NAME}={session.session_key}"


class Page:
    """An open page of a user, with the events of its stream."""

    def __init__(self, netloc, user, query=""):
        self.connection = http.client.HTTPConnection(netloc, timeout=60)
        path = f"/notifications/live/{query}"
        self.connection.request("GET", path, headers={"Cookie": cookie_of(user)})
        self.response = self.connection.getresponse()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def wait_for_event(self, name):
        while (line := self.response.readline().decode()) != f"event: {name}\n":
            assert line, "the stream ended"
        return json.loads(self.response.readline().decode().removeprefix("data: "))


def test_streams_in_several_processes_receive_the_same_events(alice, bob):
    follow(alice, bob)
    post, top = publish(alice), publish(bob)
    with site(workers=2) as netloc, ExitStack() as opened:
        pages_of_alice = [
            opened.enter_context(Page(netloc, alice, query=f"?top={top}")) for _ in range(3)
        ]
        other_pages = [opened.enter_context(Page(netloc, user)) for user in people(6)]
        for page in (*pages_of_alice, *other_pages):
            assert page.response.headers["Content-Type"] == "text/event-stream"
            assert "no-store" in page.response.headers["Cache-Control"]
            assert page.wait_for_event("unread")["count"] == 0
        like_post(post_id=post, actor=bob)
        publish(bob)
        for page in pages_of_alice:
            assert page.wait_for_event("unread")["count"] == 1
            assert page.wait_for_event("posts")["count"] == 1


def test_pages_are_served_while_all_streams_are_in_use(alice, bob):
    with site(threads=6, LIVE_MAX_STREAMS="4") as netloc, ExitStack() as opened:
        for user in people(4):
            opened.enter_context(Page(netloc, user)).wait_for_event("unread")
        refused = opened.enter_context(Page(netloc, bob))
        assert refused.response.status == 204
        page = http.client.HTTPConnection(netloc, timeout=30)
        page.request("GET", "/notifications/poll/", headers={"Cookie": cookie_of(alice)})
        assert json.loads(page.getresponse().read())["unread"]["count"] == 0
        page.close()


def test_a_stopping_process_does_not_wait_for_its_streams(alice):
    with ExitStack() as opened, site(graceful_timeout=60) as netloc:
        page = opened.enter_context(Page(netloc, alice))
        page.wait_for_event("unread")
        os.kill(master(port=int(netloc.split(":")[1])), signal.SIGTERM)
        began = time.monotonic()
        while page.response.readline():
            pass
        assert time.monotonic() - began < 15, "the next heartbeat would be too late"


def test_a_process_has_memory_for_many_streams(alice):
    users = people(STREAMS)
    options = {"threads": STREAMS + 20, "LIVE_MAX_STREAMS": str(STREAMS)}
    with site(**options) as netloc, ExitStack() as opened:
        pid = master(port=int(netloc.split(":")[1]))
        worker = int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])
        before = megabytes(worker)
        pages = [opened.enter_context(Page(netloc, user)) for user in users]
        for page in pages:
            page.wait_for_event("unread")
        post = publish(users[0])
        like_post(post_id=post, actor=alice)
        assert pages[0].wait_for_event("unread")["count"] == 1
        after = megabytes(worker)
    print(f"{STREAMS} streams: {before} MB before, {after} MB while they are open")  # noqa: T201
    assert before + (after - before) * PLANNED_STREAMS / STREAMS < MAX_MEGABYTES


def master(*, port):
    """Return the id of the master process of gunicorn."""
    return int(pid_file(data_dir=configured.DATA_DIR, port=port).read_text())


def megabytes(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) // 1024
