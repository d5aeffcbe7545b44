"""Look for every acknowledged write: ``python -m tests.load.verify FOLDER RECORDS SECONDS``.

The result is in ``FOLDER/verified.txt``. A post or reply must be there exactly once, although people sent
the form again after an error.
"""

import sys
import time
from collections import Counter
from pathlib import Path

import django

# Django models can be imported only after ``setup``, so the imports below ignore E402.
django.setup()

from accounts.models import User  # noqa: E402
from feed.store.collections import comment_buckets, like_buckets, posts  # noqa: E402
from tests.load.record import WRITES, read_lines  # noqa: E402

PENDING = {"delivery_state": "pending"}


def main(folder: Path, records: Path, seconds: float) -> None:
    started_at = time.monotonic()
    while posts().count_documents(PENDING) and time.monotonic() < started_at + seconds:
        time.sleep(0.5)
    settled = time.monotonic() - started_at
    writes = read_lines(records / WRITES)
    totals = Counter(write["kind"] for write in writes)
    counts = {kind: _counts(kind, [w for w in writes if w["kind"] == kind]) for kind in totals}
    lines = [
        f"| {kind} | {total} | {counts[kind].count(0)} | {sum(n > 1 for n in counts[kind])} |"
        for kind, total in sorted(totals.items())
    ]
    head = "| acknowledged | writes | lost | repeated |\n| --- | --- | --- | --- |"
    pending = posts().count_documents(PENDING)
    failed = posts().count_documents({"delivery_state": "failed"})
    text = f"Deliveries were done {settled:.1f} s after the end: {pending} unfinished, {failed} failed."
    (folder / "verified.txt").write_text("\n".join([text, "", head, *lines]))


def _counts(kind: str, writes) -> list[int]:
    """Return how often each write is in the database."""
    if kind == "post":
        stored = Counter(
            row["text"]
            for row in posts().find(
                {"text": {"$in": [write["text"] for write in writes]}}, {"text": 1}
            )
        )
        return [stored[write["text"]] for write in writes]
    if kind == "status":
        ids = {row["_id"] for row in posts().find({"_id": {"$in": [w["id"] for w in writes]}})}
        return [int(write["id"] in ids) for write in writes]
    if kind == "like":
        names = {write["username"] for write in writes}
        uids = dict(User.objects.filter(username__in=names).values_list("username", "pk"))
        return [
            like_buckets().count_documents({"post": w["post"], "uids": uids[w["username"]]})
            for w in writes
        ]
    comments = Counter()
    texts = Counter()
    for bucket in comment_buckets().find({"post": {"$in": [write["post"] for write in writes]}}):
        comments.update(comment["id"] for comment in bucket["comments"])
        texts.update(comment.get("text") for comment in bucket["comments"])
    return [comments[w["id"]] if kind == "comment" else texts[w["text"]] for w in writes]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]))
