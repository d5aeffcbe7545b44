"""Kill processes that count events or roll counts up: ``python -m tests.feed.stats_writers FOLDER``.

Three processes count events, and each stores its acknowledged batches in the folder. Two processes roll
up. All of them are forks of this process, which itself does not use the database.
"""

import multiprocessing
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import django

# This module is a program. Models can be imported only after ``django.setup()``, hence E402 below.
django.setup()

from feed.store import stats  # noqa: E402

WRITERS, ROLLERS, ROLLER_KILLS = 3, 2, 4
START = datetime(2026, 3, 1, tzinfo=UTC)

fork = multiprocessing.get_context("fork")


def write(number, file):
    chance = Random(number)
    with file.open("a") as acknowledged:
        while True:
            batch = {}
            for _ in range(20):
                at = START + timedelta(seconds=chance.randrange(4 * 86_400))
                key = (chance.randrange(1, 4), chance.choice(["views", "likes"]), at)
                batch[key] = batch.get(key, 0) + 1
            stats.add_counts(counts=batch)
            sent = [[subject, name, at.isoformat(), n] for (subject, name, at), n in batch.items()]
            print(repr(sent), file=acknowledged, flush=True)


def roll_up():
    while True:
        stats.drop_minutes(before=START + timedelta(days=2), limit=3)
        for metric in ("views", "likes"):
            stats.roll_up(metric=metric, before=START + timedelta(days=1), limit=3)


def start(target, *arguments):
    process = fork.Process(target=target, args=arguments, daemon=True)
    process.start()
    return process


def kill(process):
    assert process.is_alive()
    process.kill()
    process.join()


def main(folder):
    chance = Random(0)
    files = [folder / f"{number}.txt" for number in range(WRITERS)]
    for file in files:
        file.touch()
    writers = [start(write, number, file) for number, file in enumerate(files)]
    rollers = [start(roll_up) for _ in range(ROLLERS)]
    while not all(file.stat().st_size for file in files):
        assert all(writer.is_alive() for writer in writers)
        time.sleep(0.05)
    for _ in range(ROLLER_KILLS):
        time.sleep(chance.uniform(0.3, 1))
        kill(rollers.pop(0))
        rollers.append(start(roll_up))
    for writer in writers:
        time.sleep(chance.uniform(0.1, 0.5))
        kill(writer)
    for roller in rollers:
        kill(roller)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
