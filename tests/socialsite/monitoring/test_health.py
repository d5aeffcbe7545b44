"""Health checks in this process. ``test_health_processes.py`` has real processes and failures."""

import threading
import time
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from feed.models import Picture
from socialsite.archive.models import Archive
from socialsite.local.mongodb_uri import with_selection_timeout
from socialsite.local.ports import free_port
from socialsite.monitoring import heartbeats, readiness
from socialsite.monitoring.readiness import Check, Problem
from socialsite.monitoring.store import heartbeat_ages, record_heartbeat
from tests.feed.brokers import publishing_through


@pytest.fixture(autouse=True)
def no_cached_results():
    readiness.clear_cached_readiness()
    yield
    readiness.clear_cached_readiness()


@pytest.fixture
def beating(clean_site):
    for name in ("beat", "worker", "slow_worker", "streams"):
        record_heartbeat(name=name)


def statuses(response):
    return {name: check["status"] for name, check in response.json()["checks"].items()}


def set_age(name, seconds):
    connection.database["heartbeats"].update_one(
        {"_id": name},
        [{"$set": {"seen_at": {"$subtract": ["$$NOW", seconds * 1000]}}}],
    )


@pytest.mark.parametrize("path", ["/health", "/health/live"])
def test_live_needs_no_https_no_known_host_and_no_database(
    path, client, settings, record_commands, monkeypatch
):
    settings.SECURE_SSL_REDIRECT = True
    settings.ALLOWED_HOSTS = ["example.org"]
    with record_commands() as commands:
        response = client.get(path, headers={"host": "10.0.0.1"})
    assert (response.status_code, response.content) == (200, b"OK")
    assert commands == []


def test_live_does_not_look_for_blocked_networks(client, monkeypatch):
    def fail(**_):
        raise AssertionError

    monkeypatch.setattr("accounts.request_guards.is_network_blocked", fail)
    with pytest.raises(AssertionError):
        client.get("/about/")
    assert client.get("/health").content == b"OK"


def test_ready_lists_each_check(client, settings, beating):
    settings.SECURE_SSL_REDIRECT = True
    response = client.get("/health/ready")
    assert response.status_code == 200
    assert response.json() == {
        "status": "ok",
        "checks": {
            name: {"status": "ok"}
            for name in ("database", "migrations", "broker", "beat", "worker", "slow_worker")
        },
    }


@pytest.mark.parametrize("name", ["beat", "worker", "slow_worker"])
def test_an_old_heartbeat_fails_and_a_new_one_passes(name, client, beating):
    set_age(name, readiness.MAX_HEARTBEAT_AGE + 1)
    response = client.get("/health/ready")
    assert response.status_code == 503
    assert [key for key, status in statuses(response).items() if status == "failed"] == [name]
    readiness.clear_cached_readiness()
    record_heartbeat(name=name)
    assert client.get("/health/ready").status_code == 200


def test_a_process_that_never_ran_fails(client, clean_site):
    assert statuses(client.get("/health/ready"))["worker"] == "failed"


def test_a_missing_migration_fails(client, beating):
    migrations = connection.database["django_migrations"]
    row = migrations.find_one({"app": "feed"}, sort=[("_id", -1)])
    migrations.delete_one({"_id": row["_id"]})
    try:
        response = client.get("/health/ready")
    finally:
        migrations.insert_one(row)
    assert statuses(response)["migrations"] == "failed"


def test_an_unreachable_broker_fails_without_naming_it(client, beating):
    port = free_port()
    with publishing_through(f"redis://:s3cret@127.0.0.1:{port}/0"):
        response = client.get("/health/ready")
    assert response.status_code == 503
    assert statuses(response)["broker"] == "failed"
    for private in ("s3cret", "127.0.0.1", str(port), "redis"):
        assert private not in response.content.decode()


