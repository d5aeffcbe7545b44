"""A small site for the tests of strategies: posts straight into the database, and writers that die."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection
from django.utils import timezone
from pymongo.collection import Collection

from accounts.models import User
from feed import selectors, strategies
from feed.models import Post
from feed.store import sealing
from feed.strategies import chosen, fan_out_on_write

INBOX_MAX = 30
TINY_INBOX_MAX = 12
HEADS = {
    "buckets": "inbox_heads",
    "fan_out_on_write": "inbox_readers",
    "counted_buckets": "counted_readers",
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
    """This strategy, with so small limits that a few posts reach all of them."""
    monkeypatch.setattr(sealing, "BUCKET_SIZE", 5)
    monkeypatch.setattr(sealing, "SEAL_AT", 10)
    monkeypatch.setattr(sealing, "DROP_EVERY", 1)
    monkeypatch.setattr(fan_out_on_write, "NEWEST", 8)
    settings.FEED_INBOX_MAX = INBOX_MAX
    settings.FEED_STRATEGY = name
    chosen.forget()


def use_tiny(name: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As ``use``, in the same proportions, but a dozen posts reach all limits."""
    use(name, settings, monkeypatch)
    monkeypatch.setattr(sealing, "BUCKET_SIZE", 2)
    monkeypatch.setattr(sealing, "SEAL_AT", 4)
    monkeypatch.setattr(fan_out_on_write, "NEWEST", 3)
    settings.FEED_INBOX_MAX = TINY_INBOX_MAX


class Killed(BaseException):
    """What a process gets that is killed: nobody catches it."""


@contextmanager
def killed_after(writes: int) -> Iterator[list[str]]:
    """The process dies once that many writing commands are done; yields the commands there were.

    Not counted: the lease of its node number, which is written whenever half a minute is over.
    """
    done: list[str] = []

    def dying(name: str, original: Callable) -> Callable:
        def write(self, *args, **kwargs):
            result = original(self, *args, **kwargs)
            if self.name == "node_leases":
                return result
            done.append(f"{self.name}.{name}")
            if len(done) == writes:
                raise Killed
            return result

        return write

    patches = [
        patch.object(Collection, name, dying(name, getattr(Collection, name))) for name in WRITES
    ]
    for one in patches:
        one.start()
    try:
        yield done
    except Killed:
        pass
    finally:
        for one in patches:
            one.stop()


def write(author: User, count: int) -> list[int]:
    """Posts that nobody has delivered."""
    made = Post.objects.bulk_create(
        Post(author=author, text=f"{n}", delivery_state=Post.Delivery.DONE) for n in range(count)
    )
    return [one.pk for one in made]


def deliver(posts: list[int], *readers: User) -> None:
    for post in posts:
        strategies.deliver(activity=post, readers=[one.pk for one in readers])


def say(author: User, count: int, *readers: User) -> list[int]:
    """Write and deliver, one after the other."""
    made = []
    for _ in range(count):
        made += write(author, 1)
        deliver(made[-1:], author, *readers)
    return made


def held(reader: User) -> tuple[list[int], int]:
    """All ids that the current strategy holds, and its floor."""
    return strategies.current().entries(reader=reader.pk).everything()


def assert_complete(reader: User, posts: list[int]) -> None:
    """Exactly these posts are held above the floor, newest first."""
    answer = strategies.current().entries(reader=reader.pk)
    ids, floor = answer.everything()
    assert ids == sorted((one for one in posts if one > floor), reverse=True)
    assert answer.newest == ids[: len(answer.newest)]


def read_down(reader: User, limit: int = 20) -> list[int]:
    seen, cursor = [], None
    while True:
        page = selectors.home_page(reader=reader.pk, limit=limit, max_id=cursor)
        seen += [one.entry for one in page.posts]
        if page.older is None:
            return seen
        cursor = int(page.older)


def read_up(reader: User, limit: int = 20) -> list[int]:
    seen, cursor = [], 0
    while True:
        page = selectors.home_page(reader=reader.pk, limit=limit, min_id=cursor)
        seen += [one.entry for one in page.posts][::-1]
        if page.newer is None:
            return seen
        cursor = int(page.newer)


def stay_away(strategy: str, *readers: User) -> None:
    if strategy in HEADS:
        long_ago = timezone.now() - timedelta(days=20)
        connection.database[HEADS[strategy]].update_many(
            {"_id": {"$in": [one.pk for one in readers]}}, {"$set": {"last_seen": long_ago}}
        )


def documents(strategy: str, reader: User) -> int:
    """How many documents there are for this reader."""
    if strategy not in HEADS:
        return 0
    database = connection.database
    heads = database[HEADS[strategy]].count_documents({"_id": reader.pk})
    return heads + database[PARTS[strategy]].count_documents({"owner": reader.pk})


def drop() -> int:
    """The daily job."""
    before = timezone.now() - timedelta(days=14)
    return strategies.current().lives.drop_unseen(before=before, limit=100)


def is_held(strategy: str) -> bool:
    """Whether this strategy writes anything."""
    return strategy in HEADS
