"""Counters over time: counting, counting once per viewer, and rolling up hours without losses."""

import logging
import os
import subprocess
import sys
import time
from ast import literal_eval
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.utils import timezone

from accounts.infra.ids import time_of
from feed import stats, tasks
from feed.services.erasure import erase_user_data
from feed.services.interactions import unlike_post
from feed.services.posts import delete_post
from feed.stats import SITE, Metric, UniqueEvent
from feed.store import active_hours, counted_viewers
from feed.store import stats as store
from feed.store.collections import counted_viewer_keys, stat_days, stat_hours
from feed.store.collections import counted_viewers as viewers
from tests.actions import like_post, share_post
from tests.factories import follow, publish
from tests.feed.comment_helpers import say

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND, MINUTE, HOUR, DAY = (timedelta(seconds=n) for n in (1, 60, 3600, 86_400))


def total_count(subject, metric):
    """Return the stored total of a metric of the subject."""
    rows = [*stat_hours().find({"subject": subject, "metric": metric})]
    rows += stat_days().find({"subject": subject, "metric": metric})
    return sum(row["total"] for row in rows)


def test_an_hour_is_one_document_with_minutes_and_seconds(record_commands):
    for second in (0, 61, 61, 3599, 3600):
        stats.count(subject=5, metric=Metric.VIEWS, at=NOON + second * SECOND)
    with record_commands() as commands:
        stats.flush()
    assert [name for name, _ in commands] == ["update"]
    first, second = stat_hours().find({}, {"_id": 0}).sort("hour")
    assert first == {
        "subject": 5,
        "metric": "views",
        "hour": NOON.replace(tzinfo=None),
        "total": 4,
        "minutes": {"0": {"0": 1}, "1": {"1": 2}, "59": {"59": 1}},
    }
    assert second["total"] == 1
    by_minute = store.by_minute(subjects=[5], metrics=["views"], since=NOON)
    assert by_minute == {
        ("views", NOON): 1,
        ("views", NOON + MINUTE): 2,
        ("views", NOON + 59 * MINUTE): 1,
        ("views", NOON + HOUR): 1,
    }


def test_an_hour_of_a_subject_reads_one_document():
    for minute in range(60):
        stats.count(subject=5, metric=Metric.VIEWS, at=NOON + minute * MINUTE)
        stats.count(subject=6, metric=Metric.VIEWS, at=NOON + minute * MINUTE)
    stats.flush()
    query = {"subject": 5, "metric": "views", "hour": NOON}
    plan = connection.database.command(
        "explain", {"find": "stat_hours", "filter": query}, verbosity="executionStats"
    )
    assert plan["executionStats"]["totalDocsExamined"] == 1


def test_dropping_minutes_keeps_totals():
    store.add_counts(counts={(5, "views", NOON): 3, (5, "views", NOON + HOUR): 4})
    assert store.drop_minutes(before=NOON + HOUR, limit=10) == 1
    assert store.drop_minutes(before=NOON + HOUR, limit=10) == 0
    old, new = stat_hours().find().sort("hour")
    assert ("minutes" in old, old["total"]) == (False, 3)
    assert ("minutes" in new, new["total"]) == (True, 4)


def test_hours_are_rolled_up_to_days_and_months_read_both():
    store.add_counts(counts={(5, "views", NOON + n * HOUR): 1 for n in range(36)})
    assert store.roll_up(metric="views", before=store.start_of_day(NOON + DAY), limit=100) == 12
    assert [row["total"] for row in stat_days().find()] == [12]
    assert stat_hours().count_documents({}) == 24
    result = store.by_unit(subjects=[5], metrics=["views"], since=NOON - DAY, unit="month")
    assert result == {("views", datetime(2026, 3, 1, tzinfo=UTC)): 36}
    assert store.by_subject(subjects=[5], metric="views", since=NOON - DAY) == {5: 36}


def test_the_task_keeps_seconds_for_two_days_and_hours_for_ninety(settings):
    now = timezone.now()
    for days in (1, 3, 89, 95, 400):
        store.add_counts(counts={(5, "views", now - days * DAY): 1})
    tasks.roll_up_stats()
    tasks.roll_up_stats()
    assert stat_hours().count_documents({"minutes": {"$exists": True}}) == 1
    assert stat_hours().count_documents({}) == 3
    assert stat_days().count_documents({}) == 2
    assert total_count(5, "views") == 5


