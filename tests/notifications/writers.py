"""Many concurrent notifications for one user: ``python -m tests.notifications.writers FOLDER``.

Eight processes write, one process reads and marks notifications, and one process seals the history.
Halfway, the sealing process is killed (SIGKILL) and replaced. Each writer stores its notifications in the
folder. All processes are forks of this process, which itself does not use the database.
"""

import json
import multiprocessing
import os
import sys
import time
from pathlib import Path

import django

# This module is a program. Models can be imported only after ``django.setup()``, hence E402 below.
django.setup()

from accounts.infra.ids import new_id  # noqa: E402
from notifications.store import boxes, history  # noqa: E402
from notifications.store.rows import NotificationRow  # noqa: E402

RECIPIENT = 7
WRITERS = 8
PER_WRITER = int(os.environ.get("NOTIFICATIONS", "1600")) // WRITERS
SHARED = 20
"""Number of identical notifications that all writers deliver at the end, concurrently."""

PAUSE_SECONDS = 0.05

fork = multiprocessing.get_context("fork")


def write(number, folder, delivered_count, barrier):
    rows = []
    for n in range(PER_WRITER):
        kind = "mention" if n % 2 else "like"
        rows.append(NotificationRow(new_id(), kind, actor=1 + number * PER_WRITER + n))
        boxes.deliver(row=rows[-1], classes_by_recipient={RECIPIENT: ()})
        if n % 50 == 0:
            boxes.deliver(row=rows[-1], classes_by_recipient={RECIPIENT: ()})
        with delivered_count:
            delivered_count.value += 1
    barrier.wait()
    for n in range(SHARED):
        boxes.deliver(
            row=NotificationRow(new_id(), "like", actor=-1 - n),
            classes_by_recipient={RECIPIENT: ()},
        )
    (folder / f"{number}.json").write_text(json.dumps([(row.kind, row.id) for row in rows]))


def seal(stop):
    while not stop.is_set():
        history.seal_overflow(recipients=boxes.sealable_boxes(limit=10))
        time.sleep(PAUSE_SECONDS)


def read(stop):
    while not stop.is_set():
        newest = [row.id for row in boxes.get(recipient=RECIPIENT).recent[:3]]
        boxes.mark(recipient=RECIPIENT, ids=newest, is_read=True)
        boxes.mark(recipient=RECIPIENT, ids=newest[:1], is_read=False)
        time.sleep(PAUSE_SECONDS)


def main(folder):
    delivered_count, barrier, stop = fork.Value("i"), fork.Barrier(WRITERS), fork.Event()
    # A killed process may hold the lock of its event forever. The sealer that will be killed has its own
    # event, so that it cannot block the other processes.
    never = fork.Event()
    writers = [
        fork.Process(target=write, args=(n, folder, delivered_count, barrier))
        for n in range(WRITERS)
    ]
    sealer = fork.Process(target=seal, args=(never,))
    next_sealer, reader = (fork.Process(target=work, args=(stop,)) for work in (seal, read))
    for process in (*writers, sealer, reader):
        process.start()
    while delivered_count.value < WRITERS * PER_WRITER // 2 and all(
        writer.is_alive() for writer in writers
    ):
        time.sleep(PAUSE_SECONDS)
    sealer.kill()
    next_sealer.start()
    for writer in writers:
        writer.join()
    stop.set()
    for process in (sealer, next_sealer, reader):
        process.join()
    codes = [process.exitcode for process in (*writers, next_sealer, reader)]
    sys.exit(any(codes) or sealer.exitcode != -9)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
