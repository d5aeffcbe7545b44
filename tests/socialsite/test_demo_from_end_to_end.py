"""The demo as a newcomer starts it: it serves pages, stops without a trace, and keeps its data."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from pymongo import MongoClient

from socialsite.local.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120


class Demo:
    """``make demo`` after its set-up, on this test's server, where somebody has been before."""

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
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:  # noqa: S310
            return answer.read().decode()

    def wait_for_welcome(self):
        deadline = time.monotonic() + SECONDS
        while "The site is at" not in self.said():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.1)

    def said(self):
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


def started_for(data_dir):
    """Processes that carry this data directory in their environment: the demo's children."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"DATA_DIR={data_dir}".encode() in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


ADD_DANA = "User.objects.create_user('dana', display_name='Dana')"


@pytest.fixture
def environment(tmp_path):
    variables = {
        **os.environ,
        "MONGODB_NAME": "socialsite_demo_of_a_test",
        "DATA_DIR": str(tmp_path / "data"),
        "PORT": str(free_port()),
        "BROKER_URL": "",
        "COLUMNS": "200",
    }
    for command in (["migrate", "-v0"], ["shell", "-v0", "-c", ADD_DANA]):
        subprocess.run([sys.executable, "manage.py", *command], cwd=ROOT, env=variables, check=True)
    yield variables
    with MongoClient(variables["MONGODB_URI"]) as client:
        for name in (variables["MONGODB_NAME"], f"{variables['MONGODB_NAME']}_jobs"):
            client.drop_database(name)


def test_the_demo_serves_stops_without_a_trace_and_keeps_its_data(environment, tmp_path):
    demo = Demo(environment, tmp_path / "demo.log")
    try:
        demo.wait_for_welcome()
        assert "Dana" in demo.get("/@dana/")
        assert len(started_for(environment["DATA_DIR"])) > 3  # itself, web and worker
        assert demo.stop() == 0
        assert started_for(environment["DATA_DIR"]) == []
        assert "Traceback" not in demo.said()
    finally:
        demo.kill()
    with MongoClient(environment["MONGODB_URI"]) as client:
        people = client[environment["MONGODB_NAME"]]["accounts_user"]
        assert [one["username"] for one in people.find()] == ["dana"]