def test_a_viewer_counts_once_an_hour():
    once = UniqueEvent("user 7", SITE, Metric.REPORTS)
    now = datetime.now(UTC)
    half_an_hour = 30 * MINUTE
    # Every day has a key of its own, so both events must be on the same day.
    same_hour = now + half_an_hour
    if same_hour.date() != now.date():
        same_hour = now - half_an_hour
    for _ in range(3):
        stats.count_unique(event=once, at=now)
    stats.flush()
    stats.reset()  # another process has none of these counts in memory
    stats.count_unique(event=once, at=same_hour)
    stats.flush()
    assert total_count(SITE, "reports") == 1
    stats.reset()
    # After an hour, the same viewer counts again.
    viewers().update_many({}, {"$set": {"expires_at": now - SECOND}})
    stats.count_unique(event=once, at=now)
    stats.flush()
    assert total_count(SITE, "reports") == 2


def test_stored_data_does_not_identify_viewers(alice, bob):
    post = publish(alice)
    stats.count_unique(event=UniqueEvent(f"user {bob.pk}", post, Metric.VIEWS))
    stats.flush()
    stored = [*stat_hours().find(), *viewers().find(), *counted_viewer_keys().find()]
    assert str(bob.pk) not in str(stored)
    assert viewers().count_documents({}) >= 1
    # Without the daily key, the digest of a viewer cannot be computed again. So the viewer is anonymous.
    digests = {bytes(row["_id"]) for row in viewers().find()}
    counted_viewer_keys().delete_many({})
    stats.reset()
    stats.count_unique(event=UniqueEvent(f"user {bob.pk}", post, Metric.VIEWS))
    stats.flush()
    assert len({bytes(row["_id"]) for row in viewers().find()} - digests) == 1


def test_all_processes_share_a_daily_key_that_expires():
    day = store.start_of_day(timezone.now())
    key = counted_viewers.daily_key(day=day)
    assert counted_viewers.daily_key(day=day) == key
    assert counted_viewers.daily_key(day=day - DAY) != key
    for collection in (viewers(), counted_viewer_keys()):
        expiring = list(collection.index_information().values())
        assert any(index.get("expireAfterSeconds") == 0 for index in expiring)


def test_interactions_count_for_the_post_and_its_author(alice, bob, carol):
    follow(bob, alice)
    post = publish(alice)
    for _ in range(2):  # a repeated like counts once
        like_post(post_id=post, actor=bob)
        unlike_post(post_id=post, actor=bob)
    share_post(post_id=post, actor=carol)
    say(post, bob, "One")
    say(post, bob, "Two")
    stats.flush()
    for subject in (post, alice.pk):
        assert total_count(subject, "likes") == 1
        assert total_count(subject, "shares") == 1
        assert total_count(subject, "comments") == 2
    assert total_count(alice.pk, "followers") == 1
    assert total_count(SITE, "posts") == 2  # the share is a post, too
    assert total_count(SITE, "deliveries") >= 2


def test_own_and_disabled_views_do_not_count(alice, bob, carol):
    carol.has_view_counts = False
    carol.save()
    post, silent = publish(alice), publish(carol)
    for viewer in (alice, bob, carol):
        for post_id in (post, silent, 12345):
            stats.count_unique(event=UniqueEvent(f"user {viewer.pk}", post_id, Metric.VIEWS))
    stats.flush()
    assert total_count(post, "views") == 2
    assert total_count(alice.pk, "views") == 2
    assert total_count(silent, "views") == total_count(12345, "views") == 0


def test_deleting_a_post_or_user_deletes_their_stats(alice, bob):
    post = publish(alice)
    like_post(post_id=post, actor=bob)
    stats.flush()
    delete_post(post_id=post, actor=alice)
    tasks.clean_up_post(post_id=post)
    assert total_count(post, "likes") == 0
    assert total_count(alice.pk, "likes") == 1
    erase_user_data(uid=alice.pk)
    assert total_count(alice.pk, "likes") == 0


def test_active_users_count_once_a_day_and_for_their_cohort(client, alice):
    client.force_login(alice)
    for _ in range(3):
        client.get("/")
    stats.flush()
    assert total_count(SITE, "active") == total_count(SITE, "active_hourly") == 1
    assert total_count(stats.cohort_on(day=time_of(id=alice.pk)), "active") == 1
    known, shares = active_hours.hour_shares(uids=[alice.pk])
    assert known == 1
    assert max(shares) == sum(shares) == 1


