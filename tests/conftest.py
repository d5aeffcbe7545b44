"""Fixtures for all tests: a clean site, its people, and a log of what the database was asked."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any

import pymongo.monitoring
import pytest
from django.conf import settings
from django.core.cache import caches
from django.test.utils import setup_databases, teardown_databases
from pytest_django import DjangoDbBlocker

from accounts import session_activity, user_cards
from accounts.models import User
from accounts.selectors import guards
from feed.strategies import chosen
from notifications.services import presence
from socialsite.engine.cache import MongoCache
from socialsite.moderation import decisions
from tests.emptying import empty_the_database
from tests.factories import UserFactory
from tests.static_files import collect_once, find_once

KEPT = {"django_migrations", "django_content_type", "auth_permission", "node_leases"}


class CommandLog(pymongo.monitoring.CommandListener):
    """Every command that any client of this process sends."""

    def __init__(self) -> None:
        self.recorded: list[list[tuple[str, dict[str, Any]]]] = []

    def started(self, event: Any) -> None:
        for log in self.recorded:
            log.append((event.command_name, dict(event.command)))

    def succeeded(self, event: Any) -> None:
        pass

    def failed(self, event: Any) -> None:
        pass

    @contextmanager
    def record(self) -> Iterator[list[tuple[str, dict[str, Any]]]]:
        log: list[tuple[str, dict[str, Any]]] = []
        self.recorded.append(log)
        try:
            yield log
        finally:
            self.recorded = [other for other in self.recorded if other is not log]


_command_log = CommandLog()
# Before the first client is made: a listener hears only those that come after it.
pymongo.monitoring.register(_command_log)


@pytest.fixture
def record_commands(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """``with record_commands() as commands:`` collects (name, command document) pairs.

    A card is kept as long as the test lasts: on a slow machine a page may take longer than its second.
    And the first page of somebody does what all others do: that they are here is not noted, and who is
    shut out and what the site announces is known.
    """
    monkeypatch.setattr(guards, "FRESH_SECONDS", 3600.0)
    guards.is_shut_out(address=ip_address("127.0.0.1"))
    monkeypatch.setattr(user_cards, "FRESH_SECONDS", 3600.0)
    monkeypatch.setattr(presence, "EVERY_SECONDS", math.inf)
    monkeypatch.setattr(decisions, "_announcements", (math.inf, []))
    monkeypatch.setattr(session_activity, "EVERY_SECONDS", math.inf)
    return _command_log.record


@pytest.fixture
def nothing_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    """For counting commands: without what a process asks again every few seconds, whatever it shows."""
    monkeypatch.setattr(chosen, "FRESH_SECONDS", 3600.0)


@pytest.fixture(scope="session", autouse=True)
def static_files() -> None:
    """Hashed and compressed, as the site serves them."""
    collect_once(settings.STATIC_ROOT.resolve())
    find_once()


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """The test database. pytest-django's own makes none unless a test asks for its ``db``."""
    with django_db_blocker.unblock():
        made = setup_databases(verbosity=0, interactive=False, aliases=["default"])
    yield
    with django_db_blocker.unblock():
        teardown_databases(made, verbosity=0)


@pytest.fixture(autouse=True)
def clean_site(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """An empty site for every test.

    Not pytest-django's ``db``: Django has no rollback on this database and would ``flush`` it, which
    writes all permissions anew and takes ten times as long.
    """
    with django_db_blocker.unblock():
        yield
        _forget()
        empty_the_database(but=KEPT)


def _forget() -> None:
    user_cards.forget_all()
    chosen.forget()
    decisions.forget_announcements()
    guards.forget_networks()
    for cache in caches.all(initialized_only=True):
        if not isinstance(cache, MongoCache):  # that is in the database, which is emptied anyway
            cache.clear()


@pytest.fixture
def alice(clean_site: None) -> User:
    return UserFactory(username="alice", display_name="Alice Adams")


@pytest.fixture
def bob(clean_site: None) -> User:
    return UserFactory(username="bob", display_name="Bob Brown")


@pytest.fixture
def carol(clean_site: None) -> User:
    return UserFactory(username="carol", display_name="Carol Clark")


@pytest.fixture
def admin_user(clean_site: None) -> User:
    return UserFactory(username="root_admin", is_staff=True, is_superuser=True)
