"""Health and metrics of real processes: what is killed or frozen is noticed, and so is its return."""

import logging
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
import requests
from django.conf import settings
from django.db import connection
from pymongo import MongoClient

from socialsite.local.mongod import start_embedded
from socialsite.local.processes import ROOT, start_child
from tests.browser.site import served_site
from tests.database import copy_empty_site
from tests.feed.brokers import Redis

from . import quick_settings

pytestmark = pytest.mark.slow

TOKEN = "a-long-token"
logger = logging.getLogger(__name__)
http = requests.Session()
http.trust_env = False


class Site:
    """A site with its own mongod, Redis, web server, worker and beat."""

    def __init__(self, folder, stack):
        self.folder = folder
        self.mongod = start_embedded(data_dir=folder)
        stack.callback(self.mongod.child.kill)
        self.redis = Redis(folder)
        self.redis.start()
        stack.callback(lambda: self.redis.stop())
        self.environment = {
            "MONGODB_URI": self.mongod.uri,
            "MONGODB_NAME": "site",
            "BROKER_URL": self.redis.url,
            "STATS_FLUSH_SECONDS": "1",
            "DJANGO_SETTINGS_MODULE": quick_settings.__name__,
        }
        with MongoClient(self.mongod.uri) as client:
            copy_empty_site(source=connection.database, target=client["site"])
        environment = {
            key: value for key, value in self.environment.items() if key != "MONGODB_NAME"
        }
        self.url = stack.enter_context(
            served_site(
                database="site", data_dir=settings.DATA_DIR, has_streams=False, **environment
            )
        )

    def start(self, name):
        worker = ["worker", "--concurrency", "1"]
        options = {
            "worker": worker,
            "slow_worker": [*worker, "--queues", "slow", "--hostname", "slow@%h"],
            "beat": ["beat", "-s", str(self.folder / "beat")],
        }
        command = [sys.executable, "-m", "celery", "-A", "socialsite", *options[name]]
        env = {**os.environ, **self.environment}
        return start_child(
            name=name,
            command=command,
            env=env,
            log=self.folder / f"{name}.log",
            parent_death_signal=signal.SIGKILL,
        )

    def failed_checks(self):
        response = http.get(f"{self.url}/health/ready", timeout=20)
        checks = response.json()["checks"]
        failed = {name for name, check in checks.items() if check["status"] != "ok"}
        assert response.status_code == (503 if failed else 200)
        return failed

    def wait_for(self, expected, what):
        started = time.monotonic()
        while (failed := self.failed_checks()) != expected:
            assert time.monotonic() < started + 120, (what, failed)
            time.sleep(0.25)
        logger.warning("%s: seen after %.1f s", what, time.monotonic() - started)


@pytest.mark.timeout(600)
def test_ready_notices_each_failure_and_each_recovery(tmp_path):
    with ExitStack() as stack:
        site = Site(tmp_path, stack)
        processes = {name: site.start(name) for name in ("worker", "slow_worker", "beat")}
        stack.callback(lambda: [process.kill() for process in processes.values()])
        site.wait_for(set(), "start of both workers and beat")

        site.redis.stop()
        site.wait_for({"broker"}, "killed Redis")
        site.redis.start()
        site.wait_for(set(), "new Redis")

        os.kill(site.mongod.child.process.pid, signal.SIGSTOP)
        try:
            checks = {"database", "migrations", "beat", "worker", "slow_worker"}
            site.wait_for(checks, "frozen mongod")
            assert http.get(f"{site.url}/health/live", timeout=5).text == "OK"
        finally:
            os.kill(site.mongod.child.process.pid, signal.SIGCONT)
        site.wait_for(set(), "thawed mongod")

        processes["slow_worker"].kill()
        site.wait_for({"slow_worker"}, "killed worker of slow jobs")
        for name in ("worker", "beat"):
            processes[name].kill()
        site.wait_for({"beat", "worker", "slow_worker"}, "killed worker and beat")


def read_metrics(url):
    response = http.get(f"{url}/metrics", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=20)
    assert response.status_code == 200
    return response.text


def sample(text, line):
    match = re.search(rf"^{re.escape(line)} (\S+)$", text, re.MULTILINE)
    return float(match[1]) if match else 0.0


def test_metrics_are_the_sums_of_all_processes_also_after_one_is_killed(tmp_path):
    folder = tmp_path / "metrics"
    environment = {"METRICS_TOKEN": TOKEN, "PROMETHEUS_MULTIPROC_DIR": str(folder)}
    name = connection.settings_dict["NAME"]
    requests_of_page = 'socialsite_requests_total{method="GET",route="about",status="200"}'
    with served_site(
        database=name, data_dir=settings.DATA_DIR, workers=2, has_streams=False, **environment
    ) as url:
        for _ in range(40):
            assert requests.get(f"{url}/about/", timeout=20).ok  # a new connection each time
        text = read_metrics(url)
        assert sample(text, requests_of_page) == 40
        assert sample(text, 'socialsite_request_seconds_count{route="about"}') == 40
        assert sample(text, 'socialsite_request_commands_total{route="about"}') > 0
        # Only processes that have counted requests have files of histograms.
        pids = [file.stem.rpartition("_")[2] for file in folder.glob("histogram_*.db")]
        worker = Path("/proc") / pids[0]
        os.kill(int(worker.name), signal.SIGKILL)
        while worker.exists():
            time.sleep(0.05)
        assert sample(read_metrics(url), requests_of_page) == 40

        streams = subprocess.Popen(
            [sys.executable, "-c", STREAMS], cwd=ROOT, env={**os.environ, **environment},
            stdout=subprocess.PIPE,
        )  # fmt: skip
        streams.stdout.readline()
        assert sample(read_metrics(url), "socialsite_open_streams") == 3
        streams.kill()
        streams.wait()
        streams.stdout.close()
        assert sample(read_metrics(url), "socialsite_open_streams") == 0


STREAMS = """
import time
from accounts.infra import metrics
metrics.OPEN_STREAMS.set(3)
print("set", flush=True)
time.sleep(600)
"""
