"""Boxes: each told once, exactly the newest kept, the count right whatever happens at once."""

import pytest
from django.db import connection
from django.utils import timezone

from accounts.ids import new_id
from notifications.kinds import kinds
from notifications.store import boxes, dismissals, history
from notifications.store.collections import notification_boxes
from notifications.store.items import Item
from tests.at_once import at_once

from .small_boxes import BUCKET, SIZE, shrink_boxes

READER = 7


def item(kind="like", actor=1, post=1, **more):
    return Item(new_id(), kind, actor, post, **more)


def deliver(one, reader=READER, classes=()):
    return boxes.deliver(item=one, readers={reader: classes})


def told(reader=READER):
    return boxes.get(reader=reader)


def is_counted_right(reader=READER):
    found = notification_boxes().find_one({"_id": reader})
    return found["unread"] == sum(not one["read"] for one in found["items"])


@pytest.fixture(autouse=True)
def _small_boxes(monkeypatch):
    """Every test has a database with small boxes."""
    shrink_boxes(monkeypatch)


def test_a_migrated_database_has_the_indexes():
    found = {
        one["name"]
        for name in ("boxes", "history")
        for one in connection.database[f"notification_{name}"].list_indexes()
    }
    assert {"items.post_1", "expires_1", "full_1", "owner_1_seq_1"} <= found


def test_one_delivery_is_one_command_for_whomever(record_commands):
    one = item()
    with record_commands() as commands:
        assert boxes.deliver(item=one, readers=dict.fromkeys(range(1, 201), ())) == 200
    assert [name for name, _ in commands] == ["update"]
    assert told(200).items == (one,)
    assert told(200).unread == 1


def test_nobody_is_told_twice(record_commands):
    one = item()
    assert deliver(one) == 1
    assert deliver(one) == 0
    assert deliver(item()) == 0  # another moment, the same like
    assert deliver(item(actor=2)) == 1
    assert [found.actor for found in told().items] == [2, 1]
    assert told().unread == 2


def test_exactly_the_oldest_are_dropped_in_whatever_order_they_come():
    items = [item(actor=n) for n in range(SIZE + 20)]
    for one in [*items[::2], *items[1::2]]:
        deliver(one)
    assert told().items == tuple(items[: -SIZE - 1 : -1])
    assert told().unread == SIZE
    assert told().kept == ()


def test_durable_ones_that_are_dropped_lie_in_the_history_to_the_end():
    items = [item("mention" if n % 2 else "like", actor=n) for n in range(SIZE + 3 * BUCKET + 30)]
    for one in items:
        deliver(one)
    older = [one for one in items[:-SIZE] if one.kind == "mention"]
    history.seal(readers=boxes.full_boxes(limit=10))
    assert boxes.full_boxes(limit=10) == []
    box = told()
    found = list(box.kept)
    seq = box.seq
    while bucket := history.bucket(reader=READER, below=seq, above=0):
        seq, more = bucket
        found += more
    assert found == older[::-1]
    assert box.seq == len(older) // BUCKET


