"""Fixtures for all tests: a clean site, its people, and a log of what the database was asked."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pymongo.monitoring
import pytest
from django.core.cache import caches
from django.core.management import call_command
from django.db import connection

from accounts import user_cards
from accounts.models import User
from feed.strategies import chosen
from tests.factories import UserFactory

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
def record_commands() -> Callable[[], Any]:
    """``with record_commands() as commands:`` collects (name, command document) pairs."""
    return _command_log.record


@pytest.fixture(scope="session", autouse=True)
def static_files() -> None:
    """Hashed and compressed, as the site serves them."""
    call_command("collectstatic", interactive=False, verbosity=0)


@pytest.fixture(autouse=True)
def clean_site(db: None) -> Iterator[None]:
    """An empty site for every test. Django's own rollback does nothing on this database."""
    _forget()
    yield
    _forget()
    database = connection.database
    for name in database.list_collection_names(filter={"type": "collection"}):
        if name not in KEPT and not name.startswith("system."):
            database[name].delete_many({})


def _forget() -> None:
    user_cards.forget_all()
    chosen.forget()
    for cache in caches.all(initialized_only=True):
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
