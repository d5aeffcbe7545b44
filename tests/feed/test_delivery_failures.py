"""Deliveries that stop or fail: found again, tried less and less often, and given up in the end."""

from datetime import UTC, timedelta

import pytest
from django.utils import timezone
from pymongo.errors import (
    AutoReconnect,
    BulkWriteError,
    DuplicateKeyError,
    NotPrimaryError,
    OperationFailure,
    ServerSelectionTimeoutError,
    WriteConcernError,
)

from feed import tasks
from feed.store.collections import posts
from feed.timeline import retries, strategies
from feed.timeline.progress import delivery_progress, unfinished_post_ids
from feed.timeline.store import deliveries
from feed.timeline.store.transient_errors import is_transient
from tests.factories import publish
from tests.feed.audiences import document, make_audience, state, times_delivered
from tests.feed.workers import work

LONG_AGO = timezone.now() - timedelta(days=1)


@pytest.fixture
def breaking(monkeypatch):
    """``breaking(error)``: from now on pushes to readers raise it; ``breaking(None)``: no more."""
    original = strategies.deliver

    def set_error(error):
        def fail(**_):
            raise error

        monkeypatch.setattr(strategies, "deliver", fail if error else original)

    return set_error


def make_due(post_id):
    posts().update_one({"_id": post_id}, {"$set": {"delivery_due_at": LONG_AGO}})


def seconds_until_due(post_id):
    return (
        document(post_id)["delivery_due_at"].replace(tzinfo=UTC) - timezone.now()
    ).total_seconds()


@pytest.mark.parametrize("inline", [0, 10_000])
def test_a_delivery_that_fails_leaves_the_post_and_is_made_up_by_the_sweeper(
    alice, settings, asked, breaking, inline
):
    settings.FEED_INLINE_AUDIENCE_LIMIT = inline
    settings.FEED_STALLED_SECONDS = 0
    make_audience(alice, 20)
    breaking(RuntimeError("a bad day"))
    post_id = publish(alice)
    assert state(post_id) == ("pending", 0)
    breaking(None)
    asked.clear()
    make_due(post_id)
    tasks.sweep()
    assert len(asked) == 1
    work(asked)
    assert state(post_id)[0] == "done"
    assert times_delivered(post_id) == {1: 20}


def test_the_sweeper_asks_again_only_for_what_is_due_and_not_twice(alice, settings, asked):
    settings.FEED_INLINE_AUDIENCE_LIMIT = 0
    make_audience(alice, 3)
    stalled, moving = publish(alice), publish(alice)
    asked.clear()
    make_due(stalled)
    tasks.sweep()
    assert asked == [("deliver_priority", {"post_id": stalled})]
    assert moving != stalled
    tasks.sweep()
    assert len(asked) == 1, "what was just asked for waits its turn"


def test_a_delivery_under_way_is_resumed_by_its_unfinished_parts_alone(
    alice, settings, asked, for_workers
):
    settings.FEED_DELIVERY_PARTS = 3
    make_audience(alice, 30, per_bucket=10)
    post_id = publish(alice)
    tasks.deliver_part(post_id=post_id, part_number=1)
    asked.clear()
    make_due(post_id)
    tasks.sweep()
    assert [arguments["part_number"] for _, arguments in asked] == [0, 2]
    work(asked)
    assert state(post_id) == ("done", 30)


def test_a_large_delivery_from_before_there_were_parts_gets_them(alice, settings, asked):
    settings.FEED_INLINE_AUDIENCE_LIMIT = 5
    make_audience(alice, 30, per_bucket=10)
    post_id = publish(alice)
    posts().update_one(
        {"_id": post_id},
        {"$set": {"delivery_parts": [], "delivery_audience_size": 0, "delivery_due_at": LONG_AGO}},
    )
    asked.clear()
    tasks.sweep()
    result = document(post_id)
    assert (len(result["delivery_parts"]), result["delivery_audience_size"]) == (3, 30)
    work(asked)
    assert state(post_id) == ("done", 30)


