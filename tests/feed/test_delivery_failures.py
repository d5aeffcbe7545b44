"""Failing deliveries are retried with growing pauses, and marked as failed after the last attempt."""

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
def break_deliveries(monkeypatch):
    """Return a function that makes all deliveries raise its argument. With ``None``, deliveries succeed."""
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
def test_the_sweeper_repeats_a_failed_delivery(alice, settings, asked, break_deliveries, inline):
    settings.FEED_INLINE_AUDIENCE_LIMIT = inline
    settings.FEED_STALLED_SECONDS = 0
    make_audience(alice, 20)
    break_deliveries(RuntimeError("a bad day"))
    post_id = publish(alice)
    assert state(post_id) == ("pending", 0)
    break_deliveries(None)
    asked.clear()
    make_due(post_id)
    tasks.sweep()
    assert len(asked) == 1
    work(asked)
    assert state(post_id)[0] == "done"
    assert times_delivered(post_id) == {1: 20}


def test_the_sweeper_enqueues_each_due_delivery_once(alice, settings, asked):
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


def test_only_unfinished_parts_are_resumed(alice, asked, for_workers, monkeypatch):
    monkeypatch.setattr("feed.timeline.store.deliveries.MAX_PARTS", 3)
    make_audience(alice, 30, per_bucket=10)
    post_id = publish(alice)
    tasks.deliver_part(post_id=post_id, part_number=1)
    asked.clear()
    make_due(post_id)
    tasks.sweep()
    assert [arguments["part_number"] for _, arguments in asked] == [0, 2]
    work(asked)
    assert state(post_id) == ("done", 30)


def test_an_old_delivery_without_parts_is_split(alice, bob, settings, asked):
    settings.FEED_INLINE_AUDIENCE_LIMIT = 5
    make_audience(alice, 30, per_bucket=10)
    post_id, direct = publish(alice), publish(alice, "@bob Hello", "direct")
    without_parts = {"delivery_parts": [], "delivery_audience_size": 0, "delivery_state": "pending"}
    posts().update_many({}, {"$set": {**without_parts, "delivery_due_at": LONG_AGO}})
    asked.clear()
    tasks.sweep()
    result = document(post_id)
    assert (len(result["delivery_parts"]), result["delivery_audience_size"]) == (3, 30)
    assert document(direct)["delivery_parts"] == []
    work(asked)
    assert state(post_id) == ("done", 30)


def test_a_failing_delivery_is_retried_with_growing_pauses_and_given_up(
    alice, settings, asked, break_deliveries, monkeypatch
):
    settings.FEED_INLINE_AUDIENCE_LIMIT = 0
    settings.FEED_STALLED_SECONDS = 30
    monkeypatch.setattr("feed.timeline.retries.MAX_ATTEMPTS", 8)
    make_audience(alice, 10)
    post_id = publish(alice)
    break_deliveries(RuntimeError("x" * 500))
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
            # The sweeper postponed the delivery when it enqueued the task. Make the delivery due again, so
            # that only the pause after the failure is measured.
            make_due(post_id)
            with pytest.raises(RuntimeError):
                getattr(tasks, name)(**arguments)
        pauses.append(seconds_until_due(post_id))
        assert document(post_id)["delivery_attempts"] == attempt + 1
    max_pauses = [min(30 * 2**n, 3600) for n in range(8)]
    assert all(
        max_pause / 2 - 5 <= pause <= max_pause
        for max_pause, pause in zip(max_pauses, pauses, strict=True)
    ), pauses
    result = document(post_id)
    assert result["delivery_state"] == "failed"
    assert len(result["delivery_error"]) == 200
    assert result["delivery_error"].startswith("RuntimeError: xxx")
    make_due(post_id)
    tasks.sweep()
    assert asked == [], "what was given up waits for a person"
    break_deliveries(None)
    tasks.deliver_part(post_id=post_id, part_number=0)
    assert times_delivered(post_id) == {0: 10}


