"""Helpers for tests of strategies: insert posts directly, kill writers and read inboxes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection
from django.utils import timezone
from pymongo.collection import Collection

from accounts.infra.cursors import PageBounds
from accounts.models import User
from feed.models import Post
from feed.timeline import selection, strategies
from feed.timeline.home import home_page
from feed.timeline.store import seal
from feed.timeline.strategies import fan_out_on_write

EVERY_STRATEGY = [
    "buckets",
    "fan_out_on_read",
    pytest.param("fan_out_on_write", marks=pytest.mark.slow),
    pytest.param("counted_buckets", marks=pytest.mark.slow),
]
"""Parameters of tests. In the first tier, they run with the default strategy and the simplest one."""

INBOX_MAX = 30
TINY_INBOX_MAX = 12
HEADS = {
    "buckets": "inbox_heads",
    "fan_out_on_write": "entry_heads",
    "counted_buckets": "counted_heads",
}
PARTS = {
    "buckets": "inbox_buckets",
    "fan_out_on_write": "inbox_entries",
    "counted_buckets": "counted_buckets",
}
WRITES = (
    "bulk_write",
    "delete_many",
    "delete_one",
    "find_one_and_update",
    "insert_many",
    "insert_one",
    "replace_one",
    "update_many",
    "update_one",
)


def use(name: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Select a strategy and set limits so low that 30 posts fill an inbox."""
    monkeypatch.setattr(seal, "BUCKET_SIZE", 5)
    monkeypatch.setattr(seal, "SEAL_AT", 10)
    monkeypatch.setattr(seal, "DELETE_EVERY", 1)
    monkeypatch.setattr(fan_out_on_write, "FIRST_READ", 8)
    settings.FEED_INBOX_MAX = INBOX_MAX
    settings.FEED_STRATEGY = name
    selection.clear_cache()


def use_tiny(name: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Select a strategy and set limits so low that 12 posts fill an inbox."""
    use(name, settings, monkeypatch)
    monkeypatch.setattr(seal, "BUCKET_SIZE", 2)
    monkeypatch.setattr(seal, "SEAL_AT", 4)
    monkeypatch.setattr(fan_out_on_write, "FIRST_READ", 3)
    settings.FEED_INBOX_MAX = TINY_INBOX_MAX


class Killed(BaseException):
    """The simulated death of a process.

    This is a ``BaseException``, because the site catches ``Exception`` in some places.
    """


@contextmanager
def killed_after(writes: int) -> Iterator[list[str]]:
    """Raise ``Killed`` after ``writes`` write commands. Yield the list of executed commands.

    Writes to the node lease do not count, because the clock decides when the lease is renewed.
    """
    executed: list[str] = []

    def dying(name: str, original: Callable) -> Callable:
        def write(self, *args, **kwargs):
            created = original(self, *args, **kwargs)
            if self.name == "node_leases":
                return created
            executed.append(f"{self.name}.{name}")
            if len(executed) == writes:
                raise Killed
            return created

        return write

    patches = [
        patch.object(Collection, name, dying(name, getattr(Collection, name))) for name in WRITES
    ]
    for write_patch in patches:
        write_patch.start()
    try:
        yield executed
    except Killed:
        pass
    finally:
        for write_patch in patches:
            write_patch.stop()


def write(author: User, count: int) -> list[int]:
    """Insert posts without delivering them. Return the ids of the posts."""
    created = Post.objects.bulk_create(
        Post(author=author, text=f"{n}", delivery_state=Post.DeliveryState.DONE)
        for n in range(count)
    )
    return [post.pk for post in created]


def deliver(posts: list[int], *readers: User) -> None:
    for post in posts:
        strategies.deliver(activity=post, recipients=[reader.pk for reader in readers])


def write_and_deliver(author: User, count: int, *readers: User) -> list[int]:
    """Insert posts and deliver each at once to the author and the readers. Return the ids of the posts."""
    post_ids = []
    for _ in range(count):
        post_ids += write(author, 1)
        deliver(post_ids[-1:], author, *readers)
    return post_ids


def stored_inbox(reader: User) -> tuple[list[int], int]:
    """Return all ids in the reader's inbox and the floor of the inbox."""
    return strategies.active_strategy().read_inbox(owner=reader.pk).read_all()


def assert_complete(reader: User, posts: list[int]) -> None:
    """Check that the inbox has exactly these posts above its floor, newest first."""
    contents = strategies.active_strategy().read_inbox(owner=reader.pk)
    ids, floor = contents.read_all()
    assert ids == sorted((post for post in posts if post > floor), reverse=True)
    assert contents.newest_ids == ids[: len(contents.newest_ids)]


def read_down(reader: User, limit: int = 20) -> list[int]:
    seen, cursor = [], None
    while True:
        page = home_page(viewer=reader.pk, bounds=PageBounds(limit=limit, max_id=cursor))
        seen += [post.entry_id for post in page.posts]
        if page.older_cursor is None:
            return seen
        cursor = int(page.older_cursor)


def read_up(reader: User, limit: int = 20) -> list[int]:
    seen, cursor = [], 0
    while True:
        page = home_page(viewer=reader.pk, bounds=PageBounds(limit=limit, min_id=cursor))
        seen += [post.entry_id for post in page.posts][::-1]
        if page.newer_cursor is None:
            return seen
        cursor = int(page.newer_cursor)


def stay_away(strategy: str, *readers: User) -> None:
    if strategy in HEADS:
        long_ago = timezone.now() - timedelta(days=20)
        connection.database[HEADS[strategy]].update_many(
            {"_id": {"$in": [reader.pk for reader in readers]}}, {"$set": {"last_seen": long_ago}}
        )


def document_count(strategy: str, reader: User) -> int:
    """Return the number of documents of this user's inbox."""
    if strategy not in HEADS:
        return 0
    database = connection.database
    heads = database[HEADS[strategy]].count_documents({"_id": reader.pk})
    return heads + database[PARTS[strategy]].count_documents({"owner": reader.pk})


def drop_dormant_inboxes() -> int:
    """Drop dormant inboxes, as the daily job does."""
    before = timezone.now() - timedelta(days=14)
    return strategies.active_strategy().lifecycle.drop_dormant(before=before, limit=100)


def stores_inboxes(strategy: str) -> bool:
    """Return whether this strategy stores inboxes."""
    return strategy in HEADS
