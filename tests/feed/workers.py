"""Real Celery workers that can be killed, and a function that runs tasks in this process."""

import os
import signal
import subprocess
import sys
import time

from django.db import connection

from feed import tasks
from feed.store.collections import pending_cleanups


class Worker:
    """A worker on the test's database. With ``beat``, its scheduler runs the sweeper every second.

    ``queue``: the queue of its jobs, by default that of ordinary jobs.
    """

    def __init__(self, folder, *, beat=True, queue="", **environment):
        self.log_path = folder / f"{queue or 'worker'}.log"
        command = [sys.executable, "-m", "celery", "-A", "socialsite", "worker"]
        if beat:
            command += ["--beat", "--schedule", str(folder / "beat")]
        if queue:
            command += ["--queues", queue, "--hostname", f"{queue}@%h"]
        command += ["--concurrency", "1" if queue else "2"]
        command += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        with self.log_path.open("a") as log:
            self.process = subprocess.Popen(
                command,
                env={
                    **os.environ,
                    "MONGODB_NAME": connection.settings_dict["NAME"],
                    "FEED_STALLED_SECONDS": "1",
                    "LOG_LEVEL": "INFO",
                    **environment,
                },
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def log(self):
        return self.log_path.read_text(errors="replace")


def wait_until(condition, seconds=60, worker=None):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, worker and worker.log()[-3000:]
        time.sleep(0.02)


def work(asked):
    """Run all tasks in the list of the fixture ``asked``, and the tasks that these tasks enqueue."""
    while asked:
        name, arguments = asked.pop(0)
        getattr(tasks, name)(**arguments)


def correct_numbers():
    """Run the pending corrections of numbers, which workers begin minutes after the change of a status."""
    for pending in pending_cleanups().find({"change": {"$exists": True}}):
        tasks.correct_numbers(uid=pending["_id"], change=pending["change"])
