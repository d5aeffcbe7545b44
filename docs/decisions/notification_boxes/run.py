"""Measure the figures of 0014-notification-boxes.md in a temporary database:

    SECRET_KEY=x .venv/bin/python -m socialsite.local.with_mongodb \\
        .venv/bin/python docs/decisions/notification_boxes/run.py

The designs take turns, delivery by delivery. The script prints median times and the CPU time of the server,
so the server must run on the same Linux machine. The designs:

* ``box of its own``: the design of the site
* ``embedded, one push``: the box in the document of the user, with a single ``$push``
* ``embedded, exact``: the box in the document of the user, with the update of the site
"""
# ruff: noqa: ANN001, ANN201, ANN202, B023, T201

import os
import sys
import time
from pathlib import Path
from statistics import median

import django

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")
django.setup()

import bson  # noqa: E402

from notifications import store  # noqa: E402
from notifications.store import boxes  # noqa: E402
from notifications.store.expressions import BOX_SIZE  # noqa: E402
from notifications.store.rows import NotificationRow, document_from_row  # noqa: E402
from tests.bench.database import connection, throwaway_database  # noqa: E402

READERS, ALONE, TOGETHER, READS = 1000, 300, 12, 400
USER = {
    "username": "somebody_new",
    "email": "somebody.new@example.org",
    "password": "pbkdf2_sha256$1000000$" + "s" * 22 + "$" + "h" * 44,
    "display_name": "Somebody New",
    "bio": "Walks, bread, and old machines. " * 4,
    **dict.fromkeys(("is_private", "is_staff", "is_superuser"), False),
    "is_active": True,
    "avatar": "a" * 40 + ".webp",
    "last_login": None,
}


class Clock:
    """Measures elapsed time and the CPU time of the server, in seconds."""

    def __init__(self) -> None:
        self.stat = Path(f"/proc/{connection.database.command('serverStatus')['pid']}/stat")
        self.taken: dict[str, list[float]] = {}
        self.cpu: dict[str, float] = {}

    def time(self, name, work):
        cpu, started = self._cpu(), time.perf_counter()
        work()
        self.taken.setdefault(name, []).append(time.perf_counter() - started)
        self.cpu[name] = self.cpu.get(name, 0.0) + self._cpu() - cpu

    def show(self, title):
        print(f"\n{title}")
        least = min(median(times) for times in self.taken.values())
        for name, taken in self.taken.items():
            cpu = self.cpu[name] / len(taken)
            ms = median(taken)
            print(
                f"  {name:38} {ms * 1000:8.2f} ms  {ms / least:5.2f} x   CPU {cpu * 1000:8.2f} ms"
            )
        self.taken, self.cpu = {}, {}

    def _cpu(self):
        fields = self.stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def make_row(number):
    return NotificationRow(
        (1 << 60) + number, "like", (1 << 59) + number, post_id=(1 << 58) + number
    )


def embedded(number, readers):
    row = document_from_row(make_row(number))
    connection.database["users"].update_many(
        {"_id": {"$in": readers}, "notifications.key": {"$ne": row["key"]}},
        {"$push": {"notifications": {"$each": [row], "$slice": -BOX_SIZE}}, "$inc": {"unread": 1}},
    )


def own(number, readers, name="notification_boxes"):
    def collection():
        return connection.database[name]

    was, boxes.notification_boxes = boxes.notification_boxes, collection
    try:
        boxes.deliver(row=make_row(number), classes_by_recipient=dict.fromkeys(readers, ()))
    finally:
        boxes.notification_boxes = was


DESIGNS = {
    "box of its own": own,
    "  without indexes of posts": lambda n, r: own(n, r, "bare_boxes"),
    "embedded, exact": lambda n, r: own(n, r, "exact_users"),
    "embedded, one push": embedded,
}


def fill():
    full = [document_from_row(make_row(n)) for n in range(BOX_SIZE)]
    box = {
        "recent": full,
        "overflow": [],
        "unread": BOX_SIZE,
        "is_sealable": False,
        "oldest_expiring": full[0]["id"],
    }
    users = USER | {"notifications": full, "unread": BOX_SIZE}
    database = connection.database
    store.create_indexes()
    for name, document in (
        ("notification_boxes", box),
        ("bare_boxes", box),
        ("exact_users", USER | box),
        ("users", users),
        ("plain_users", USER),
    ):
        database[name].insert_many([document | {"_id": n} for n in range(1, READERS + 1)])
    for name in ("users", "plain_users", "exact_users"):
        database[name].create_index("username")
        database[name].create_index("email")
    database["bare_boxes"].create_index("oldest_expiring", sparse=True)
    for name in ("recent", "overflow", "filtered"):
        database["exact_users"].create_index(f"{name}.post", sparse=True)
    database["users"].create_index("notifications.post", sparse=True)
    print("Bytes: a user alone", len(bson.encode(USER)), "- a full box", len(bson.encode(box)),
          "- a user with a box", len(bson.encode(users)))  # fmt: skip


def main():
    fill()
    clock = Clock()
    number = 1000
    for title, times, readers in (
        ("One delivery to one reader", ALONE, [1]),
        (f"One delivery to {READERS} readers", TOGETHER, list(range(1, READERS + 1))),
    ):
        for _ in range(times):
            number += 1
            for name, deliver in DESIGNS.items():
                clock.time(name, lambda deliver=deliver: deliver(number, readers))
        clock.show(title)
    users, plain = connection.database["users"], connection.database["plain_users"]
    fields = dict.fromkeys(USER, 1)
    ids = list(range(1, 51))
    for n in range(1, READS):
        owner = {"_id": n % READERS + 1}
        clock.time("user without a box", lambda: plain.find_one(owner))
        clock.time("user with a box, whole", lambda: users.find_one(owner))
        clock.time("user with a box, without the items", lambda: users.find_one(owner, fields))
    clock.show("Reading the user, as every request does")
    for _ in range(READS // 4):
        many = {"_id": {"$in": ids}}
        clock.time("fifty users without boxes", lambda: list(plain.find(many, fields)))
        clock.time("fifty users with boxes", lambda: list(users.find(many, fields)))
    clock.show("Reading fifty users for a page, without the items")


if __name__ == "__main__":
    with throwaway_database():
        main()
