"""Fixtures for notifications. Streams and their threads end with each test."""

import pytest
from allauth.account.models import EmailAddress

from notifications import tasks
from notifications.push import keys
from tests.notifications.stream_server import running_server


@pytest.fixture
def server(monkeypatch):
    """A streams process in a thread of this test."""
    with running_server(monkeypatch) as server:
        yield server


@pytest.fixture
def confirmed(alice, bob, carol):
    """The mail addresses of the users are confirmed."""
    EmailAddress.objects.bulk_create(
        EmailAddress(user=user, email=user.email, verified=True, primary=True)
        for user in (alice, bob, carol)
    )


@pytest.fixture
def web_push(settings):
    """The site sends Web Push messages to devices."""
    settings.WEB_PUSH_PRIVATE_KEY = keys.new_private_key()
    settings.WEB_PUSH_CONTACT = "mailto:admin@example.org"


@pytest.fixture
def queued_tasks(monkeypatch):
    """A list of queued push tasks as ``(task, arguments, delay in seconds)``. The tasks do not run."""
    tasks_and_delays = []

    def record(task):
        return lambda *, kwargs, retry, countdown=0: tasks_and_delays.append(
            (task, kwargs, countdown)
        )

    for task in (tasks.push, tasks.push_to_recipients):
        monkeypatch.setattr(task, "apply_async", record(task))
    return tasks_and_delays
