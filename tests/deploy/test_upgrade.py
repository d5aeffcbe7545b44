"""A rolling upgrade: web servers of the previous commit and of this one serve the same people.

Each person changes to the other server with every request. So each version reads sessions, cookies, posts,
inboxes, notifications and caches that the other one has written a moment ago.
"""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from threading import Thread

import pytest
import requests
from django.conf import settings
from django.db import connection

from socialsite.local.ports import free_port
from tests.browser.site import served_site
from tests.factories import PASSWORD, follow, publish

ROOT = Path(__file__).resolve().parents[2]
OLD_VERSION = os.environ.get("UPGRADE_FROM", "HEAD~1")
ROUNDS = int(os.environ.get("ROUNDS", "1"))
"""The two people begin at different servers, so each server gets each request once in each round."""

START_SECONDS = 60
COLLECT_STATIC = """
import django
from django.core.management import call_command
from whitenoise.compress import Compressor

django.setup()
Compressor.compress = lambda *_: ()
call_command("collectstatic", interactive=False, verbosity=0)
"""
"""Compression would take most of the time."""

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@pytest.fixture(scope="module")
def old_code(tmp_path_factory):
    """The files of the previous commit, or of the commit ``UPGRADE_FROM``."""
    folder = tmp_path_factory.mktemp("old")
    archive = subprocess.run(["git", "archive", OLD_VERSION], cwd=ROOT, capture_output=True)
    if archive.returncode:
        pytest.skip("the previous commit is missing (no repository, or a shallow one)")
    subprocess.run(["tar", "-x"], cwd=folder, input=archive.stdout, check=True)
    return folder


@contextmanager
def old_site(code, data_dir, environment):
    """Serve the old code, with its own static files and the same media, and yield its URL."""
    (data_dir / "media").symlink_to(Path(settings.DATA_DIR) / "media")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    env = {**os.environ, **environment, "DATA_DIR": str(data_dir)}
    collect = [sys.executable, "-c", COLLECT_STATIC]
    subprocess.run(collect, cwd=code, env=env, check=True)
    command = [sys.executable, "-m", "gunicorn", "socialsite.wsgi", "--bind", f"127.0.0.1:{port}"]
    command += ["--workers", "1", "--worker-class", "gthread", "--threads", "4"]
    with (data_dir / "web.log").open("wb") as log:
        server = subprocess.Popen(
            [*command, "--no-control-socket"],
            cwd=code, env=env, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        deadline = time.monotonic() + START_SECONDS
        while True:
            assert server.poll() is None, (data_dir / "web.log").read_text()
            assert time.monotonic() < deadline
            try:
                requests.get(f"{url}/health", timeout=5)
                break
            except (requests.ConnectionError, requests.Timeout):
                time.sleep(0.1)
        yield url
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


class Person:
    """A browser that changes the server with each request. Any error status fails the test."""

    def __init__(self, name, urls):
        self.name = name
        self.session = requests.Session()
        self.session.trust_env = False
        # A server may close a kept connection just when the next request uses it.
        self.session.headers["Connection"] = "close"
        self.urls = cycle(urls)
        self.token = ""

    def get(self, path):
        response = self.session.get(next(self.urls) + path, timeout=30)
        assert response.status_code == 200, (self.name, response.url, response.status_code)
        self.token = TOKEN.search(response.text)[1]
        return response.text

    def post(self, path, **fields):
        data = {"csrfmiddlewaretoken": self.token, **fields}
        response = self.session.post(next(self.urls) + path, data=data, timeout=30)
        assert response.status_code == 200, (self.name, response.url, response.status_code)
        return response.text

    def use_the_site(self):
        self.get("/accounts/login/")
        self.post("/accounts/login/", login=self.name, password=PASSWORD)
        for n in range(ROUNDS):
            text = f"{self.name} writes number {n}"
            home = self.get("/")
            key = re.search(r'name="idempotency_key" value="([^"]+)"', home)[1]
            self.post(
                "/posts/", text=text, visibility="public", idempotency_key=key,
                reply_policy="everyone", quote_policy="everyone",
            )  # fmt: skip
            for _server in range(2):
                assert text in self.get("/")
            post_id = re.search(r'id="post-(\d+)"', self.get(f"/@{self.name}/"))[1]
            self.post(f"/posts/{post_id}/like/")
            page = self.get(f"/@{self.name}/{post_id}/")
            assert "Liked" in page
            for path in ("/notifications/", f"/search/?q={self.name}", "/explore/", "/settings/"):
                self.get(path)


def test_old_and_new_code_serve_the_same_people(old_code, tmp_path, alice, bob):
    people = (alice, bob)
    for user in people:
        follow(user, *(other for other in people if other != user))
        publish(user, f"{user.username} before the upgrade")
    database = connection.settings_dict["NAME"]
    environment = {
        "RATE_LIMIT_POSTS": "",
        "RATE_LIMIT_LIKES": "",
        "RATE_LIMIT_SEARCHES": "",
    }
    errors = []
    with (
        served_site(
            database=database, data_dir=settings.DATA_DIR, has_streams=False, **environment
        ) as new,
        old_site(
            old_code,
            tmp_path,
            {
                **environment,
                "MONGODB_NAME": database,
                "ALLOWED_HOSTS": "127.0.0.1",
                "SITE_URL": new,
            },
        ) as old,
    ):

        def run(person):
            try:
                person.use_the_site()
            except Exception as error:
                errors.append(error)
                raise

        threads = [
            Thread(target=run, args=(Person(user.username, order),))
            for user, order in zip(people, ((new, old), (old, new)), strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        reader = Person("alice", (old,))
        reader.get("/accounts/login/")
        reader.post("/accounts/login/", login="alice", password=PASSWORD)
        page = reader.get("/@bob/")
        assert f"bob writes number {ROUNDS - 1}" in page
    assert errors == []
