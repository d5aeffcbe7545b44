"""Delivery: one command per audience bucket, in the request or by a worker, and never lost."""

import os
import signal
import subprocess
import sys
import time
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from accounts.store import audiences
from feed import tasks
from feed.models import Post
from feed.store.collections import inbox_heads, posts
from tests.factories import follow, people, publish

GEN = 1


def make_audience(author, size, per_bucket=1000):
    """Warm readers in audience buckets, without making people of them: only their uids matter."""
    uids = list(range(1, size + 1))
    now = timezone.now()
    head = {"n": 0, "gen": GEN, "seq": 0, "kept": [], "top": 0, "floor": 0}
    inbox_heads().insert_many(
        ({"_id": uid, "ids": [], **head, "built_at": now, "last_seen": now} for uid in uids),
        ordered=False,
    )
    chunks = [uids[at : at + per_bucket] for at in range(0, size, per_bucket)]
    connection.database["audience_buckets"].insert_many(
        {"author": author.pk, "seq": seq, "uids": chunk, "n": len(chunk)}
        for seq, chunk in enumerate(chunks)
    )


def times_delivered(post_id):
    """How many readers have the post how often: {times: readers}."""
    counted = inbox_heads().aggregate(
        [
            {"$match": {"_id": {"$lt": 1_000_000}}},
            {
                "$project": {
                    "times": {
                        "$size": {
                            "$filter": {"input": "$ids", "cond": {"$eq": ["$$this", post_id]}}
                        }
                    }
                }
            },
            {"$group": {"_id": "$times", "readers": {"$sum": 1}}},
        ]
    )
    return {one["_id"]: one["readers"] for one in counted}


def state(post_id):
    found = posts().find_one({"_id": post_id})
    return found["delivery_state"], found["delivery_next"]


def test_delivering_to_a_thousand_warm_readers_is_one_command_per_bucket(
    alice, settings, record_commands
):
    settings.FEED_INLINE_AUDIENCE = 10_000
    make_audience(alice, 3000)
    with record_commands() as commands:
        post_id = publish(alice)
    pushes = [one for name, one in commands if name == "update" and one["update"] == "inbox_heads"]
    assert len(pushes) == 3
    assert all(len(one["updates"]) == 1 and one["updates"][0]["multi"] for one in pushes)
    assert times_delivered(post_id) == {1: 3000}
    assert state(post_id) == ("done", 3)


def test_a_small_audience_is_delivered_in_the_request(alice, bob, settings):
    settings.FEED_INLINE_AUDIENCE = 1
    follow(bob, alice)
    tasks.strategies.current().entries(reader=bob.pk)
    post_id = publish(alice)
    assert state(post_id) == ("done", 1)
    assert inbox_heads().find_one({"_id": bob.pk})["ids"] == [post_id]


def test_a_larger_audience_waits_for_a_worker_but_the_author_sees_the_post_at_once(alice, settings):
    settings.FEED_INLINE_AUDIENCE = 1
    for fan in people(2):
        follow(fan, alice)
    tasks.strategies.current().entries(reader=alice.pk)
    post_id = publish(alice)
    assert state(post_id) == ("pending", 0)
    assert inbox_heads().find_one({"_id": alice.pk})["ids"] == [post_id]


def test_a_broker_that_is_away_stops_nobody_from_publishing(alice, settings, monkeypatch):
    settings.FEED_INLINE_AUDIENCE = 0
    follow(people(1)[0], alice)

    def refuse(**_):
        raise ConnectionError("no broker")

    monkeypatch.setattr(tasks.deliver_post, "apply_async", refuse)
    post_id = publish(alice)
    assert state(post_id) == ("pending", 0)


@pytest.mark.parametrize("audience", [0, 10_000])
def test_a_delivery_that_fails_leaves_the_post_and_is_made_up_by_the_sweeper(
    alice, settings, monkeypatch, audience
):
    settings.FEED_INLINE_AUDIENCE = audience
    settings.FEED_STALLED_AFTER = 0
    make_audience(alice, 20)
    asked = []
    monkeypatch.setattr(tasks.deliver_post, "apply_async", lambda **given: asked.append(given))
    with monkeypatch.context() as failing:

        def fail(**_):
            raise ConnectionError("the primary is away")

        failing.setattr(tasks.strategies.current(), "deliver", fail)
        post_id = publish(alice)
    assert state(post_id) == ("pending", 0)
    time.sleep(0.002)  # the database keeps milliseconds
    tasks.sweep()
    assert [given["kwargs"] for given in asked] == [{"post_id": post_id}]
    tasks.deliver_post(**asked[0]["kwargs"])
    assert times_delivered(post_id) == {1: 20}


