"""No stream, and nobody who listens for streams, outlives a test."""

import pytest
from allauth.account.models import EmailAddress

from notifications import tasks
from notifications.live import hub as hubs
from notifications.live import page_events
from notifications.push import keys
from notifications.store import changes


@pytest.fixture
def hub(monkeypatch):
    """One of this test alone, which notices soon that it is to end."""
    monkeypatch.setattr(changes, "WAIT_MS", 100)
    # Looks come soon; and nobody waits for ever for what does not come.
    monkeypatch.setattr(page_events, "CHECK_INTERVAL_SECONDS", 0.2)
    monkeypatch.setattr(page_events, "MAX_STREAM_SECONDS", 60.0)
    own = hubs.Hub()
    monkeypatch.setattr(hubs, "_hub", own)
    yield own
    own.shut_down()


@pytest.fixture
def confirmed(alice, bob, carol):
    """Their addresses are."""
    EmailAddress.objects.bulk_create(
        EmailAddress(user=user, email=user.email, verified=True, primary=True)
        for user in (alice, bob, carol)
    )


@pytest.fixture
def web_push(settings):
    """The site sends to devices."""
    settings.WEB_PUSH_PRIVATE_KEY = keys.new_private_key()
    settings.WEB_PUSH_CONTACT = "mailto:admin@example.org"


@pytest.fixture
def asked(monkeypatch):
    """What workers are asked for, instead of asking them: (task, arguments, seconds until then)."""
    results = []

    def noting(task):
        return lambda *, kwargs, retry, countdown=0: results.append((task, kwargs, countdown))

    for task in (tasks.push, tasks.push_to_recipients):
        monkeypatch.setattr(task, "apply_async", noting(task))
    return results
