"""Streams of a real site: gunicorn in processes of its own."""

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
"""``STREAMS=500`` measures as many as one process is meant to have; fewer are enough to tell."""

MEANT, MEGABYTES = 500, 300


@contextmanager
def site(**how):
    """Its address."""
    name = connection.settings_dict["NAME"]
    with served_site(database=name, data_dir=configured.DATA_DIR, **how) as address:
        yield urlsplit(address).netloc


def cookie_of(user):
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = configured.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return f"{configured.SESSION_COOKIE_NAME}={session.session_key}"


class Page:
    """An open page of a person: what its stream says."""

    def __init__(self, netloc, user, query=""):
        self.connection = http.client.HTTPConnection(netloc, timeout=60)
        path = f"/notifications/live/{query}"
        self.connection.request("GET", path, headers={"Cookie": cookie_of(user)})
        self.answer = self.connection.getresponse()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def hear_of(self, name):
        while (line := self.answer.readline().decode()) != f"event: {name}\n":
            assert line, "the stream has ended"
        return json.loads(self.answer.readline().decode().removeprefix("data: "))


def test_streams_in_several_processes_hear_the_same(alice, bob):
    follow(alice, bob)
    post, top = publish(alice), publish(bob)
    with site(workers=2) as netloc, ExitStack() as opened:
        readers = [opened.enter_context(Page(netloc, alice, query=f"?top={top}")) for _ in range(3)]
        others = [opened.enter_context(Page(netloc, user)) for user in people(6)]
        for page in (*readers, *others):
            assert page.answer.headers["Content-Type"] == "text/event-stream"
            assert "no-store" in page.answer.headers["Cache-Control"]
            assert page.hear_of("unread")["count"] == 0
        like_post(post_id=post, actor=bob)
        publish(bob)
        for page in readers:
            assert page.hear_of("unread")["count"] == 1
            assert page.hear_of("posts")["count"] == 1


def test_pages_are_served_while_all_streams_are_taken(alice, bob):
    with site(threads=6, LIVE_MAX_STREAMS="4") as netloc, ExitStack() as opened:
        for user in people(4):
            opened.enter_context(Page(netloc, user)).hear_of("unread")
        refused = opened.enter_context(Page(netloc, bob))
        assert refused.answer.status == 204
        page = http.client.HTTPConnection(netloc, timeout=30)
        page.request("GET", "/notifications/poll/", headers={"Cookie": cookie_of(alice)})
        assert json.loads(page.getresponse().read())["unread"]["count"] == 0
        page.close()


def test_a_process_that_is_to_stop_does_not_wait_for_its_streams(alice):
    with ExitStack() as opened, site(graceful_timeout=60) as netloc:
        page = opened.enter_context(Page(netloc, alice))
        page.hear_of("unread")
        os.kill(master(port=int(netloc.split(":")[1])), signal.SIGTERM)
        began = time.monotonic()
        while page.answer.readline():
            pass
        assert time.monotonic() - began < 15, "its next heartbeat would be too late"


def test_very_many_streams_fit_into_one_process(alice):
    readers = people(STREAMS)
    how = {"threads": STREAMS + 20, "LIVE_MAX_STREAMS": str(STREAMS)}
    with site(**how) as netloc, ExitStack() as opened:
        pid = master(port=int(netloc.split(":")[1]))
        worker = int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])
        before = megabytes(worker)
        pages = [opened.enter_context(Page(netloc, reader)) for reader in readers]
        for page in pages:
            page.hear_of("unread")
        post = publish(readers[0])
        like_post(post_id=post, actor=alice)
        assert pages[0].hear_of("unread")["count"] == 1
        after = megabytes(worker)
    print(f"{STREAMS} streams: {before} MB before, {after} MB with them")  # noqa: T201
    assert before + (after - before) * MEANT / STREAMS < MEGABYTES


def master(*, port):
    """The process that started the site's others."""
    return int(pid_file(data_dir=configured.DATA_DIR, port=port).read_text())


def megabytes(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) // 1024