def test_a_delivery_goes_on_from_the_bucket_where_it_stopped(alice, settings, monkeypatch):
    settings.FEED_INLINE_AUDIENCE = 10_000
    make_audience(alice, 40, per_bucket=10)
    delivered = []
    strategy = tasks.strategies.current()
    original = strategy.deliver

    def stop_at_third(*, activity, readers):
        if len(delivered) == 2:
            raise KeyboardInterrupt
        delivered.append(readers)
        original(activity=activity, readers=readers)

    monkeypatch.setattr(strategy, "deliver", stop_at_third)
    with pytest.raises(KeyboardInterrupt):
        publish(alice)
    post_id = Post.objects.get().pk
    assert state(post_id) == ("pending", 2)
    monkeypatch.setattr(strategy, "deliver", original)
    tasks.deliver_post(post_id=post_id)
    assert state(post_id) == ("done", 4)
    assert times_delivered(post_id) == {1: 40}


def test_delivering_twice_is_delivering_once(alice, settings):
    settings.FEED_INLINE_AUDIENCE = 10_000
    make_audience(alice, 20, per_bucket=10)
    post_id = publish(alice)
    posts().update_one(
        {"_id": post_id}, {"$set": {"delivery_state": "pending", "delivery_next": 0}}
    )
    tasks.deliver_post(post_id=post_id)
    tasks.deliver_post(post_id=post_id)
    assert times_delivered(post_id) == {1: 20}


def test_the_sweeper_asks_again_only_for_what_has_not_moved(alice, settings, monkeypatch):
    settings.FEED_INLINE_AUDIENCE = 0
    follow(people(1)[0], alice)
    asked = []
    monkeypatch.setattr(tasks.deliver_post, "apply_async", lambda **given: asked.append(given))
    stalled, moving = publish(alice), publish(alice)
    asked.clear()
    long_ago = timezone.now() - timedelta(hours=1)
    posts().update_one({"_id": stalled}, {"$set": {"delivery_at": long_ago}})
    tasks.sweep()
    assert [given["kwargs"] for given in asked] == [{"post_id": stalled}]
    assert moving != stalled
    tasks.sweep()
    assert len(asked) == 1, "what was just asked for waits its turn"


def test_a_deleted_post_is_not_delivered_any_further(alice, settings):
    settings.FEED_INLINE_AUDIENCE = 0
    make_audience(alice, 3)
    post_id = publish(alice)
    Post.objects.get().delete()
    tasks.deliver_post(post_id=post_id)
    assert times_delivered(post_id) == {0: 3}


def test_few_followers_left_in_many_buckets_are_no_work_for_the_request(alice, record_commands):
    connection.database["audience_buckets"].insert_many(
        {"author": alice.pk, "seq": n, "uids": [], "n": 0} for n in range(300)
    )
    with record_commands() as commands:
        post_id = publish(alice)
    assert state(post_id)[0] == "done"
    assert len(commands) < 15


class Worker:
    """A real Celery worker with its beat, on this test's database."""

    def __init__(self, tmp_path):
        environment = {
            **os.environ,
            "MONGODB_NAME": connection.settings_dict["NAME"],
            "FEED_STALLED_AFTER": "1",
            "FEED_INLINE_AUDIENCE": "1000",
            "LOG_LEVEL": "INFO",
        }
        self.log = (tmp_path / "worker.log").open("a")
        command = [sys.executable, "-m", "celery", "-A", "socialsite", "worker", "--beat"]
        schedule = ["--schedule", str(tmp_path / "beat"), "--concurrency", "2"]
        self.process = subprocess.Popen(
            [*command, *schedule],
            env=environment,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
        )

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def test_a_worker_killed_in_the_middle_of_a_delivery_leaves_every_reader_with_the_post_once(
    alice, tmp_path
):
    make_audience(alice, 20_000)
    worker = Worker(tmp_path)
    try:
        post_id = publish(alice)
        wait_until(lambda: state(post_id)[1] >= 2)
    finally:
        worker.kill()
    assert state(post_id)[0] == "pending"
    delivered = times_delivered(post_id)
    assert 0 < delivered[0] < 20_000
    worker = Worker(tmp_path)
    try:
        wait_until(lambda: state(post_id)[0] == "done")
    finally:
        worker.kill()
    assert times_delivered(post_id) == {1: 20_000}
    assert audiences.size(author=alice.pk).people == 20_000
