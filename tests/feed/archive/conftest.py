"""Archives over HTTP, with a worker by hand."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from feed.archive import tasks
from feed.models import Archive

FOLDER = Path(settings.DATA_DIR) / "media" / "archives"


@pytest.fixture
def asked_for_archives(monkeypatch):
    """What workers are asked for, in order, instead of asking them: (task, arguments)."""
    results = []
    for task in (tasks.export_archive, tasks.import_archive):
        monkeypatch.setattr(
            task, "apply_async", lambda *, kwargs, retry, task=task: results.append((task, kwargs))
        )
    return results


@pytest.fixture
def work(asked_for_archives):
    """Do what workers are asked for."""

    def work():
        while asked_for_archives:
            task, arguments = asked_for_archives.pop(0)
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


def silent_for_a_minute():
    """Whoever worked on an archive has not been heard of since."""
    Archive.objects.update(heartbeat_at=timezone.now() - timedelta(seconds=61))