def test_an_unreachable_cache_fails(client, beating, settings):
    url = f"redis://127.0.0.1:{free_port()}/0"
    settings.REDIS_URL = url
    settings.CACHES = {"default": settings.SHARED_CACHE | {"LOCATION": url}}
    assert statuses(client.get("/health/ready"))["cache"] == "failed"


def test_a_reachable_cache_passes(client, beating, settings):
    settings.REDIS_URL = "redis://localhost"
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    assert statuses(client.get("/health/ready"))["cache"] == "ok"


def test_repeated_requests_share_the_results(client, beating, record_commands):
    client.get("/health/ready")
    with record_commands() as commands:
        for _ in range(5):
            assert client.get("/health/ready").status_code == 200
    assert commands == []


def test_a_check_that_hangs_has_failed_and_is_not_started_again():
    release, starts = threading.Event(), []

    def hang():
        starts.append(1)
        release.wait()

    failure = Problem("It hangs.", "Wait.")
    checks = {"hanging": Check("", hang, failure), "quick": Check("", lambda: None, failure)}
    started = time.monotonic()
    try:
        for _ in range(3):
            assert readiness.run_checks(checks, seconds=0.2) == {"hanging": failure, "quick": None}
        assert time.monotonic() - started < 10
        assert len(starts) == 1
    finally:
        release.set()


def test_beat_and_the_worker_record_heartbeats(clean_site, monkeypatch):
    monkeypatch.setattr(heartbeats, "_recorded_at", {})
    heartbeats.beat_heartbeat.delay()
    assert heartbeat_ages().keys() == {"beat"}
    heartbeats.record_worker(task=task_of_queue("celery"))
    assert heartbeat_ages().keys() == {"beat", "worker"}
    heartbeats.record_worker(task=task_of_queue("slow"))
    assert heartbeat_ages().keys() == {"beat", "worker", "slow_worker"}


def task_of_queue(name):
    """Return a task as a worker runs it that has received it from this queue."""
    return SimpleNamespace(request=SimpleNamespace(delivery_info={"routing_key": name}))


def test_the_worker_of_slow_jobs_may_work_on_one_for_long(client, alice, beating):
    set_age("slow_worker", readiness.MAX_HEARTBEAT_AGE + 1)
    archive = Archive.objects.create(owner=alice.pk, kind="import", state="running")
    assert statuses(client.get("/health/ready"))["slow_worker"] == "ok"
    readiness.clear_cached_readiness()
    archive.heartbeat_at -= timedelta(minutes=5)
    archive.save()
    assert statuses(client.get("/health/ready"))["slow_worker"] == "failed"
    readiness.clear_cached_readiness()
    clip = {"owner": alice.pk, "name": "0" * 32, "width": 0, "height": 0, "state": "processing"}
    due_at = timezone.now() + timedelta(seconds=50)
    Picture.objects.create(**clip, attempts=1, due_at=due_at)
    assert statuses(client.get("/health/ready"))["slow_worker"] == "ok"


def test_beat_sends_heartbeats_to_both_queues(settings):
    entries = settings.CELERY_BEAT_SCHEDULE.values()
    task = heartbeats.beat_heartbeat.name
    queues = [entry["options"].get("queue") for entry in entries if entry["task"] == task]
    assert queues == [None, settings.SLOW_QUEUE]


def test_a_worker_process_records_few_heartbeats(clean_site, monkeypatch, record_commands):
    monkeypatch.setattr(heartbeats, "_recorded_at", {})
    with record_commands() as commands:
        for _ in range(100):
            heartbeats.record_worker(task=task_of_queue("celery"))
    assert len(commands) == 1


def check_site():
    """Return the exit code and the output of ``manage.py check_site``."""
    from io import StringIO

    output, code = StringIO(), 0
    try:
        call_command("check_site", stdout=output)
    except SystemExit as stop:
        code = stop.code
    return code, output.getvalue()


