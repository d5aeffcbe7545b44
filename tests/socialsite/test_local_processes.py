"""Child processes end with their parent, together with all grandchildren. ``log_tail`` reads their logs."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from socialsite.local.processes import ROOT, log_tail, start_child


def test_log_tail_returns_the_last_lines(tmp_path):
    log = tmp_path / "web.log"
    log.write_text("one\n\ntwo\nthree\n")
    assert log_tail(log, lines=2) == "  two\n  three"


def test_log_tail_returns_only_the_problems_of_mongod(tmp_path):
    log = tmp_path / "mongod.log"
    log.write_text(
        '{"s": "I", "msg": "Starting"}\n'
        '{"s": "E", "msg": "No space left", "attr": {"free": 0}}\n'
        '{"s": "I", "msg": "Shutting down"}\n'
    )
    assert log_tail(log, lines=8) == '  No space left {"free": 0}'


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
def test_the_server_ends_with_its_killed_parent(tmp_path):
    program = (
        "import time; from socialsite.local.mongod import temporary_server\n"
        "with temporary_server() as uri: print(uri, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert parent.stdout.readline().startswith("mongodb://127.0.0.1:")
    lock = next(tmp_path.glob("socialsite-mongod-*/mongod/mongod.lock"))
    child = int(lock.read_text())
    assert Path(f"/proc/{child}").exists()
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    deadline = time.monotonic() + 5
    while _is_running(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _is_running(child)


def test_stopping_a_child_ends_its_own_children_too(tmp_path):
    log = tmp_path / "log"
    child = start_child(name="shell", command=["sh", "-c", "sleep 60 & echo $!; wait"], log=log)
    while not log.read_text().strip():
        time.sleep(0.01)
    grandchild = int(log.read_text())
    child.stop(timeout_seconds=5)
    deadline = time.monotonic() + 5
    while _is_running(grandchild) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _is_running(grandchild)


@pytest.mark.skipif(sys.platform != "linux", reason="Other systems have no sessions of this kind.")
def test_a_child_of_low_priority_has_it_among_all_processes(tmp_path):
    log = tmp_path / "log"
    session_of_child = Path("/proc/self/autogroup")  # some kernels have none
    show = f"nice; cat {session_of_child}" if session_of_child.exists() else "nice; echo nice 5"
    child = start_child(name="shell", command=["sh", "-c", show], log=log, niceness=5)
    assert child.process.wait(timeout=10) == 0
    nice, session = log.read_text().splitlines()
    assert nice == str(os.nice(0) + 5)
    assert session.endswith("nice 5")


def _is_running(pid):
    """Return whether the process exists and is not a zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