def test_failures_of_a_whole_delivery_are_counted(alice, break_deliveries):
    break_deliveries(RuntimeError("a bad day"))
    post_id = publish(alice)
    with pytest.raises(RuntimeError):
        tasks.deliver_post(post_id=post_id)
    assert document(post_id)["delivery_attempts"] == 2


def test_parts_that_fail_together_count_as_one_attempt(alice, asked, for_workers, monkeypatch):
    monkeypatch.setattr("feed.timeline.store.deliveries.MAX_PARTS", 4)
    make_audience(alice, 40, per_bucket=10)
    post_id = publish(alice)
    original = strategies.deliver

    def fail_for_some(*, activity, recipients, threads=1):
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


def test_a_failed_delivery_can_be_retried_and_resumes(alice, asked, for_workers):
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


def test_many_retries_are_partly_left_to_the_sweeper(alice, asked, for_workers, monkeypatch):
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


class LabelledError(OperationFailure):
    def __init__(self, label):
        super().__init__("x", 1)
        self._error_labels = {label}


TRANSIENT_ERRORS = [
    AutoReconnect("connection closed"),
    NotPrimaryError("not primary"),
    ServerSelectionTimeoutError("no primary"),
    WriteConcernError("replication was interrupted", 11602),
    OperationFailure("primary stepped down", 189),
    OperationFailure("write conflict", 112),
    LabelledError("TransientTransactionError"),
    LabelledError("RetryableWriteError"),
    BulkWriteError({"writeErrors": [], "writeConcernErrors": [{"code": 64}]}),
]
PERMANENT_ERRORS = [
    RuntimeError("a mistake"),
    OperationFailure("document too large", 17419),
    DuplicateKeyError("twice", 11000),
    BulkWriteError({"writeErrors": [{"code": 11000}], "writeConcernErrors": [{"code": 64}]}),
    BulkWriteError({"writeErrors": [], "writeConcernErrors": []}),
    ConnectionError("not the database's"),
]


def test_transient_errors_are_recognized():
    assert [repr(error) for error in TRANSIENT_ERRORS if not is_transient(error=error)] == []
    assert [repr(error) for error in PERMANENT_ERRORS if is_transient(error=error)] == []
    wrapped = RuntimeError("as the ORM does")
    wrapped.__cause__ = AutoReconnect("connection closed")
    assert is_transient(error=wrapped)


def test_a_worker_waits_for_transient_errors_without_counting_them(
    alice, asked, for_workers, monkeypatch
):
    monkeypatch.setattr(retries.time, "sleep", lambda seconds: None)
    make_audience(alice, 10)
    post_id = publish(alice)
    original, errors = strategies.deliver, list(TRANSIENT_ERRORS)

    def fail_some_times(**arguments):
        if errors:
            raise errors.pop()
        original(**arguments)

    monkeypatch.setattr(strategies, "deliver", fail_some_times)
    tasks.deliver_part(post_id=post_id, part_number=0)
    assert state(post_id) == ("done", 10)
    assert document(post_id)["delivery_attempts"] == 0


@pytest.mark.parametrize("inline", [True, False])
def test_a_lasting_transient_error_is_left_to_the_sweeper(
    alice, settings, asked, break_deliveries, monkeypatch, inline
):
    monkeypatch.setattr(tasks, "MAX_WAIT_SECONDS", 0.0)
    settings.FEED_INLINE_AUDIENCE_LIMIT = 100 if inline else 1
    make_audience(alice, 10)
    if inline:
        break_deliveries(AutoReconnect("gone"))
        post_id = publish(alice)
    else:
        post_id = publish(alice)
        break_deliveries(AutoReconnect("gone"))
        with pytest.raises(AutoReconnect):
            tasks.deliver_part(post_id=post_id, part_number=0)
    result = document(post_id)
    assert (result["delivery_state"], result["delivery_attempts"]) == ("pending", 0)
    assert seconds_until_due(post_id) <= settings.FEED_STALLED_SECONDS


def test_only_the_author_sees_the_progress_of_a_delivery(
    alice, bob, asked, for_workers, monkeypatch
):
    monkeypatch.setattr("feed.timeline.store.deliveries.MAX_PARTS", 3)
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
