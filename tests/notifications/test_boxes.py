"""Notification boxes: no duplicates, the newest rows, and a correct count under concurrency."""

import pytest
from django.db import connection
from django.utils import timezone

from accounts.infra.ids import new_id
from notifications.kinds import kinds
from notifications.store import boxes, dismissals, history
from notifications.store.collections import notification_boxes
from notifications.store.rows import NotificationRow
from tests.at_once import at_once

from .small_boxes import BUCKET, SIZE, shrink_boxes

RECIPIENT = 7


def new_row(kind="like", actor=1, post_id=1, **more):
    return NotificationRow(new_id(), kind, actor, post_id, **more)


def deliver(row, recipient=RECIPIENT, classes=()):
    return boxes.deliver(row=row, classes_by_recipient={recipient: classes})


def read_box(recipient=RECIPIENT):
    return boxes.get(recipient=recipient)


def has_correct_unread_count(recipient=RECIPIENT):
    document = notification_boxes().find_one({"_id": recipient})
    return document["unread"] == sum(not row["is_read"] for row in document["recent"])


@pytest.fixture(autouse=True)
def _small_boxes(monkeypatch):
    """Every test uses small boxes."""
    shrink_boxes(monkeypatch)


def test_a_migrated_database_has_the_indexes():
    index_names = {
        document["name"]
        for name in ("boxes", "history")
        for document in connection.database[f"notification_{name}"].list_indexes()
    }
    assert {"recent.post_1", "oldest_expiring_1", "is_sealable_1", "owner_1_seq_1"} <= index_names


def test_a_delivery_is_one_command_for_all_recipients(record_commands):
    row = new_row()
    with record_commands() as commands:
        assert boxes.deliver(row=row, classes_by_recipient=dict.fromkeys(range(1, 201), ())) == 200
    assert [name for name, _ in commands] == ["update"]
    assert read_box(200).recent == (row,)
    assert read_box(200).unread_count == 1


def test_a_repeated_notification_is_delivered_once(record_commands):
    row = new_row()
    assert deliver(row) == 1
    assert deliver(row) == 0
    assert deliver(new_row()) == 0  # the same event with a later id
    assert deliver(new_row(actor=2)) == 1
    assert [row.actor for row in read_box().recent] == [2, 1]
    assert read_box().unread_count == 2


def test_the_oldest_rows_are_dropped_in_any_order_of_arrival():
    rows = [new_row(actor=n) for n in range(SIZE + 20)]
    for row in [*rows[::2], *rows[1::2]]:
        deliver(row)
    assert read_box().recent == tuple(rows[: -SIZE - 1 : -1])
    assert read_box().unread_count == SIZE
    assert read_box().overflow == ()


def test_all_dropped_durable_rows_are_in_the_history():
    rows = [new_row("mention" if n % 2 else "like", actor=n) for n in range(SIZE + 3 * BUCKET + 30)]
    for row in rows:
        deliver(row)
    older = [row for row in rows[:-SIZE] if row.kind == "mention"]
    history.seal_overflow(recipients=boxes.sealable_boxes(limit=10))
    assert boxes.sealable_boxes(limit=10) == []
    box = read_box()
    durable_rows = list(box.overflow)
    seq = box.seq
    while bucket := history.newest_bucket(recipient=RECIPIENT, below_seq=seq, min_seq=0):
        seq, more = bucket
        durable_rows += more
    assert durable_rows == older[::-1]
    assert box.seq == len(older) // BUCKET


