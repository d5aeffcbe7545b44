"""Many concurrent notifications for one user, from several processes."""

import json
import os
import subprocess
import sys
from collections import Counter

from django.conf import settings
from django.db import connection

from notifications.store import boxes, history
from notifications.store.collections import notification_boxes, notification_history
from notifications.store.expressions import BOX_SIZE, BUCKET_SIZE

from .writers import PER_WRITER, RECIPIENT, SHARED, WRITERS


def test_notifications_of_eight_writers_lose_no_durable_notification(tmp_path):
    command = [sys.executable, "-m", "tests.notifications.writers", str(tmp_path)]
    names = {
        "DJANGO_SETTINGS_MODULE": "socialsite.settings",
        "MONGODB_NAME": connection.settings_dict["NAME"],
    }
    done = subprocess.run(
        command, cwd=settings.BASE_DIR, env={**os.environ, **names}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    delivered = [pair for file in tmp_path.glob("*.json") for pair in json.loads(file.read_text())]
    assert len(delivered) == WRITERS * PER_WRITER
    history.seal_overflow(recipients=boxes.sealable_boxes(limit=10))

    box = notification_boxes().find_one({"_id": RECIPIENT})
    rows, remaining = box["recent"], box["overflow"]
    assert len(rows) == BOX_SIZE
    assert [row["id"] for row in rows] == sorted(row["id"] for row in rows)
    assert box["unread"] == sum(not row["is_read"] for row in rows)

    newest = sorted(row_id for _, row_id in delivered)[SHARED - BOX_SIZE :]
    assert [row["id"] for row in rows[:-SHARED]] == newest
    assert Counter(row["actor"] for row in rows[-SHARED:]) == Counter(range(-SHARED, 0))

    buckets = list(notification_history().find({"owner": RECIPIENT}).sort("seq", 1))
    assert [bucket["seq"] for bucket in buckets] == list(range(box["seq"]))
    assert {len(bucket["rows"]) for bucket in buckets} == {BUCKET_SIZE}
    sealed = [row for bucket in buckets for row in bucket["rows"]]
    everywhere = Counter(
        row["id"] for row in (*sealed, *remaining, *rows) if row["kind"] == "mention"
    )
    assert everywhere == Counter(row_id for kind, row_id in delivered if kind == "mention")
    assert {row["kind"] for row in (*sealed, *remaining)} == {"mention"}
