"""The configuration of gunicorn, with a real gunicorn: what the master shares with its workers."""

import os
import signal
import subprocess
import sys
import time
import urllib.request

import pytest

from socialsite.local.ports import free_port
from socialsite.local.processes import ROOT, start_child

APP = """
import gc, json, os
from py3langid import langid
from pymongo import MongoClient

def app(environ, start_response):
    clients = [value for value in gc.get_objects() if isinstance(value, MongoClient)]
    modules = [name for name in LOADED if name.split(".")[0] in ("socialsite", "accounts", "feed")]
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps({
        "version": VERSION,
        "has_model": langid.IDENTIFIER is not None,
        "clients": len(clients),
        "modules": modules,
    }).encode()]

import sys
LOADED = list(sys.modules)
"""
CONFIG = ROOT / "gunicorn.conf.py"


def answer(port):
    import json

    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"http://127.0.0.1:{port}/", timeout=10) as response:
        return json.loads(response.read())


def wait_for(port, is_expected, child):
    deadline = time.monotonic() + 30
    while True:
        assert time.monotonic() < deadline, child.log_tail(lines=30)
        try:
            result = answer(port)
        except OSError:
            result = None
        if result is not None and is_expected(result):
            return result
        time.sleep(0.05)


@pytest.fixture
def server(tmp_path):
    (tmp_path / "versioned.py").write_text(f"VERSION = 1\n{APP}")
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "versioned:app", "--bind", f"127.0.0.1:{port}"]
    command += ["--config", str(CONFIG), "--pythonpath", str(tmp_path)]
    env = {**os.environ, "WEB_CONCURRENCY": "1", "TMPDIR": str(tmp_path)}
    # The bytecode of a file that changes within a second would be outdated.
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    child = start_child(name="gunicorn", command=command, env=env, log=tmp_path / "log")
    yield port, child
    child.stop(timeout_seconds=10)


def test_workers_inherit_only_the_model_reload_code_and_leave_no_folder(server, tmp_path):
    port, child = server
    result = wait_for(port, bool, child)
    assert result == {"version": 1, "has_model": True, "clients": 0, "modules": []}

    (tmp_path / "versioned.py").write_text(f"VERSION = 2\n{APP}")
    os.kill(child.process.pid, signal.SIGHUP)
    wait_for(port, lambda result: result["version"] == 2, child)

    (folder,) = tmp_path.glob("socialsite-metrics-*")
    child.process.terminate()
    child.process.wait(10)
    assert not folder.exists()


def test_the_configuration_reads_no_settings(tmp_path):
    # Loading the real language model takes seconds.
    (tmp_path / "py3langid.py").write_text("class langid: IDENTIFIER = True")
    code = (
        "import runpy; runpy.run_path('gunicorn.conf.py');"
        "from django.conf import settings; assert not settings.configured;"
        "import sys; assert 'socialsite' not in sys.modules;"
        "assert 'prometheus_client' not in sys.modules"
    )
    env = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": "/tmp"}  # noqa: S108 - nothing is written
    env["PYTHONPATH"] = str(tmp_path)
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, check=True)
