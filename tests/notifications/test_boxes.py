"""Boxes: each told once, exactly the newest kept, the count right whatever happens at once."""

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

READER = 7


def item(kind="like", actor=1, post_id=1, **more):
    return NotificationRow(new_id(), kind, actor, post_id, **more)


def deliver(row, reader=READER, classes=()):
    return boxes.deliver(row=row, classes_by_recipient={reader: classes})


def told(reader=READER):
    return boxes.get(recipient=reader)


def is_counted_right(reader=READER):
    document = notification_boxes().find_one({"_id": reader})
    return document["unread"] == sum(not row["is_read"] for row in document["recent"])


@pytest.fixture(autouse=True)
def _small_boxes(monkeypatch):
    """Every test has a database with small boxes."""
    shrink_boxes(monkeypatch)


def test_a_migrated_database_has_the_indexes():
    results = {
        document["name"]
        for name in ("boxes", "history")
        for document in connection.database[f"notification_{name}"].list_indexes()
    }
    assert {"recent.post_1", "oldest_expiring_1", "is_sealable_1", "owner_1_seq_1"} <= results


def test_one_delivery_is_one_command_for_whomever(record_commands):
    row = item()
    with record_commands() as commands:
        assert boxes.deliver(row=row, classes_by_recipient=dict.fromkeys(range(1, 201), ())) == 200
    assert [name for name, _ in commands] == ["update"]
    assert told(200).recent == (row,)
    assert told(200).unread_count == 1


def test_nobody_is_told_twice(record_commands):
    row = item()
    assert deliver(row) == 1
    assert deliver(row) == 0
    assert deliver(item()) == 0  # another moment, the same like
    assert deliver(item(actor=2)) == 1
    assert [row.actor for row in told().recent] == [2, 1]
    assert told().unread_count == 2


def test_exactly_the_oldest_are_dropped_in_whatever_order_they_come():
    rows = [item(actor=n) for n in range(SIZE + 20)]
    for row in [*rows[::2], *rows[1::2]]:
        deliver(row)
    assert told().recent == tuple(rows[: -SIZE - 1 : -1])
    assert told().unread_count == SIZE
    assert told().overflow == ()


def test_durable_ones_that_are_dropped_lie_in_the_history_to_the_end():
    rows = [item("mention" if n % 2 else "like", actor=n) for n in range(SIZE + 3 * BUCKET + 30)]
    for row in rows:
        deliver(row)
    older = [row for row in rows[:-SIZE] if row.kind == "mention"]
    history.seal_overflow(recipients=boxes.sealable_boxes(limit=10))
    assert boxes.sealable_boxes(limit=10) == []
    box = told()
    result = list(box.overflow)
    seq = box.seq
    while bucket := history.newest_bucket(recipient=READER, below_seq=seq, min_seq=0):
        seq, more = bucket
        result += more
    assert result == older[::-1]
    assert box.seq == len(older) // BUCKET


