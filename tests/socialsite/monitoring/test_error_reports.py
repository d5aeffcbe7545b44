"""Error reports: a real server receives them, and they contain no personal data."""

import socket

import pytest
import sentry_sdk

from socialsite.celery import app
from socialsite.monitoring import failures
from tests.feed.workers import Worker, wait_until
from tests.socialsite.monitoring.receiver import report_server

PRIVATE = "private-text"


@pytest.fixture
def reports(settings):
    with report_server() as server:
        settings.SENTRY_DSN = server.dsn
        failures.start_reports()
        yield server
        sentry_sdk.get_client().close()
        sentry_sdk.Scope.get_global_scope().set_client(None)


def fail(*_args, **_kwargs):
    secret = PRIVATE  # a local variable, which some services would get
    raise ValueError(f"{secret} of alice@example.com")


@app.task(name="tests.failing_task")
def failing_task(text):
    fail(text)


def assert_is_minimal(server, *, where):
    sentry_sdk.flush(timeout=2)
    (event,) = server.events()
    assert event.keys() <= {
        "event_id", "timestamp", "platform", "level", "transaction", "exception",
    }  # fmt: skip
    assert event["transaction"] == where
    (error,) = event["exception"]["values"]
    assert error.keys() == {"type", "module", "stacktrace"}
    assert error["type"] == "ValueError"
    frame = error["stacktrace"]["frames"][-1]
    assert frame["function"] == "fail"
    assert frame.keys() <= set(failures.FRAME_FIELDS)
    sent = "\n".join(server.received)
    for private in (
        PRIVATE, "alice", "sessionid", "csrf", "Cookie", "user", "secret-agent",
        "192.0.2.7", "query-text", socket.gethostname(), "tests.example",
    ):  # fmt: skip
        assert private not in sent.replace("User-Agent: sentry", ""), private


def test_the_report_of_a_failed_request_has_no_personal_data(client, alice, monkeypatch, reports):
    monkeypatch.setattr("accounts.views.login.log_in", fail)
    monkeypatch.setattr("socialsite.moderation.views.render", fail)
    client.force_login(alice)
    client.raise_request_exception = False
    response = client.get(
        f"/about/?q=query-text-{PRIVATE}",
        headers={"User-Agent": "secret-agent", "Host": "tests.example"},
        REMOTE_ADDR="192.0.2.7",
    )
    assert response.status_code == 500
    assert_is_minimal(reports, where="about")


def test_the_report_of_a_failed_task_has_no_personal_data(reports):
    failing_task.apply(args=[PRIVATE])
    assert_is_minimal(reports, where="tests.failing_task")


def test_logged_errors_are_not_reported(reports, alice, client):
    import logging

    logging.getLogger("feed").error("%s", PRIVATE)
    sentry_sdk.flush(timeout=2)
    assert reports.received == []


def test_nothing_is_sent_without_the_setting(client, monkeypatch, settings):
    with report_server() as server:
        settings.SENTRY_DSN = ""
        failures.start_reports()
        monkeypatch.setattr("socialsite.moderation.views.render", fail)
        client.raise_request_exception = False
        client.get("/about/")
        sentry_sdk.flush(timeout=2)
        assert server.received == []
    assert not sentry_sdk.get_client().is_active()


def test_requests_to_other_sites_get_no_headers(reports):
    import requests

    requests.post(f"http://127.0.0.1:{reports.server_port}/other", data="{}", timeout=5)
    (received,) = reports.received
    assert "sentry-trace" not in received
    assert "baggage" not in received


@pytest.mark.slow
def test_a_real_worker_reports_a_failed_task_without_its_arguments(clean_site, tmp_path):
    with report_server() as server, Worker(tmp_path, beat=False, SENTRY_DSN=server.dsn) as worker:
        app.send_task("feed.tasks.build_inbox", kwargs={"unknown": PRIVATE})
        wait_until(lambda: server.events(), worker=worker)
        (event,) = server.events()
    assert event["transaction"] == "feed.tasks.build_inbox"
    assert event["exception"]["values"][0]["type"] == "TypeError"
    sent = "\n".join(server.received)
    for private in (PRIVATE, "unknown", socket.gethostname()):
        assert private not in sent