@pytest.mark.parametrize("dies_before", ["write", "removal"])
def test_an_interrupted_sealing_loses_and_repeats_no_row(monkeypatch, dies_before):
    rows = [new_row("mention", actor=n) for n in range(SIZE + BUCKET)]
    for row in rows:
        deliver(row)

    def die(**_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(
            boxes, "remove_sealed" if dies_before == "removal" else "overflow_rows", die
        )
        with pytest.raises(KeyboardInterrupt):
            history.seal_overflow(recipients=[RECIPIENT])
    boxes.withdraw(recipient=RECIPIENT, key=rows[3].key)
    deliver(new_row("mention", actor=-1))
    history.seal_overflow(recipients=[RECIPIENT])
    box = read_box()
    seq, sealed = history.newest_bucket(recipient=RECIPIENT, below_seq=box.seq, min_seq=0) or (
        0,
        [],
    )
    assert seq == 0
    left = [row for row in rows[: BUCKET + 1] if row is not rows[3]]
    assert (*box.overflow, *sealed) == tuple(left[::-1])


def test_deliveries_respect_the_preferences_of_recipients():
    notification_boxes().insert_one(
        {
            "_id": RECIPIENT,
            "unread": 0,
            "disabled_kinds": ["like"],
            "muted_posts": [5],
            "filters": ["strangers"],
        }
    )
    assert deliver(new_row("like")) == 0
    assert deliver(new_row("mention", post_id=5)) == 0
    assert deliver(new_row("mention", actor=3), classes=["strangers", "new_accounts"]) == 1
    assert deliver(new_row("mention", actor=4), classes=["new_accounts"]) == 1
    assert deliver(new_row("mention", actor=3), classes=["strangers"]) == 0
    box = read_box()
    assert [row.actor for row in box.recent] == [4]
    assert [row.actor for row in box.filtered] == [3]
    assert box.unread_count == 1
    boxes.accept_filtered(recipient=RECIPIENT, ids=[box.filtered[0].id])
    assert [row.actor for row in read_box().recent] == [4, 3]
    assert read_box().unread_count == 2


def test_rows_are_marked_as_read_unread_and_seen():
    rows = [new_row(actor=n) for n in range(3)]
    for row in rows:
        deliver(row)
    ids = [row.id for row in rows]
    boxes.mark(recipient=RECIPIENT, ids=ids[:2], is_read=True)
    assert read_box().unread_count == 1
    boxes.mark(recipient=RECIPIENT, ids=ids[:1], is_read=False)
    boxes.mark(recipient=RECIPIENT, ids=ids, is_read=True, keep_marked_unread=True)
    assert [row.is_read for row in read_box().recent] == [True, True, False]
    boxes.mark(recipient=RECIPIENT, ids=ids, is_read=True)
    assert read_box().unread_count == 0


def test_burning_rows_disappear_when_they_are_read():
    burning, other = new_row("accepted", post_id=0), new_row("follow", post_id=0)
    deliver(burning)
    deliver(other)
    boxes.mark(
        recipient=RECIPIENT, ids=[burning.id, other.id], is_read=True, keep_marked_unread=True
    )
    assert [row.kind for row in read_box().recent] == ["follow"]
    assert read_box().unread_count == 0


def test_a_dismissal_can_be_undone():
    rows = [new_row(actor=n) for n in range(4)]
    for row in rows:
        deliver(row)
    boxes.mark(recipient=RECIPIENT, ids=[rows[0].id], is_read=True)
    assert dismissals.dismiss(recipient=RECIPIENT, ids=[rows[0].id, rows[2].id], at=timezone.now())
    assert read_box().unread_count == 2
    assert not dismissals.dismiss(recipient=RECIPIENT, ids=[rows[0].id], at=timezone.now())
    boxes.withdraw(recipient=RECIPIENT, key=rows[2].key)
    assert dismissals.restore(recipient=RECIPIENT)
    assert [row.actor for row in read_box().recent] == [3, 1, 0]
    assert read_box().unread_count == 2
    assert not dismissals.restore(recipient=RECIPIENT)


def test_clearing_includes_the_history_and_can_be_undone():
    rows = [new_row("mention", actor=n) for n in range(SIZE + BUCKET + 10)]
    for row in rows:
        deliver(row)
    history.seal_overflow(recipients=[RECIPIENT])
    shown = [row.id for row in read_box().recent]
    late = new_row(actor=99)
    deliver(late)
    dismissals.clear(recipient=RECIPIENT, ids=shown, at=timezone.now())
    box = read_box()
    assert (box.recent, box.overflow, box.unread_count) == ((late,), (), 1)
    assert (
        history.newest_bucket(recipient=RECIPIENT, below_seq=box.seq, min_seq=box.cleared_seq)
        is None
    )
    dismissals.restore(recipient=RECIPIENT)
    box = read_box()
    assert len(box.recent) == SIZE
    assert len(box.overflow) == 11  # the late row pushed another row out of the box
    assert (
        history.newest_bucket(recipient=RECIPIENT, below_seq=box.seq, min_seq=box.cleared_seq)
        is not None
    )


def test_withdrawals_by_post_comment_and_actor():
    for n in range(3):
        deliver(new_row(actor=n, post_id=5, comment_id=n))
        deliver(new_row("mention", actor=n, post_id=6))
    boxes.withdraw_post(post_id=5, comment_id=1)
    assert [row.comment_id for row in read_box().recent if row.post_id == 5] == [2, 0]
    boxes.withdraw_post(post_id=5)
    boxes.withdraw_actor(recipient=RECIPIENT, actor=2)
    assert [(row.kind, row.actor) for row in read_box().recent] == [("mention", 1), ("mention", 0)]
    assert read_box().unread_count == 2


def test_old_rows_expire_unless_they_are_durable():
    old, durable = new_row("like"), new_row("mention")
    deliver(old)
    deliver(durable)
    deliver(new_row("like", actor=2), classes=[])
    limit = new_id()
    new = new_row("like", actor=3)
    deliver(new)
    assert boxes.expire(below=limit, limit=10) == 1
    assert read_box().recent == (new, durable)
    assert read_box().unread_count == 2
    assert boxes.expire(below=limit, limit=10) == 0


def test_every_kind_is_delivered_and_read(record_commands):
    for kind in kinds():
        assert deliver(new_row(kind.name)) == 1
        assert read_box().recent[0].kind == kind.name
    assert read_box().unread_count == min(len(kinds()), SIZE)


def test_concurrent_writes_reads_and_withdrawals_keep_the_count_correct():
    rows = [[new_row(actor=100 * w + n) for n in range(10)] for w in range(4)]

    def write(own_rows):
        for row in own_rows:
            deliver(row)
            deliver(row)

    def read():
        for _ in range(10):
            boxes.mark(
                recipient=RECIPIENT, ids=[row.id for row in read_box().recent][:5], is_read=True
            )

    def withdraw():
        for own_rows in rows:
            for row in own_rows[::5]:
                boxes.withdraw(recipient=RECIPIENT, key=row.key)

    at_once(*[lambda own_rows=own_rows: write(own_rows) for own_rows in rows], read, withdraw)
    assert has_correct_unread_count()
    assert len(read_box().recent) == SIZE
    assert len({row.key for row in read_box().recent}) == SIZE


def test_concurrent_sealings_of_a_bucket_lose_and_repeat_no_row(monkeypatch):
    """The slower process reads the overflow before a withdrawal and seals after the faster process."""
    rows = [new_row("mention", actor=n) for n in range(SIZE + BUCKET + 10)]
    for row in rows:
        deliver(row)
    rows_before_withdrawal = boxes.overflow_rows(recipient=RECIPIENT)
    boxes.withdraw(recipient=RECIPIENT, key=rows[3].key)
    history.seal_overflow(recipients=[RECIPIENT])
    with monkeypatch.context() as patched:
        patched.setattr(boxes, "overflow_rows", lambda **_: rows_before_withdrawal)
        patched.setattr(history, "MAX_BUCKETS_PER_RUN", 1)
        history.seal_overflow(recipients=[RECIPIENT])
    box = read_box()
    _, sealed = history.newest_bucket(recipient=RECIPIENT, below_seq=box.seq, min_seq=0) or (0, [])
    left = [row for row in rows if row is not rows[3]]
    assert (*box.recent, *box.overflow, *sealed) == tuple(left[::-1])
    assert box.seq == 1


def test_rows_withdrawn_during_a_sealing_are_not_in_the_history(monkeypatch):
    rows = [new_row("mention", actor=n) for n in range(SIZE + BUCKET)]
    for row in rows:
        deliver(row)
    seal = boxes.remove_sealed

    def withdraw_before(**arguments):
        boxes.withdraw(recipient=RECIPIENT, key=rows[3].key)
        return seal(**arguments)

    with monkeypatch.context() as patched:
        patched.setattr(boxes, "remove_sealed", withdraw_before)
        history.seal_overflow(recipients=[RECIPIENT])
    box = read_box()
    _, sealed = history.newest_bucket(recipient=RECIPIENT, below_seq=box.seq, min_seq=0) or (0, [])
    assert sealed == [row for row in rows[BUCKET - 1 :: -1] if row is not rows[3]]
    assert box.overflow == ()


def test_a_repeated_clearing_can_still_be_undone():
    for n in range(3):
        deliver(new_row(actor=n))
    ids = [row.id for row in read_box().recent]
    assert dismissals.clear(recipient=RECIPIENT, ids=ids, at=timezone.now())
    assert not dismissals.clear(recipient=RECIPIENT, ids=ids, at=timezone.now())
    assert dismissals.restore(recipient=RECIPIENT)
    assert [row.id for row in read_box().recent] == ids


def test_restoring_a_row_that_was_delivered_again_makes_no_duplicate():
    first, other = new_row("mention"), new_row("mention", actor=2)
    for row in (first, other):
        deliver(row)
    dismissals.dismiss(recipient=RECIPIENT, ids=[first.id, other.id], at=timezone.now())
    again = new_row("mention")
    assert deliver(again) == 1
    dismissals.restore(recipient=RECIPIENT)
    assert read_box().recent == (again, other)
    assert has_correct_unread_count()


def test_restored_rows_keep_their_order():
    rows = [new_row("mention", actor=n) for n in range(SIZE + 20)]
    for row in rows[:SIZE]:
        deliver(row)
    dismissals.dismiss(recipient=RECIPIENT, ids=[row.id for row in rows[:5]], at=timezone.now())
    for row in rows[SIZE:]:
        deliver(row)
    dismissals.restore(recipient=RECIPIENT)
    box = read_box()
    assert (*box.recent, *box.overflow) == tuple(rows[::-1])


def test_restoring_brings_back_only_the_last_dismissal():
    for n in range(SIZE + BUCKET):
        deliver(new_row("mention", actor=n))
    history.seal_overflow(recipients=[RECIPIENT])
    dismissals.clear(
        recipient=RECIPIENT, ids=[row.id for row in read_box().recent], at=timezone.now()
    )
    late = new_row(actor=-1)
    deliver(late)
    dismissals.dismiss(recipient=RECIPIENT, ids=[late.id], at=timezone.now())
    dismissals.restore(recipient=RECIPIENT)
    box = read_box()
    assert (box.recent, box.seq - box.cleared_seq) == ((late,), 0)
