"""The demo, started as in the docs, serves pages, stops all processes, and keeps its data."""

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


def test_the_demo_serves_pages_stops_and_keeps_its_data(environment, tmp_path):
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
    with MongoClient(environment["MONGODB_URI"]) as client:
        users = client[environment["MONGODB_NAME"]]["accounts_user"]
        assert [user["username"] for user in users.find()] == ["dana"]