@pytest.mark.parametrize("path", ["/health", "/views/", "/"])
def test_counting_requests_costs_no_command(path, client, alice, record_commands, settings):
    client.force_login(alice)
    client.get(path)
    with record_commands() as counted:
        client.get(path)
    metering = "socialsite.request_stats.RequestStatsMiddleware"
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if name != metering]
    client.handler.load_middleware()
    with record_commands() as uncounted:
        client.get(path)
    assert len(counted) == len(uncounted)


def test_old_active_hours_lose_weight(alice):
    now = timezone.now().replace(hour=9)
    active_hours.record_active(uids=[alice.pk], at=now - active_hours.HALF_LIFE)
    active_hours.record_active(uids=[alice.pk], at=now.replace(hour=20))
    _known, shares = active_hours.hour_shares(uids=[alice.pk])
    assert shares[9] == pytest.approx(1 / 3, rel=0.02)
    assert shares[20] == pytest.approx(2 / 3, rel=0.02)


def test_a_failed_flush_is_logged_and_the_next_one_works(monkeypatch, caplog):
    stats.count(subject=SITE, metric=Metric.PAGES)
    with monkeypatch.context() as patched:
        patched.setattr(store, "add_counts", lambda **_: 1 / 0)
        with caplog.at_level(logging.ERROR):
            stats.flush()
    assert "were not counted" in caplog.text
    stats.count(subject=SITE, metric=Metric.PAGES)
    stats.flush()
    assert total_count(SITE, "pages") == 1


def wait_until_server_is_idle():
    """Wait until the server has finished the writes of killed clients."""
    database = stat_hours().database
    pipeline = [
        {"$currentOp": {"idleConnections": False, "idleSessions": False}},
        {"$match": {"ns": {"$regex": rf"^{database.name}\."}, "active": True}},
    ]
    # A request may still be in transit, so several checks in a row must find the server idle.
    idle_checks = 0
    while idle_checks < 10:
        time.sleep(0.02)
        idle_checks = 0 if list(database.client.admin.aggregate(pipeline)) else idle_checks + 1


@pytest.mark.slow
def test_killed_writers_and_roll_ups_lose_and_repeat_no_event(tmp_path):
    command = [sys.executable, "-m", "tests.feed.stats_writers", str(tmp_path)]
    names = {
        "DJANGO_SETTINGS_MODULE": "socialsite.settings",
        "MONGODB_NAME": connection.settings_dict["NAME"],
    }
    subprocess.run(command, cwd=django_settings.BASE_DIR, env={**os.environ, **names}, check=True)
    written = Counter()
    files = list(tmp_path.glob("*.txt"))
    in_flight = 20 * len(files)
    for file in files:
        for line in file.read_text().splitlines():
            for subject, metric, at, number in literal_eval(line) if line.endswith("]]") else []:
                written[subject, metric, datetime.fromisoformat(at)] += number
    wait_until_server_is_idle()
    stat_total = sum(row["total"] for row in (*stat_hours().find(), *stat_days().find()))
    acknowledged = sum(written.values())
    assert acknowledged > 200
    # A killed writer may have stored one more batch than it printed.
    assert acknowledged <= stat_total <= acknowledged + in_flight
    for row in stat_hours().find({"minutes": {"$exists": True}}):
        seconds = sum(n for minute in row["minutes"].values() for n in minute.values())
        assert seconds == row["total"] or row["hour"] < datetime(2026, 3, 3)
    while store.drop_minutes(before=NOON + 9 * DAY, limit=1000):
        """Repeat until no old row has minutes."""
    for metric in ("views", "likes"):
        while store.roll_up(metric=metric, before=datetime(2026, 3, 9, tzinfo=UTC), limit=1000):
            """Repeat until all hours are rolled up."""
    days = Counter()
    for (subject, metric, at), number in written.items():
        days[subject, metric, at.replace(hour=0, minute=0, second=0)] += number
    stored = {
        (row["subject"], row["metric"], row["day"].replace(tzinfo=UTC)): row["total"]
        for row in stat_days().find()
    }
    assert sum(stored.values()) == stat_total
    assert all(stored[key] >= number for key, number in days.items())
    assert sum(stored.values()) - sum(days.values()) <= in_flight