@pytest.fixture
def good_settings(settings, monkeypatch, tmp_path):
    settings.SITE_URL, settings.HTTPS = "https://example.org", True
    settings.ALLOWED_HOSTS = ["example.org"]
    settings.DEFAULT_FROM_EMAIL = "Example <noreply@example.org>"
    settings.CLIPS_ENABLED = False
    settings.WEB_PUSH_PRIVATE_KEY = "key"
    monkeypatch.setattr("socialsite.monitoring.site_checks.UNSENT_MAIL_BACKENDS", ())
    monkeypatch.setattr("socialsite.monitoring.site_checks.MIN_FREE_BYTES", 0)
    monkeypatch.setattr("socialsite.management.commands.check_site.setting_problems", list)


def test_check_site_finds_no_problem(good_settings, beating):
    code, output = check_site()
    assert (code, output.splitlines()[-1]) == (0, "0 problems"), output
    assert "OK       A worker runs jobs." in output


def test_check_site_finds_a_stopped_streams_process(good_settings, beating, settings):
    set_age("streams", readiness.MAX_HEARTBEAT_AGE + 1)
    code, output = check_site()
    assert (code, output.splitlines()[-1]) == (1, "1 problem"), output
    assert "The streams process does not run" in output
    settings.LIVE_MAX_STREAMS = 0
    assert check_site()[0] == 0


CHANGES = {
    "SITE_URL is not": {"SITE_URL": "http://127.0.0.1:8000"},
    "do not fit": {"SITE_URL": "http://example.org"},
    "lacks the host": {"ALLOWED_HOSTS": ["other.example"]},
    "sender": {"DEFAULT_FROM_EMAIL": "noreply@localhost"},
    "Web push is off": {"WEB_PUSH_PRIVATE_KEY": ""},
    "collectstatic": {"STATIC_ROOT": "/nowhere"},
}


@pytest.mark.parametrize("words", CHANGES)
def test_check_site_prints_a_problem_with_a_fix(words, good_settings, beating, settings):
    for name, value in CHANGES[words].items():
        setattr(settings, name, value)
    code, output = check_site()
    assert (code, output.splitlines()[-1]) == (1, "1 problem"), output
    assert words in output


def test_check_site_notices_that_ffmpeg_is_not_confined(
    good_settings, beating, settings, monkeypatch
):
    settings.CLIPS_ENABLED = True
    monkeypatch.setattr("shutil.which", lambda name: name)
    monkeypatch.setattr("feed.sandbox.landlock_version", lambda: 1)
    assert check_site()[0] == 0
    monkeypatch.setattr("feed.sandbox.landlock_version", lambda: -1)
    code, output = check_site()
    assert (code, output.splitlines()[-1]) == (1, "1 problem"), output
    assert "no Landlock" in output


def test_check_site_needs_a_mail_server(good_settings, beating, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    code, output = check_site()
    assert code == 1
    assert "The mail server cannot be reached" in output


def test_check_site_counts_problems_of_different_kinds(good_settings, clean_site):
    code, output = check_site()
    assert (code, output.splitlines()[-1]) == (1, "4 problems")  # no other process runs
    assert "celery -A socialsite beat" in output


def test_check_site_prints_the_findings_of_djangos_checks(settings, beating):
    settings.FEED_STRATEGY = "magic"
    code, output = check_site()
    assert code == 1
    assert "FEED_STRATEGY is 'magic'." in output


def test_check_site_survives_a_database_that_is_down(good_settings, monkeypatch):
    def unreachable():
        raise OSError

    monkeypatch.setattr(readiness, "check_write", unreachable)
    code, output = check_site()
    assert code == 1
    assert "The database does not accept writes." in output


# The MongoDB transport does not close its client after a failed connection.
@pytest.mark.filterwarnings("ignore:Unclosed MongoClient:ResourceWarning")
def test_the_broker_of_the_database_is_checked_too(client, beating):
    url = with_selection_timeout(f"mongodb://127.0.0.1:{free_port()}/jobs", milliseconds=300)
    with publishing_through(url):
        assert statuses(client.get("/health/ready"))["broker"] == "failed"
        # Its client must not be collected during another test.
        readiness._running["broker"].join()
