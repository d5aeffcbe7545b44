"""Fixtures for tasks, pictures and the search."""

import pytest

from feed import tasks
from feed.timeline.strategies import buckets
from tests.clips import remember_conversions, require_ffmpeg
from tests.uploads import emptied

from .picture_uploads import FOLDER

TASKS = (
    tasks.deliver_post,
    tasks.deliver_priority,
    tasks.deliver_part,
    tasks.build_inbox,
    tasks.drop_dormant,
    tasks.clean_up_post,
    tasks.clean_up_comment,
    tasks.clean_up_pictures,
    tasks.correct_numbers,
    tasks.end_poll,
    tasks.process_clip,
)


@pytest.fixture(autouse=True)
def certain_seals(monkeypatch):
    """Look for full heads after every delivery, so that no test depends on chance."""
    monkeypatch.setattr(buckets, "PROBE_INTERVAL", 1)


@pytest.fixture
def asked(monkeypatch):
    """Collect enqueued tasks as ``(name, arguments)`` instead of running the tasks."""
    results = []

    def record_as(name):
        return lambda *, kwargs, retry: results.append((name, kwargs))

    for task in TASKS:
        monkeypatch.setattr(task, "apply_async", record_as(task.name.rpartition(".")[2]))
    return results


@pytest.fixture
def for_workers(settings):
    """Let workers deliver posts with more than one recipient, and resume stalled deliveries at once."""
    settings.FEED_INLINE_AUDIENCE_LIMIT = 1
    settings.FEED_STALLED_SECONDS = 0


@pytest.fixture
def no_pictures():
    """Delete all files of pictures and clips before and after the test."""
    with emptied(FOLDER, FOLDER.parent / "uploads"):
        yield


@pytest.fixture
def needs_ffmpeg():
    require_ffmpeg()


@pytest.fixture
def remembers_conversions(needs_ffmpeg):
    """Convert each file once in a test run."""
    with remember_conversions():
        yield


@pytest.fixture
def search(client):
    """Return a function that requests the search page."""

    def run_search(q, kind="", **more):
        return client.get("/search/", {"q": q, "type": kind, **more})

    return run_search
