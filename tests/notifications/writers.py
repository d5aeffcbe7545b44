"""Everybody tells one person things at once: ``python -m tests.notifications.writers FOLDER``.

Eight processes write, one reads and marks, one seals the history and is killed (SIGKILL) in the middle;
another takes its place. What each writer told is left in the folder. All are forks of this process, which
never speaks to the database itself.
"""

import json
import multiprocessing
import os
import sys
import time
from pathlib import Path

import django

# A process of its own, not a test: models can be imported only after this. Hence E402 below.
django.setup()

from accounts.infra.ids import new_id  # noqa: E402
from notifications.store import boxes, history  # noqa: E402
from notifications.store.rows import NotificationRow  # noqa: E402

READER = 7
WRITERS = 8
EACH = int(os.environ.get("TOLD", "10000")) // WRITERS
SHARED = 20
"""Things that every writer tells, all in the same moment, when the others are told."""

PAUSE_SECONDS = 0.05

fork = multiprocessing.get_context("fork")


def write(number, folder, result, meet):
    rows = []
    for n in range(EACH):
        kind = "mention" if n % 2 else "like"
        rows.append(NotificationRow(new_id(), kind, actor=1 + number * EACH + n))
        boxes.deliver(row=rows[-1], classes_by_recipient={READER: ()})
        if n % 50 == 0:
            boxes.deliver(row=rows[-1], classes_by_recipient={READER: ()})
        with result:
            result.value += 1
    meet.wait()
    for n in range(SHARED):
        boxes.deliver(
            row=NotificationRow(new_id(), "like", actor=-1 - n), classes_by_recipient={READER: ()}
        )
    (folder / f"{number}.json").write_text(json.dumps([(row.kind, row.id) for row in rows]))


def seal(stop):
    while not stop.is_set():
        history.seal_overflow(recipients=boxes.sealable_boxes(limit=10))
        time.sleep(PAUSE_SECONDS)


def read(stop):
    while not stop.is_set():
        newest = [row.id for row in boxes.get(recipient=READER).recent[:3]]
        boxes.mark(recipient=READER, ids=newest, is_read=True)
        boxes.mark(recipient=READER, ids=newest[:1], is_read=False)
        time.sleep(PAUSE_SECONDS)


def main(folder):
    result, meet, stop = fork.Value("i"), fork.Barrier(WRITERS), fork.Event()
    # A process that is killed while it asks an event keeps the lock of the event for ever.
    never = fork.Event()
    writers = [fork.Process(target=write, args=(n, folder, result, meet)) for n in range(WRITERS)]
    sealer = fork.Process(target=seal, args=(never,))
    next_sealer, reader = (fork.Process(target=work, args=(stop,)) for work in (seal, read))
    for row in (*writers, sealer, reader):
        row.start()
    while result.value < WRITERS * EACH // 2 and all(writer.is_alive() for writer in writers):
        time.sleep(PAUSE_SECONDS)
    sealer.kill()
    next_sealer.start()
    for writer in writers:
        writer.join()
    stop.set()
    for process in (sealer, next_sealer, reader):
        process.join()
    codes = [row.exitcode for row in (*writers, next_sealer, reader)]
    sys.exit(any(codes) or sealer.exitcode != -9)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
