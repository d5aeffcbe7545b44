"""Run a Celery worker with beat for the failover test: ``python -m tests.feed.chaos.worker FOLDER``.

When the worker is ready, it creates the file ``ready-`` plus its process id.
"""

import os
import sys
from pathlib import Path

from celery.signals import worker_ready

from socialsite.celery import app


def main(folder: Path) -> None:
    number = os.getpid()

    @worker_ready.connect
    def mark_ready(**_):
        (folder / f"ready-{number}").touch()

    app.worker_main(
        [
            *("worker", "--beat", "--schedule", str(folder / f"beat-{number}")),
            *("--concurrency", "1", "--hostname", f"worker-{number}@localhost"),
            *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        ]
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
