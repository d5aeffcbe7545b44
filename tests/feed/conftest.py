"""Fixtures for what workers do."""

import pytest

from feed import tasks

from .picture_uploads import FOLDER

TASKS = (
    tasks.deliver_post,
    tasks.deliver_priority,
    tasks.deliver_part,
    tasks.build_inbox,
    tasks.drop_dormant,
    tasks.clean_up_post,
    tasks.clean_up_comment,
)


@pytest.fixture
def asked(monkeypatch):
    """What workers are asked for, in order, instead of asking them: (name, arguments)."""
    results = []

    def noting(name):
        return lambda *, kwargs, retry: results.append((name, kwargs))

    for task in TASKS:
        monkeypatch.setattr(task, "apply_async", noting(task.name.rpartition(".")[2]))
    return results


@pytest.fixture
def for_workers(settings):
    """More than one follower is work for workers; what stopped is due at once."""
    settings.FEED_INLINE_AUDIENCE_LIMIT = 1
    settings.FEED_STALLED_SECONDS = 0


@pytest.fixture
def no_pictures():
    """None before the test, and none after it."""

    def clear():
        for file in FOLDER.glob("*"):
            file.unlink()

    clear()
    yield
    clear()
