"""Random steps change a notification box in the same way as plain lists."""

import random

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from notifications.store import boxes, dismissals, history, preferences
from notifications.store.collections import notification_boxes, notification_history
from notifications.store.rows import NotificationRow

from .oracle import BUCKET, SIZE, ExpectedBox
from .small_boxes import shrink_boxes

RECIPIENT = 7
ARGUMENT = st.integers(0, 40)
"""The number of a row, an actor or a post, depending on the step."""

NAMES = [
    *["deliver"] * 9,
    *["mark", "dismiss", "clear", "restore", "withdraw", "withdraw_actor"],
    *["withdraw_post", "accept_filtered", "seal", "expire", "interrupt_sealing"],
]
STEPS = st.tuples(st.sampled_from(NAMES), ARGUMENT, ARGUMENT)


@pytest.fixture
def small(monkeypatch):
    shrink_boxes(monkeypatch, size=SIZE, bucket=BUCKET)


class Pair:
    """A real box and its expected content. Each method changes both."""

    def __init__(self):
        notification_boxes().delete_many({})
        notification_history().delete_many({})
        preferences.save_kinds(
            recipient=RECIPIENT, disabled_kinds=["follow"], filters=["strangers"]
        )
        self.expected, self.ids = ExpectedBox(), []

    def some_ids(self, n, count=3):
        return self.ids[n : n + count] or self.ids[-count:]

    def deliver(self, a, b):
        kind = ["like", "mention", "mention", "accepted", "follow"][a % 5]
        # Ids grow in steps of ten, so that late ids fit between them. Every fifth id is late.
        new_row_id = len(self.ids) * 10 - (25 if b % 5 == 0 else 0) + 1000 + b % 3
        row = NotificationRow(
            new_row_id if new_row_id not in self.ids else new_row_id + 5,
            kind,
            b % 4 + 1,
            post_id=a % 3,
        )
        if row.id in self.ids:
            return
        self.ids.append(row.id)
        is_filtered = b % 3 == 0
        boxes.deliver(
            row=row, classes_by_recipient={RECIPIENT: ["strangers"] if is_filtered else []}
        )
        if kind != "follow":
            self.expected.deliver(row, is_filtered)

    def mark(self, a, b):
        is_read, is_seen_only = b % 3 > 0, b % 3 > 1
        ids = self.some_ids(a)
        boxes.mark(recipient=RECIPIENT, ids=ids, is_read=is_read, keep_marked_unread=is_seen_only)
        existing = {row.id for row in self.expected.items}
        self.expected.mark([id_ for id_ in ids if id_ in existing], is_read, is_seen_only)

    def dismiss(self, a, b):
        dismissals.dismiss(recipient=RECIPIENT, ids=self.some_ids(a), at=timezone.now())
        self.expected.dismiss(self.some_ids(a))

    def clear(self, a, b):
        ids = self.some_ids(a, 2 * SIZE)
        dismissals.clear(recipient=RECIPIENT, ids=ids, at=timezone.now())
        self.expected.clear(ids)

    def restore(self, a, b):
        dismissals.restore(recipient=RECIPIENT)
        self.expected.restore()

    def withdraw(self, a, b):
        if self.expected.keys:
            key = sorted(self.expected.keys)[a % len(self.expected.keys)]
            boxes.withdraw(recipient=RECIPIENT, key=key)
            self.expected.withdraw(lambda row: row.key == key)

    def withdraw_actor(self, a, b):
        def is_by_actor(row):
            return row.actor == a % 4 + 1

        for store in (boxes, history):
            store.withdraw_actor(recipient=RECIPIENT, actor=a % 4 + 1)
        self.expected.withdraw(is_by_actor)
        self.expected.withdraw_from_history(is_by_actor)

    def withdraw_post(self, a, b):
        post = a % 2 + 1
        for store in (boxes, history):
            store.withdraw_post(post_id=post)
        self.expected.withdraw(lambda row: row.post_id == post)
        self.expected.withdraw_from_history(lambda row: row.post_id == post)

    def accept_filtered(self, a, b):
        boxes.accept_filtered(recipient=RECIPIENT, ids=self.some_ids(a))
        self.expected.accept_filtered(self.some_ids(a))

    def seal(self, a, b):
        history.seal_overflow(recipients=boxes.sealable_boxes(limit=2))
        self.expected.seal()

    def interrupt_sealing(self, a, b):
        """Simulate a sealing that dies after the bucket was written."""
        seq, remaining = boxes.overflow_rows(recipient=RECIPIENT)
        if len(remaining) >= BUCKET:
            notification_history().update_one(
                {"owner": RECIPIENT, "seq": seq},
                {"$setOnInsert": {"rows": remaining[:BUCKET]}},
                upsert=True,
            )

    def expire(self, a, b):
        limit = self.some_ids(a)[0] if self.ids else 0
        boxes.expire(below=limit, limit=2)
        self.expected.expire(limit)

    def compare(self):
        box, expected = boxes.get(recipient=RECIPIENT), self.expected
        assert list(box.recent) == expected.items[::-1]
        assert list(box.overflow) == expected.overflow[::-1]
        assert list(box.filtered) == expected.filtered[::-1]
        assert box.unread_count == expected.unread
        document = notification_boxes().find_one({"_id": RECIPIENT})
        assert document.get("oldest_expiring") == expected.expires
        assert document.get("is_sealable", False) == (len(expected.overflow) >= BUCKET)

    def compare_history(self):
        seq, hidden = boxes.get(recipient=RECIPIENT).seq, self.expected.hidden
        assert boxes.get(recipient=RECIPIENT).cleared_seq == hidden
        history_rows = []
        while bucket := history.newest_bucket(recipient=RECIPIENT, below_seq=seq, min_seq=hidden):
            seq, rows = bucket
            history_rows += rows
        expected_rows = [row for bucket in self.expected.history[hidden:] for row in bucket]
        assert sorted(row.id for row in history_rows) == sorted(row.id for row in expected_rows)


FILLING = [("deliver", a, b) for b in (1, 2, 4, 7) for a in (1, 2, 6)]
"""Mentions that fill the box and two buckets of the history. Faults are likely in full boxes."""


@pytest.mark.slow
@hypothesis_settings(
    max_examples=16,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(steps=st.lists(STEPS, min_size=25, max_size=40))
def test_a_box_is_what_plain_lists_would_be(small, steps):
    compare_after_each(FILLING + steps)


@pytest.mark.parametrize("seed", range(4))
def test_some_random_steps_give_the_expected_box(small, seed):
    dice = random.Random(seed)
    assert len(FILLING) > SIZE + 2 * BUCKET
    steps = [(name, dice.randrange(41), dice.randrange(41)) for name in dice.choices(NAMES, k=22)]
    compare_after_each(FILLING + steps)


def compare_after_each(steps):
    pair = Pair()
    for name, a, b in steps:
        getattr(pair, name)(a, b)
        pair.compare()
    pair.seal(0, 0)
    pair.compare_history()
