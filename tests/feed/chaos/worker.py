"""Run a worker of the site under attack: ``python -m tests.feed.chaos.worker FOLDER``.

Like ``celery -A socialsite worker --beat``, but it writes a file with its process id when it is ready.
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
