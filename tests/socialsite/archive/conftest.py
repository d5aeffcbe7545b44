"""Fixtures and helpers for the tests of archives."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from socialsite.archive import tasks
from socialsite.archive.models import Archive
from tests.feed.conftest import (  # noqa: F401 - an archive needs what the tests of posts need
    asked,
    certain_seals,
    for_workers,
    needs_ffmpeg,
    no_pictures,
    remembers_conversions,
)

FOLDER = Path(settings.DATA_DIR) / "media" / "archives"


@pytest.fixture
def enqueued_archive_tasks(monkeypatch):
    """Collect enqueued archive tasks as ``(task, arguments)`` instead of running the tasks."""
    results = []
    for task in (tasks.export_archive, tasks.import_archive):
        monkeypatch.setattr(
            task, "apply_async", lambda *, kwargs, retry, task=task: results.append((task, kwargs))
        )
    return results


@pytest.fixture
def work(enqueued_archive_tasks):
    """Return a function that runs all enqueued archive tasks."""

    def work():
        while enqueued_archive_tasks:
            task, arguments = enqueued_archive_tasks.pop(0)
            task(**arguments)

    return work


@pytest.fixture
def no_archives():
    def clear():
        for file in FOLDER.glob("*"):
            file.unlink()

    clear()
    yield
    clear()


@pytest.fixture
def send(client):
    def send(content, name="archive.zip"):
        file = SimpleUploadedFile(name, content, content_type="application/zip")
        return client.post("/settings/privacy/data/import/", {"archive": file})

    return send


def stored():
    return sorted(file.name for file in FOLDER.glob("*"))


def expire_heartbeats():
    """Make every heartbeat 61 seconds old, so that all workers are considered dead."""
    Archive.objects.update(heartbeat_at=timezone.now() - timedelta(seconds=61))
