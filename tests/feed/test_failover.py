"""Every acknowledged post reaches every follower exactly once, although processes are killed.

A replica set of three servers, two workers and a publisher run while workers and primaries are killed
and restarted at random moments. ``make chaos`` sets ``KILLS=100`` for more kills.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time

from django.conf import settings
from django.db import connection
from pymongo import MongoClient

from socialsite.celery import SERVER_SELECTION_TIMEOUT_MS
from socialsite.local.processes import start_child
from tests.database import copy_empty_site
from tests.feed.chaos.replica_set import ReplicaSet

KILLS = int(os.environ.get("KILLS", "2"))
KILLS_PER_PRIMARY_KILL = 5
"""One of this many kills hits the primary. The others hit workers."""

DATABASE = "chaos"
WORKERS = 2
READY_SECONDS = 120.0
SETTLE_SECONDS = 300.0
MUST_BE_ZERO = (
    "lost",
    "lacking",
    "foreign",
    "not_done",
    "miscounted",
    "read_otherwise",
    "author_reads_otherwise",
)


class Site:
    """The processes of the site except the database."""

    def __init__(self, folder, uri):
        self.folder = folder
        with MongoClient(uri) as client:
            copy_empty_site(source=connection.database, target=client[DATABASE])
        self.env = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "socialsite.settings",
            "MONGODB_URI": uri,
            "MONGODB_NAME": DATABASE,
            "BROKER_URL": "",
            "FEED_STALLED_SECONDS": "1",
            "FEED_INLINE_AUDIENCE_LIMIT": "100",
            "FEED_INBOX_MAX": "100000",
            "LOG_LEVEL": "WARNING",
        }
        self.publisher = self._start("site")
        self._wait(lambda: (folder / "published").exists(), self.publisher)
        self.workers = [self._start("worker") for _ in range(WORKERS)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for child in (*self.workers, self.publisher):
            child.kill()

    def kill_worker(self, chance):
        """Kill a ready worker and start a new one."""
        self._wait(lambda: self._ready(), self.workers[0])
        victim = chance.choice(self._ready())
        victim.kill()
        self.workers.remove(victim)
        self.workers.append(self._start("worker"))

    def wait_for_a_worker(self):
        self._wait(lambda: self._ready(), self.workers[0])

    def end(self):
        """Stop publishing and return the result after all deliveries are finished."""
        (self.folder / "stop").touch()
        self.publisher.process.wait(SETTLE_SECONDS)
        lines = self.publisher.log.read_text().splitlines()
        assert self.publisher.process.returncode == 0, lines[-40:]
        return json.loads(lines[-1])

    def _ready(self):
        return [
            worker
            for worker in self.workers
            if (self.folder / f"ready-{worker.process.pid}").exists() and worker.is_running
        ]

    def _start(self, name):
        count = len(list(self.folder.glob(f"{name}-*.log")))
        return start_child(
            name=name,
            command=[sys.executable, "-m", f"tests.feed.chaos.{name}", str(self.folder)],
            env=self.env,
            log=self.folder / f"{name}-{count}.log",
            # After SIGKILL, the worker's child processes would keep running.
            parent_death_signal=signal.SIGQUIT if name == "worker" else signal.SIGKILL,
        )

    def _wait(self, condition, child):
        deadline = time.monotonic() + READY_SECONDS
        while not condition():
            assert child.is_running, child.log_tail(lines=30)
            assert time.monotonic() < deadline, child.log_tail(lines=30)
            time.sleep(0.05)


def test_writes_need_a_majority_even_if_the_uri_says_otherwise():
    assert connection.database.write_concern.document == {"w": "majority"}
    client = connection.database.client
    careless = type(client)("mongodb://127.0.0.1:1/?w=1", **connection.settings_dict["OPTIONS"])
    assert careless.write_concern.document == {"w": "majority"}
    careless.close()


def test_workers_wait_longer_for_a_primary_than_pages():
    as_worker = (
        "import socialsite; from celery.signals import celeryd_init; celeryd_init.send(sender='worker'); "
        "from django.db import connection; "
        "print(connection.database.client.options.server_selection_timeout)"
    )
    command = [sys.executable, "-c", as_worker]
    text = subprocess.run(command, check=True, capture_output=True, cwd=settings.BASE_DIR)
    assert float(text.stdout) == SERVER_SELECTION_TIMEOUT_MS / 1000
    assert connection.database.client.options.server_selection_timeout == 3.0


def test_every_acknowledged_post_reaches_every_reader_once(tmp_path):
    chance = random.Random(os.environ.get("SEED"))
    kills = [n % KILLS_PER_PRIMARY_KILL == 0 for n in range(KILLS)]
    chance.shuffle(kills)
    started_at = time.monotonic()
    with ReplicaSet(tmp_path) as database, Site(tmp_path, database.uri) as site:
        site.wait_for_a_worker()
        for is_primary_kill in kills:
            # The pause only randomizes the moment of the kill.
            time.sleep(chance.uniform(0.1, 1.0))
            if is_primary_kill:
                killed = database.kill_primary()
                time.sleep(chance.uniform(0, 0.5))
                database.restart(killed)
                database.wait_until_complete()
            else:
                site.kill_worker(chance)
        result = site.end()
    result["kills"] = {"workers": kills.count(False), "primaries": kills.count(True)}
    result["seconds"] = round(time.monotonic() - started_at)
    sys.stdout.write(json.dumps(result, indent=2) + "\n")  # output of ``make chaos``
    assert {name: result[name] for name in MUST_BE_ZERO} == dict.fromkeys(MUST_BE_ZERO, 0), result
    assert result["largest_bucket"] == 50, "some buckets were cut, and none is too large"
    assert result["acknowledged"] >= 10
