"""The metrics of this process, and who can read them."""

import logging
from pathlib import Path

import pytest
from django.db import connection
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from accounts.infra import metrics
from accounts.infra.process_cache import ProcessCache
from feed.models import Post
from socialsite.monitoring import readiness
from tests.factories import publish

TOKEN = "a-long-token"
DOCS = Path(__file__).parents[3] / "docs" / "monitoring"


@pytest.fixture
def read_metrics(client, settings):
    """Return a function that reads ``/metrics`` as values by name and labels."""
    settings.METRICS_TOKEN = TOKEN
    readiness.clear_cached_readiness()

    def read():
        response = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        assert response.status_code == 200
        return {
            (sample.name, tuple(sorted(sample.labels.values()))): sample.value
            for family in text_string_to_metric_families(response.content.decode())
            for sample in family.samples
        }

    yield read
    readiness.clear_cached_readiness()


def value(name, **labels):
    return REGISTRY.get_sample_value(name, labels) or 0


@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer ", "Bearer other", TOKEN, f"Basic {TOKEN}", "Bearer ä"],
)
@pytest.mark.parametrize("token", [TOKEN, ""])
def test_metrics_are_closed_without_the_token(token, authorization, client, settings):
    settings.METRICS_TOKEN = token
    headers = {} if authorization is None else {"Authorization": authorization}
    assert client.get("/metrics", headers=headers).status_code == 404


def test_requests_are_counted_by_the_name_of_their_route(client, alice, read_metrics):
    before = read_metrics()
    for _ in range(2):
        client.get("/@alice/")
    client.get("/no-such-page/")
    after = read_metrics()

    def more(name, *labels):
        key = (name, tuple(sorted(labels)))
        return after.get(key, 0) - before.get(key, 0)

    assert more("socialsite_requests_total", "profile", "GET", "200") == 2
    assert more("socialsite_request_seconds_count", "profile") == 2
    assert more("socialsite_requests_total", "none", "GET", "404") == 1
    assert not any("alice" in label for _name, labels in after for label in labels)


def test_unknown_methods_share_a_label(client):
    client.generic("BREW", "/about/")
    assert value("socialsite_requests_total", route="about", method="other", status="405")


def test_database_commands_are_counted_by_route(client, alice, record_commands):
    client.force_login(alice)
    client.get("/")  # builds the inbox
    before = value("socialsite_request_commands_total", route="home")
    with record_commands() as commands:
        client.get("/")
    assert len(commands) > 1
    assert value("socialsite_request_commands_total", route="home") == before + len(commands)


def test_deliveries_and_the_backlog(alice, read_metrics):
    before = value("socialsite_deliveries_total")
    post_id = publish(alice)
    assert value("socialsite_deliveries_total") == before + 1
    Post.objects.filter(pk=post_id).update(delivery_state="pending")
    after = read_metrics()
    assert after["socialsite_pending_deliveries", ()] == 1
    assert 0 < after["socialsite_oldest_delivery_age_seconds", ()] < 600
    Post.objects.filter(pk=post_id).update(delivery_state="failed")
    after = read_metrics()
    assert after["socialsite_pending_deliveries", ()] == 0
    assert after["socialsite_oldest_delivery_age_seconds", ()] == 0
    assert after["socialsite_failed_deliveries", ()] == 1


def test_inbox_builds(client, alice):
    before = value("socialsite_inbox_builds_total")
    client.force_login(alice)
    for _ in range(2):
        client.get("/")
    assert value("socialsite_inbox_builds_total") == before + 1


def test_waiting_mails(read_metrics):
    from datetime import UTC, datetime, timedelta

    now = datetime.now(UTC)
    connection.database["notification_boxes"].insert_many(
        [{"_id": 1, "mail_due_at": now}, {"_id": 2, "mail_due_at": now + timedelta(hours=1)}]
    )
    assert read_metrics()["socialsite_waiting_mails", ()] == 1


def test_waiting_jobs_by_queue(read_metrics, monkeypatch):
    counts = {"celery": 3, "slow": 5}
    monkeypatch.setattr("socialsite.monitoring.exposition.queued_tasks", counts.get)
    metrics = read_metrics()
    for queue, count in counts.items():
        assert metrics["socialsite_waiting_tasks", (queue,)] == count


def test_checks_and_heartbeats(read_metrics, clean_site):
    state = read_metrics()
    assert state["socialsite_check_passed", ("database",)] == 1
    assert state["socialsite_check_passed", ("beat",)] == 0


def test_cache_reads():
    cache = ProcessCache(name="test")
    cache.put({1: "one"}, version=cache.version(), seconds=60)
    cache.get([1, 2, 3])
    assert value("socialsite_cache_reads_total", cache="test", result="hit") == 1
    assert value("socialsite_cache_reads_total", cache="test", result="miss") == 2


def test_reads_of_function_caches(monkeypatch):
    from functools import lru_cache

    double = lru_cache(lambda number: number * 2)
    monkeypatch.setattr(metrics, "_function_caches", {"double": double})
    for _ in range(2):
        for number in (1, 1, 2):
            double(number)
        monkeypatch.setattr(metrics, "_published_at", float("-inf"))
        metrics.publish_function_caches()
    assert value("socialsite_cache_reads_total", cache="double", result="hit") == 4
    assert value("socialsite_cache_reads_total", cache="double", result="miss") == 2


def test_exceptions_and_logged_errors_are_failures(client, monkeypatch, settings):
    def fail(*_args, **_kwargs):
        raise ValueError

    exceptions = value("socialsite_failures_total", kind="exception")
    logged = value("socialsite_failures_total", kind="logged_error")
    monkeypatch.setattr("socialsite.moderation.views.render", fail)
    client.raise_request_exception = False
    assert client.get("/about/").status_code == 500
    assert value("socialsite_failures_total", kind="exception") == exceptions + 1
    assert value("socialsite_failures_total", kind="logged_error") == logged
    logging.getLogger("feed").error("a failure")
    logging.getLogger("feed").warning("no failure")
    assert value("socialsite_failures_total", kind="logged_error") == logged + 1


def test_the_state_of_the_site_is_left_out_if_it_cannot_be_read(read_metrics, monkeypatch):
    def fail():
        raise OSError

    monkeypatch.setattr("socialsite.monitoring.exposition.delivery_backlog", fail)
    after = read_metrics()
    assert ("socialsite_pending_deliveries", ()) not in after
    assert ("socialsite_waiting_mails", ()) in after