def test_a_failing_delivery_is_tried_less_and_less_often_and_then_given_up(
    alice, settings, asked, breaking
):
    settings.FEED_INLINE_AUDIENCE_LIMIT = 0
    settings.FEED_STALLED_SECONDS = 30
    settings.FEED_DELIVERY_ATTEMPTS = 8
    make_audience(alice, 10)
    post_id = publish(alice)
    breaking(RuntimeError("x" * 500))
    asked.clear()
    pauses = []
    for attempt in range(8):
        make_due(post_id)
        tasks.sweep()
        assert asked, f"attempt {attempt} was not made"
        while asked:
            name, arguments = asked.pop(0)
            if name == "deliver_priority":
                tasks.deliver_priority(**arguments)
                continue
            # Back to what the sweeper's claim hides: how long the failure puts it off.
            make_due(post_id)
            with pytest.raises(RuntimeError):
                getattr(tasks, name)(**arguments)
        pauses.append(seconds_until_due(post_id))
        assert document(post_id)["delivery_attempts"] == attempt + 1
    longest = [min(30 * 2**n, 3600) for n in range(8)]
    assert all(
        most / 2 - 5 <= pause <= most for most, pause in zip(longest, pauses, strict=True)
    ), pauses
    result = document(post_id)
    assert result["delivery_state"] == "failed"
    assert len(result["delivery_error"]) == 200
    assert result["delivery_error"].startswith("RuntimeError: xxx")
    make_due(post_id)
    tasks.sweep()
    assert asked == [], "what was given up waits for a person"
    breaking(None)
    tasks.deliver_part(post_id=post_id, part_number=0)
    assert times_delivered(post_id) == {0: 10}


def test_parts_that_fail_together_are_one_attempt_and_the_others_arrive(
    alice, settings, asked, for_workers, monkeypatch
):
    settings.FEED_DELIVERY_PARTS = 4
    make_audience(alice, 40, per_bucket=10)
    post_id = publish(alice)
    original = strategies.deliver

    def fail_for_some(*, activity, recipients):
        if 15 in recipients or 35 in recipients:
            raise RuntimeError("a poisoned inbox")
        original(activity=activity, recipients=recipients)

    monkeypatch.setattr(strategies, "deliver", fail_for_some)
    for part in range(4):
        if part in (1, 3):
            with pytest.raises(RuntimeError):
                tasks.deliver_part(post_id=post_id, part_number=part, attempt=0)
        else:
            tasks.deliver_part(post_id=post_id, part_number=part, attempt=0)
    assert state(post_id) == ("pending", 20)
    assert document(post_id)["delivery_attempts"] == 1


def test_what_was_given_up_can_be_tried_again_and_goes_on_where_it_stopped(
    alice, asked, for_workers
):
    make_audience(alice, 40, per_bucket=10)
    post_id, other = publish(alice), publish(alice)
    tasks.deliver_part(post_id=post_id, part_number=0)
    deliveries.record_failure(
        post=post_id, attempt=0, error="E", due_at=timezone.now(), is_final=True
    )
    assert unfinished_post_ids(state="failed") == [post_id]
    assert unfinished_post_ids() == [post_id, other]
    asked.clear()
    assert tasks.retry_deliveries(post_ids=[post_id, 404]) == 1
    result = document(post_id)
    assert (result["delivery_state"], result["delivery_attempts"]) == ("pending", 0)
    assert result["delivery_error"] == ""
    assert [arguments["part_number"] for _, arguments in asked] == [1, 2, 3]
    work(asked)
    assert state(post_id) == ("done", 40)
    assert tasks.retry_deliveries(post_ids=[post_id]) == 0
    assert state(post_id) == ("done", 40)


def test_of_very_many_the_first_are_asked_for_and_the_others_found_by_the_sweeper(
    alice, asked, for_workers, monkeypatch
):
    monkeypatch.setattr(tasks, "MAX_IMMEDIATE_RETRIES", 2)
    make_audience(alice, 4)
    post_ids = [publish(alice) for _ in range(5)]
    for post_id in post_ids:
        deliveries.record_failure(
            post=post_id, attempt=0, error="E", due_at=timezone.now(), is_final=True
        )
    asked.clear()
    assert tasks.retry_deliveries(post_ids=post_ids) == 5
    assert {arguments["post_id"] for _, arguments in asked} == set(post_ids[:2])
    tasks.sweep()
    assert {arguments["post_id"] for _, arguments in asked} == set(post_ids)