@pytest.mark.parametrize("dies_before", ["write", "let go"])
def test_a_sealing_that_is_killed_loses_and_repeats_nothing(monkeypatch, dies_before):
    items = [item("mention", actor=n) for n in range(SIZE + BUCKET)]
    for one in items:
        deliver(one)

    def die(**_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(boxes, "sealed" if dies_before == "let go" else "kept", die)
        with pytest.raises(KeyboardInterrupt):
            history.seal(readers=[READER])
    boxes.withdraw(reader=READER, key=items[3].key)
    deliver(item("mention", actor=-1))
    history.seal(readers=[READER])
    box = told()
    seq, found = history.bucket(reader=READER, below=box.seq, above=0) or (0, [])
    assert seq == 0
    left = [one for one in items[: BUCKET + 1] if one is not items[3]]
    assert (*box.kept, *found) == tuple(left[::-1])


def test_readers_are_not_told_what_they_do_not_want():
    notification_boxes().insert_one(
        {"_id": READER, "unread": 0, "off": ["like"], "muted": [5], "filters": ["strangers"]}
    )
    assert deliver(item("like")) == 0
    assert deliver(item("mention", post=5)) == 0
    assert deliver(item("mention", actor=3), classes=["strangers", "new_accounts"]) == 1
    assert deliver(item("mention", actor=4), classes=["new_accounts"]) == 1
    assert deliver(item("mention", actor=3), classes=["strangers"]) == 0
    box = told()
    assert [one.actor for one in box.items] == [4]
    assert [one.actor for one in box.held] == [3]
    assert box.unread == 1
    boxes.let_through(reader=READER, ids=[box.held[0].id])
    assert [one.actor for one in told().items] == [4, 3]
    assert told().unread == 2


def test_read_unread_again_and_seen():
    items = [item(actor=n) for n in range(3)]
    for one in items:
        deliver(one)
    ids = [one.id for one in items]
    boxes.mark(reader=READER, ids=ids[:2], is_read=True)
    assert told().unread == 1
    boxes.mark(reader=READER, ids=ids[:1], is_read=False)
    boxes.mark(reader=READER, ids=ids, is_read=True, is_seen_only=True)
    assert [one.is_read for one in told().items] == [True, True, False]
    boxes.mark(reader=READER, ids=ids, is_read=True)
    assert told().unread == 0


def test_what_is_burning_is_gone_once_read():
    burning, other = item("accepted", post=0), item("follow", post=0)
    deliver(burning)
    deliver(other)
    boxes.mark(reader=READER, ids=[burning.id, other.id], is_read=True, is_seen_only=True)
    assert [one.kind for one in told().items] == ["follow"]
    assert told().unread == 0


def test_a_dismissal_is_taken_back():
    items = [item(actor=n) for n in range(4)]
    for one in items:
        deliver(one)
    boxes.mark(reader=READER, ids=[items[0].id], is_read=True)
    assert dismissals.dismiss(reader=READER, ids=[items[0].id, items[2].id], at=timezone.now())
    assert told().unread == 2
    assert not dismissals.dismiss(reader=READER, ids=[items[0].id], at=timezone.now())
    boxes.withdraw(reader=READER, key=items[2].key)
    assert dismissals.restore(reader=READER)
    assert [one.actor for one in told().items] == [3, 1, 0]
    assert told().unread == 2
    assert not dismissals.restore(reader=READER)


def test_to_clear_takes_the_history_too_and_undo_brings_it_back():
    items = [item("mention", actor=n) for n in range(SIZE + BUCKET + 10)]
    for one in items:
        deliver(one)
    history.seal(readers=[READER])
    shown = [one.id for one in told().items]
    late = item(actor=99)
    deliver(late)
    dismissals.clear(reader=READER, ids=shown, at=timezone.now())
    box = told()
    assert (box.items, box.kept, box.unread) == ((late,), (), 1)
    assert history.bucket(reader=READER, below=box.seq, above=box.hidden) is None
    dismissals.restore(reader=READER)
    box = told()
    assert len(box.items) == SIZE
    assert len(box.kept) == 11  # the late one has pushed another out of the box
    assert history.bucket(reader=READER, below=box.seq, above=box.hidden) is not None


def test_what_is_undone_is_withdrawn_everywhere():
    for n in range(3):
        deliver(item(actor=n, post=5, comment=n))
        deliver(item("mention", actor=n, post=6))
    boxes.withdraw_post(post=5, comment=1)
    assert [one.comment for one in told().items if one.post == 5] == [2, 0]
    boxes.withdraw_post(post=5)
    boxes.withdraw_person(reader=READER, actor=2)
    assert [(one.kind, one.actor) for one in told().items] == [("mention", 1), ("mention", 0)]
    assert told().unread == 2


def test_old_ones_expire_unless_they_are_durable():
    old, durable = item("like"), item("mention")
    deliver(old)
    deliver(durable)
    deliver(item("like", actor=2), classes=[])
    limit = new_id()
    new = item("like", actor=3)
    deliver(new)
    assert boxes.expire(below=limit, limit=10) == 1
    assert told().items == (new, durable)
    assert told().unread == 2
    assert boxes.expire(below=limit, limit=10) == 0


def test_every_kind_is_delivered_and_read(record_commands):
    for one in kinds():
        assert deliver(item(one.name)) == 1
    assert told().unread == len(kinds())


def test_writers_readers_and_withdrawals_at_once_leave_the_count_right():
    items = [[item(actor=100 * w + n) for n in range(10)] for w in range(4)]

    def write(mine):
        for one in mine:
            deliver(one)
            deliver(one)

    def read():
        for _ in range(10):
            boxes.mark(reader=READER, ids=[one.id for one in told().items][:5], is_read=True)

    def withdraw():
        for mine in items:
            for one in mine[::5]:
                boxes.withdraw(reader=READER, key=one.key)

    at_once(*[lambda mine=mine: write(mine) for mine in items], read, withdraw)
    assert is_counted_right()
    assert len(told().items) == SIZE
    assert len({one.key for one in told().items}) == SIZE


def test_two_who_seal_the_same_bucket_lose_and_repeat_nothing(monkeypatch):
    """The slower one read the box before something was withdrawn, and writes after the faster."""
    items = [item("mention", actor=n) for n in range(SIZE + BUCKET + 10)]
    for one in items:
        deliver(one)
    as_it_was = boxes.kept(reader=READER)
    boxes.withdraw(reader=READER, key=items[3].key)
    history.seal(readers=[READER])
    with monkeypatch.context() as patched:
        patched.setattr(boxes, "kept", lambda **_: as_it_was)
        patched.setattr(history, "ATTEMPTS", 1)
        history.seal(readers=[READER])
    box = told()
    _, found = history.bucket(reader=READER, below=box.seq, above=0) or (0, [])
    left = [one for one in items if one is not items[3]]
    assert (*box.items, *box.kept, *found) == tuple(left[::-1])
    assert box.seq == 1


def test_what_is_withdrawn_while_it_is_sealed_is_in_no_history(monkeypatch):
    items = [item("mention", actor=n) for n in range(SIZE + BUCKET)]
    for one in items:
        deliver(one)
    seal = boxes.sealed

    def withdraw_before(**arguments):
        boxes.withdraw(reader=READER, key=items[3].key)
        return seal(**arguments)

    with monkeypatch.context() as patched:
        patched.setattr(boxes, "sealed", withdraw_before)
        history.seal(readers=[READER])
    box = told()
    _, found = history.bucket(reader=READER, below=box.seq, above=0) or (0, [])
    assert found == [one for one in items[BUCKET - 1 :: -1] if one is not items[3]]
    assert box.kept == ()


def test_to_clear_twice_can_still_be_undone():
    for n in range(3):
        deliver(item(actor=n))
    ids = [one.id for one in told().items]
    assert dismissals.clear(reader=READER, ids=ids, at=timezone.now())
    assert not dismissals.clear(reader=READER, ids=ids, at=timezone.now())
    assert dismissals.restore(reader=READER)
    assert [one.id for one in told().items] == ids


def test_what_is_told_again_after_a_dismissal_is_there_once_after_its_undo():
    first, other = item("mention"), item("mention", actor=2)
    for one in (first, other):
        deliver(one)
    dismissals.dismiss(reader=READER, ids=[first.id, other.id], at=timezone.now())
    again = item("mention")
    assert deliver(again) == 1
    dismissals.restore(reader=READER)
    assert told().items == (again, other)
    assert is_counted_right()


def test_what_comes_back_is_kept_in_its_order():
    items = [item("mention", actor=n) for n in range(SIZE + 20)]
    for one in items[:SIZE]:
        deliver(one)
    dismissals.dismiss(reader=READER, ids=[one.id for one in items[:5]], at=timezone.now())
    for one in items[SIZE:]:
        deliver(one)
    dismissals.restore(reader=READER)
    box = told()
    assert (*box.items, *box.kept) == tuple(items[::-1])


def test_an_undo_brings_back_only_what_the_last_dismissal_took():
    for n in range(SIZE + BUCKET):
        deliver(item("mention", actor=n))
    history.seal(readers=[READER])
    dismissals.clear(reader=READER, ids=[one.id for one in told().items], at=timezone.now())
    late = item(actor=-1)
    deliver(late)
    dismissals.dismiss(reader=READER, ids=[late.id], at=timezone.now())
    dismissals.restore(reader=READER)
    box = told()
    assert (box.items, box.seq - box.hidden) == ((late,), 0)
