"""Deliveries through each kind of broker, with real servers and workers that are killed."""

import time

import pytest

from accounts.store.audiences import audience_size
from feed import tasks
from socialsite.celery import app
from socialsite.local.mongodb_uri import with_selection_timeout
from socialsite.local.ports import free_port
from tests.factories import publish
from tests.feed.audiences import make_audience, state, times_delivered
from tests.feed.brokers import BROKERS, BuiltIn, publishing_through
from tests.feed.workers import Worker, wait_until

READERS = 8_000
"""So many recipients that the test can kill the worker before the delivery is finished."""


@pytest.fixture
def no_inline_delivery(settings):
    settings.FEED_INLINE_AUDIENCE_LIMIT = 0


def test_deliveries_survive_a_killed_worker(alice, settings, tmp_path):
    settings.FEED_STALLED_SECONDS = 1
    make_audience(alice, READERS)
    broker = BuiltIn(tmp_path)
    try:
        # Without beat, no sweeper runs. So the first delivery shows that the broker passes tasks on.
        with Worker(tmp_path, beat=False) as worker:
            first = publish(alice)
            wait_until(lambda: state(first)[1] >= 1000, worker=worker)
        assert state(first)[0] == "pending"
        assert 0 < times_delivered(first)[0] < READERS
        broker.stop()
        with Worker(tmp_path) as worker:
            second = publish(alice)
            for post_id in (first, second):
                wait_until(lambda post_id=post_id: state(post_id)[0] == "done", worker=worker)
        for post_id in (first, second):
            assert state(post_id) == ("done", READERS)
            assert times_delivered(post_id) == {1: READERS}
        assert audience_size(author=alice.pk).follower_count == READERS
    finally:
        broker.stop()


@pytest.mark.parametrize("kind", sorted(set(BROKERS) - {"built-in"}))
def test_an_emptied_broker_loses_no_delivery(kind, alice, settings, no_inline_delivery, tmp_path):
    settings.FEED_STALLED_SECONDS = 1
    make_audience(alice, 3)
    broker = BROKERS[kind](tmp_path)
    broker.start()
    try:
        with publishing_through(broker.url):
            first = publish(alice)
            broker.lose_everything()
            second = publish(alice)  # may find that its connection has ended
            with Worker(tmp_path, beat=False, BROKER_URL=broker.url) as worker:
                third = publish(alice)
                wait_until(lambda: state(third)[0] == "done", worker=worker)
                assert state(first) == ("pending", 0)
                tasks.sweep()
                for post_id in (first, second):
                    wait_until(lambda post_id=post_id: state(post_id)[0] == "done", worker=worker)
        for post_id in (first, second, third):
            assert state(post_id) == ("done", 3)
            assert times_delivered(post_id) == {1: 3}
    finally:
        broker.stop()


# The MongoDB transport does not close its client after a failed connection.
@pytest.mark.filterwarnings("ignore:Unclosed MongoClient:ResourceWarning")
@pytest.mark.parametrize(
    "url",
    [
        with_selection_timeout("mongodb://127.0.0.1:{}/jobs", milliseconds=3000),
        "redis://127.0.0.1:{}/0",
        "amqp://127.0.0.1:{}//",
    ],
)
def test_publishing_succeeds_quickly_without_a_broker(url, alice, no_inline_delivery, monkeypatch):
    # A captured log record would keep a reference to the error and so to the unclosed client.
    monkeypatch.setattr(tasks.logger, "disabled", True)
    make_audience(alice, 3)
    with publishing_through(url.format(free_port())):
        started = time.monotonic()
        post_id = publish(alice)
        assert time.monotonic() - started < 8
    assert state(post_id) == ("pending", 0)


def test_connecting_to_the_broker_has_short_timeouts():
    options = app.conf.broker_transport_options
    assert options["max_retries"] == 1
    assert app.conf.broker_connection_timeout <= 2
