"""The demo, started as in the docs, serves pages, stops all processes, and keeps its data."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from django.db import connection

from accounts.models import User
from socialsite.local.ports import free_port
from tests.factories import UserFactory

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120


class Demo:
    """The command of ``make demo`` that runs after the set-up. It uses the MongoDB server of the tests."""

    def __init__(self, environment, log):
        self.url = f"http://127.0.0.1:{environment['PORT']}"
        self.log = log.open("w+")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "socialsite.local.demo_server"],
            cwd=ROOT,
            env=environment,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
        )

    def get(self, path="/"):
        with urllib.request.urlopen(self.url + path, timeout=10) as response:  # noqa: S310
            return response.read().decode()

    def wait_for_welcome(self):
        deadline = time.monotonic() + SECONDS
        while "The site is at" not in self.log_text():
            assert self.process.poll() is None, self.log_text()
            assert time.monotonic() < deadline, self.log_text()
            time.sleep(0.1)

    def log_text(self):
        self.log.seek(0)
        return self.log.read()

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=SECONDS)

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.log.close()


def demo_process_ids(data_dir):
    """Return the ids of all processes with this data directory in their environment."""
    process_ids = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"DATA_DIR={data_dir}".encode() in path.read_bytes().split(b"\0"):
                process_ids.append(int(path.parent.name))
        except OSError:
            continue
    return process_ids


@pytest.fixture
def environment(tmp_path):
    """The demo uses the database of the tests, because that has its collections and indexes already."""
    without_brotli = tmp_path / "without_brotli"
    without_brotli.mkdir()
    # Brotli takes most of the time of ``collectstatic``.
    (without_brotli / "brotli.py").write_text("raise ImportError")
    name = connection.settings_dict["NAME"]
    yield {
        **os.environ,
        "MONGODB_NAME": name,
        "DATA_DIR": str(tmp_path / "data"),
        "PORT": str(free_port()),
        "BROKER_URL": "",
        "PYTHONPATH": str(without_brotli),
        "COLUMNS": "200",
    }
    connection.database.client.drop_database(f"{name}_jobs")


def test_the_demo_serves_pages_stops_and_keeps_its_data(environment, tmp_path):
    UserFactory(username="dana", display_name="Dana")
    demo = Demo(environment, tmp_path / "demo.log")
    try:
        demo.wait_for_welcome()
        assert "Dana" in demo.get("/@dana/")
        assert len(demo_process_ids(environment["DATA_DIR"])) > 3  # demo, web server and worker
        assert demo.stop() == 0
        assert demo_process_ids(environment["DATA_DIR"]) == []
        assert "Traceback" not in demo.log_text()
    finally:
        demo.kill()
    assert [user.username for user in User.objects.all()] == ["dana"]