@pytest.mark.parametrize("dies_before", ["write", "let go"])
def test_a_sealing_that_is_killed_loses_and_repeats_nothing(monkeypatch, dies_before):
    rows = [item("mention", actor=n) for n in range(SIZE + BUCKET)]
    for row in rows:
        deliver(row)

    def die(**_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(boxes, "remove_sealed" if dies_before == "let go" else "overflow_rows", die)
        with pytest.raises(KeyboardInterrupt):
            history.seal_overflow(recipients=[READER])
    boxes.withdraw(recipient=READER, key=rows[3].key)
    deliver(item("mention", actor=-1))
    history.seal_overflow(recipients=[READER])
    box = told()
    seq, result = history.newest_bucket(recipient=READER, below_seq=box.seq, min_seq=0) or (0, [])
    assert seq == 0
    left = [row for row in rows[: BUCKET + 1] if row is not rows[3]]
    assert (*box.overflow, *result) == tuple(left[::-1])


def test_readers_are_not_told_what_they_do_not_want():
    notification_boxes().insert_one(
        {
            "_id": READER,
            "unread": 0,
            "disabled_kinds": ["like"],
            "muted_posts": [5],
            "filters": ["strangers"],
        }
    )
    assert deliver(item("like")) == 0
    assert deliver(item("mention", post_id=5)) == 0
    assert deliver(item("mention", actor=3), classes=["strangers", "new_accounts"]) == 1
    assert deliver(item("mention", actor=4), classes=["new_accounts"]) == 1
    assert deliver(item("mention", actor=3), classes=["strangers"]) == 0
    box = told()
    assert [row.actor for row in box.recent] == [4]
    assert [row.actor for row in box.filtered] == [3]
    assert box.unread_count == 1
    boxes.accept_filtered(recipient=READER, ids=[box.filtered[0].id])
    assert [row.actor for row in told().recent] == [4, 3]
    assert told().unread_count == 2


def test_read_unread_again_and_seen():
    rows = [item(actor=n) for n in range(3)]
    for row in rows:
        deliver(row)
    ids = [row.id for row in rows]
    boxes.mark(recipient=READER, ids=ids[:2], is_read=True)
    assert told().unread_count == 1
    boxes.mark(recipient=READER, ids=ids[:1], is_read=False)
    boxes.mark(recipient=READER, ids=ids, is_read=True, keep_marked_unread=True)
    assert [row.is_read for row in told().recent] == [True, True, False]
    boxes.mark(recipient=READER, ids=ids, is_read=True)
    assert told().unread_count == 0


def test_what_is_burning_is_gone_once_read():
    burning, other = item("accepted", post_id=0), item("follow", post_id=0)
    deliver(burning)
    deliver(other)
    boxes.mark(recipient=READER, ids=[burning.id, other.id], is_read=True, keep_marked_unread=True)
    assert [row.kind for row in told().recent] == ["follow"]
    assert told().unread_count == 0


def test_a_dismissal_is_taken_back():
    rows = [item(actor=n) for n in range(4)]
    for row in rows:
        deliver(row)
    boxes.mark(recipient=READER, ids=[rows[0].id], is_read=True)
    assert dismissals.dismiss(recipient=READER, ids=[rows[0].id, rows[2].id], at=timezone.now())
    assert told().unread_count == 2
    assert not dismissals.dismiss(recipient=READER, ids=[rows[0].id], at=timezone.now())
    boxes.withdraw(recipient=READER, key=rows[2].key)
    assert dismissals.restore(recipient=READER)
    assert [row.actor for row in told().recent] == [3, 1, 0]
    assert told().unread_count == 2
    assert not dismissals.restore(recipient=READER)


def test_to_clear_takes_the_history_too_and_undo_brings_it_back():
    rows = [item("mention", actor=n) for n in range(SIZE + BUCKET + 10)]
    for row in rows:
        deliver(row)
    history.seal_overflow(recipients=[READER])
    shown = [row.id for row in told().recent]
    late = item(actor=99)
    deliver(late)
    dismissals.clear(recipient=READER, ids=shown, at=timezone.now())
    box = told()
    assert (box.recent, box.overflow, box.unread_count) == ((late,), (), 1)
    assert (
        history.newest_bucket(recipient=READER, below_seq=box.seq, min_seq=box.cleared_seq) is None
    )
    dismissals.restore(recipient=READER)
    box = told()
    assert len(box.recent) == SIZE
    assert len(box.overflow) == 11  # the late one has pushed another out of the box
    assert (
        history.newest_bucket(recipient=READER, below_seq=box.seq, min_seq=box.cleared_seq)
        is not None
    )


def test_what_is_undone_is_withdrawn_everywhere():
    for n in range(3):
        deliver(item(actor=n, post_id=5, comment_id=n))
        deliver(item("mention", actor=n, post_id=6))
    boxes.withdraw_post(post_id=5, comment_id=1)
    assert [row.comment_id for row in told().recent if row.post_id == 5] == [2, 0]
    boxes.withdraw_post(post_id=5)
    boxes.withdraw_actor(recipient=READER, actor=2)
    assert [(row.kind, row.actor) for row in told().recent] == [("mention", 1), ("mention", 0)]
    assert told().unread_count == 2


def test_old_ones_expire_unless_they_are_durable():
    old, durable = item("like"), item("mention")
    deliver(old)
    deliver(durable)
    deliver(item("like", actor=2), classes=[])
    limit = new_id()
    new = item("like", actor=3)
    deliver(new)
    assert boxes.expire(below=limit, limit=10) == 1
    assert told().recent == (new, durable)
    assert told().unread_count == 2
    assert boxes.expire(below=limit, limit=10) == 0


def test_every_kind_is_delivered_and_read(record_commands):
    for kind in kinds():
        assert deliver(item(kind.name)) == 1
    assert told().unread_count == len(kinds())


def test_writers_readers_and_withdrawals_at_once_leave_the_count_right():
    rows = [[item(actor=100 * w + n) for n in range(10)] for w in range(4)]

    def write(mine):
        for row in mine:
            deliver(row)
            deliver(row)

    def read():
        for _ in range(10):
            boxes.mark(recipient=READER, ids=[row.id for row in told().recent][:5], is_read=True)

    def withdraw():
        for mine in rows:
            for row in mine[::5]:
                boxes.withdraw(recipient=READER, key=row.key)

    at_once(*[lambda mine=mine: write(mine) for mine in rows], read, withdraw)
    assert is_counted_right()
    assert len(told().recent) == SIZE
    assert len({row.key for row in told().recent}) == SIZE


def test_two_who_seal_the_same_bucket_lose_and_repeat_nothing(monkeypatch):
    """The slower one read the box before something was withdrawn, and writes after the faster."""
    rows = [item("mention", actor=n) for n in range(SIZE + BUCKET + 10)]
    for row in rows:
        deliver(row)
    as_it_was = boxes.overflow_rows(recipient=READER)
    boxes.withdraw(recipient=READER, key=rows[3].key)
    history.seal_overflow(recipients=[READER])
    with monkeypatch.context() as patched:
        patched.setattr(boxes, "overflow_rows", lambda **_: as_it_was)
        patched.setattr(history, "MAX_BUCKETS_PER_RUN", 1)
        history.seal_overflow(recipients=[READER])
    box = told()
    _, result = history.newest_bucket(recipient=READER, below_seq=box.seq, min_seq=0) or (0, [])
    left = [row for row in rows if row is not rows[3]]
    assert (*box.recent, *box.overflow, *result) == tuple(left[::-1])
    assert box.seq == 1


def test_what_is_withdrawn_while_it_is_sealed_is_in_no_history(monkeypatch):
    rows = [item("mention", actor=n) for n in range(SIZE + BUCKET)]
    for row in rows:
        deliver(row)
    seal = boxes.remove_sealed

    def withdraw_before(**arguments):
        boxes.withdraw(recipient=READER, key=rows[3].key)
        return seal(**arguments)

    with monkeypatch.context() as patched:
        patched.setattr(boxes, "remove_sealed", withdraw_before)
        history.seal_overflow(recipients=[READER])
    box = told()
    _, result = history.newest_bucket(recipient=READER, below_seq=box.seq, min_seq=0) or (0, [])
    assert result == [row for row in rows[BUCKET - 1 :: -1] if row is not rows[3]]
    assert box.overflow == ()


def test_to_clear_twice_can_still_be_undone():
    for n in range(3):
        deliver(item(actor=n))
    ids = [row.id for row in told().recent]
    assert dismissals.clear(recipient=READER, ids=ids, at=timezone.now())
    assert not dismissals.clear(recipient=READER, ids=ids, at=timezone.now())
    assert dismissals.restore(recipient=READER)
    assert [row.id for row in told().recent] == ids


def test_what_is_told_again_after_a_dismissal_is_there_once_after_its_undo():
    first, other = item("mention"), item("mention", actor=2)
    for row in (first, other):
        deliver(row)
    dismissals.dismiss(recipient=READER, ids=[first.id, other.id], at=timezone.now())
    again = item("mention")
    assert deliver(again) == 1
    dismissals.restore(recipient=READER)
    assert told().recent == (again, other)
    assert is_counted_right()


def test_what_comes_back_is_kept_in_its_order():
    rows = [item("mention", actor=n) for n in range(SIZE + 20)]
    for row in rows[:SIZE]:
        deliver(row)
    dismissals.dismiss(recipient=READER, ids=[row.id for row in rows[:5]], at=timezone.now())
    for row in rows[SIZE:]:
        deliver(row)
    dismissals.restore(recipient=READER)
    box = told()
    assert (*box.recent, *box.overflow) == tuple(rows[::-1])


def test_an_undo_brings_back_only_what_the_last_dismissal_took():
    for n in range(SIZE + BUCKET):
        deliver(item("mention", actor=n))
    history.seal_overflow(recipients=[READER])
    dismissals.clear(recipient=READER, ids=[row.id for row in told().recent], at=timezone.now())
    late = item(actor=-1)
    deliver(late)
    dismissals.dismiss(recipient=READER, ids=[late.id], at=timezone.now())
    dismissals.restore(recipient=READER)
    box = told()
    assert (box.recent, box.seq - box.cleared_seq) == ((late,), 0)
