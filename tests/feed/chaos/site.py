"""Publish posts during failures and check the result: ``python -m tests.feed.chaos.site FOLDER``.

The database has its collections and indexes already.
The process publishes until the file ``stop`` exists. Then it waits until all deliveries are finished
and prints the result as JSON. A post is acknowledged when ``publish_post`` has returned.
"""

import json
import sys
import time
from collections import Counter
from pathlib import Path

import django

from accounts.infra.cursors import PageBounds

# Django models can be imported only after ``setup``, so the imports below ignore E402.
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from accounts.models import User  # noqa: E402
from feed.store.collections import inbox_buckets, inbox_heads, posts  # noqa: E402
from feed.timeline import strategies  # noqa: E402
from feed.timeline.home import home_page  # noqa: E402
from feed.timeline.store.transient_errors import is_transient  # noqa: E402
from tests.actions import publish_post  # noqa: E402
from tests.feed.audiences import make_audience  # noqa: E402

READERS, PER_BUCKET = 400, 10
"""Number of readers, and readers per audience bucket. Small buckets make deliveries slow, so that kills
interrupt them."""

OLDER = range(1, 96)
"""The ids in each inbox at the start. They almost fill the head, so that it is sealed soon."""

PAUSE_SECONDS = 0.1
UNDER_WAY = 12
"""Publishing pauses while this many deliveries are unfinished."""

PENDING = {"delivery_state": "pending"}
SETTLE_SECONDS = 180.0
SAMPLED_READERS = 20


def main(folder: Path) -> None:
    settings.RATE_LIMITS["post"] = ""
    author = User.objects.create(username="author", email="author@example.org")
    strategies.active_strategy().read_inbox(owner=author.pk)
    make_audience(author, READERS, per_bucket=PER_BUCKET)
    older = {"ids": list(OLDER), "n": len(OLDER)}
    inbox_heads().update_many({"_id": {"$lte": READERS}}, {"$set": older})
    (folder / "published").touch()
    acknowledged, errors = publish_until_stopped(author, folder / "stop")
    seconds = settle()
    result = count_results(author, acknowledged)
    print(json.dumps({"errors": errors, "settled_in": round(seconds, 1), **result}))  # noqa: T201


def publish_until_stopped(author, stop):
    acknowledged, errors = [], Counter()
    while not stop.exists():
        try:
            if posts().count_documents(PENDING, limit=UNDER_WAY) < UNDER_WAY:
                text = f"Post {len(acknowledged)}"
                acknowledged.append(publish_post(author=author.pk, text=text))
        except Exception as error:
            if not is_transient(error=error):
                raise
            errors[type(error).__name__] += 1
        time.sleep(PAUSE_SECONDS)
    return acknowledged, errors


def settle():
    """Wait until all deliveries are finished. Return the waiting time in seconds, or -1 on timeout."""
    started_at = time.monotonic()
    while True:
        try:
            if not posts().count_documents(PENDING, limit=1):
                return time.monotonic() - started_at
        except Exception as error:
            if not is_transient(error=error):
                raise
        if time.monotonic() - started_at > SETTLE_SECONDS:
            return -1.0
        time.sleep(0.1)


def count_results(author, acknowledged):
    """Return ``{name: count}`` for the posts, inboxes and buckets on the site.

    If no post was lost or delivered wrongly, the counts in ``test_failover.MUST_BE_ZERO`` are 0."""
    documents = {
        document["_id"]: document
        for document in posts().find(
            {}, {"delivery_state": 1, "delivery_parts": 1, "delivery_attempts": 1}
        )
    }
    published = set(documents)
    states = Counter(document["delivery_state"] for document in documents.values())
    reached = [
        sum(part["reached"] for part in document["delivery_parts"])
        for document in documents.values()
    ]
    ids_by_uid = {
        document["_id"]: list(document["ids"])
        for document in inbox_heads().find({"_id": {"$lte": READERS}})
    }
    sizes = []
    for bucket in inbox_buckets().find({"owner": {"$lte": READERS}}):
        ids_by_uid[bucket["owner"]] += bucket["ids"]
        sizes.append(len(bucket["ids"]))
    wanted = published | set(OLDER)
    return {
        "acknowledged": len(acknowledged),
        "not_acknowledged_but_published": len(published - set(acknowledged)),
        "deliveries": sum(len(published.intersection(ids)) for ids in ids_by_uid.values()),
        "buckets": len(sizes),
        "largest_bucket": max(sizes, default=0),
        "failed_attempts": sum(document["delivery_attempts"] for document in documents.values()),
        "copies_that_readers_drop": sum(len(ids) - len(set(ids)) for ids in ids_by_uid.values()),
        "lost": len(set(acknowledged) - published),
        "lacking": sum(len(wanted.difference(ids)) for ids in ids_by_uid.values()),
        "foreign": sum(len(set(ids) - wanted) for ids in ids_by_uid.values()),
        "not_done": len(documents) - states["done"],
        "miscounted": sum(count != READERS for count in reached),
        "read_otherwise": sum(
            read(uid) != sorted(wanted, reverse=True)
            for uid in range(1, READERS, READERS // SAMPLED_READERS)
        ),
        "author_reads_otherwise": int(timeline(author) != sorted(published, reverse=True)),
    }


def read(uid):
    entries, _floor = strategies.active_strategy().read_inbox(owner=uid).read_all()
    return entries


def timeline(author):
    ids, max_id = [], None
    while True:
        page = home_page(viewer=author.pk, bounds=PageBounds(limit=40, max_id=max_id))
        ids += [post.entry_id for post in page.posts]
        if page.older_cursor is None:
            return ids
        max_id = int(page.older_cursor)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    connection.close()