class Labelled(OperationFailure):
    def __init__(self, label):
        super().__init__("x", 1)
        self._error_labels = {label}


PASSING = [
    AutoReconnect("connection closed"),
    NotPrimaryError("not primary"),
    ServerSelectionTimeoutError("no primary"),
    WriteConcernError("replication was interrupted", 11602),
    OperationFailure("primary stepped down", 189),
    OperationFailure("write conflict", 112),
    Labelled("TransientTransactionError"),
    Labelled("RetryableWriteError"),
    BulkWriteError({"writeErrors": [], "writeConcernErrors": [{"code": 64}]}),
]
LASTING = [
    RuntimeError("a mistake"),
    OperationFailure("document too large", 17419),
    DuplicateKeyError("twice", 11000),
    BulkWriteError({"writeErrors": [{"code": 11000}], "writeConcernErrors": [{"code": 64}]}),
    BulkWriteError({"writeErrors": [], "writeConcernErrors": []}),
    ConnectionError("not the database's"),
]


def test_what_passes_by_itself_is_told_from_what_does_not():
    assert [repr(post) for post in PASSING if not is_transient(error=post)] == []
    assert [repr(post) for post in LASTING if is_transient(error=post)] == []
    wrapped = RuntimeError("as the ORM does")
    wrapped.__cause__ = AutoReconnect("connection closed")
    assert is_transient(error=wrapped)


def test_an_error_that_passes_is_outlasted_by_a_worker_and_not_counted(
    alice, asked, for_workers, monkeypatch
):
    monkeypatch.setattr(retries.time, "sleep", lambda seconds: None)
    make_audience(alice, 10)
    post_id = publish(alice)
    original, errors = strategies.deliver, list(PASSING)

    def fail_some_times(**arguments):
        if errors:
            raise errors.pop()
        original(**arguments)

    monkeypatch.setattr(strategies, "deliver", fail_some_times)
    tasks.deliver_part(post_id=post_id, part_number=0)
    assert state(post_id) == ("done", 10)
    assert document(post_id)["delivery_attempts"] == 0


@pytest.mark.parametrize("inline", [True, False])
def test_an_error_that_passes_too_slowly_is_left_to_the_sweeper_and_not_counted(
    alice, settings, asked, breaking, monkeypatch, inline
):
    monkeypatch.setattr(tasks, "MAX_WAIT_SECONDS", 0.0)
    settings.FEED_INLINE_AUDIENCE_LIMIT = 100 if inline else 1
    make_audience(alice, 10)
    if inline:
        breaking(AutoReconnect("gone"))
        post_id = publish(alice)
    else:
        post_id = publish(alice)
        breaking(AutoReconnect("gone"))
        with pytest.raises(AutoReconnect):
            tasks.deliver_part(post_id=post_id, part_number=0)
    result = document(post_id)
    assert (result["delivery_state"], result["delivery_attempts"]) == ("pending", 0)
    assert seconds_until_due(post_id) <= settings.FEED_STALLED_SECONDS


def test_an_author_sees_how_far_the_own_post_has_come_and_nobody_else_does(
    alice, bob, settings, asked, for_workers
):
    settings.FEED_DELIVERY_PARTS = 3
    make_audience(alice, 30, per_bucket=10)
    post_id = publish(alice)
    tasks.deliver_part(post_id=post_id, part_number=1)
    progress = delivery_progress(post_id=post_id, viewer=alice.pk)
    assert (progress.reached, progress.audience_size, progress.state) == (10, 30, "pending")
    tasks.deliver_post(post_id=post_id)
    progress = delivery_progress(post_id=post_id, viewer=alice.pk)
    assert (progress.reached, progress.audience_size, progress.state) == (30, 30, "done")
    for viewer in (None, bob.pk):
        assert delivery_progress(post_id=post_id, viewer=viewer) is None
    assert delivery_progress(post_id=404, viewer=alice.pk) is None
