"""Fixtures for all tests: an empty site, the usual users, and a log of database commands."""

import gc
import math
from collections.abc import Callable, Generator, Iterator
from ipaddress import ip_address
from typing import Any

import pytest
import xdist
from django.apps import apps
from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.cache import cache, caches
from django.db import connection
from django.test.utils import setup_databases, teardown_databases
from django.utils import translation
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_django import DjangoDbBlocker
from pytest_django.plugin import blocking_manager_key

from accounts import middleware, user_cards
from accounts.brand import current
from accounts.models import User
from accounts.selectors import access_tokens, blocklists
from feed.selectors import user_counts
from feed.timeline import selection
from notifications.services import boxes
from socialsite.moderation import decisions
from tests import quick_client
from tests.database import (
    command_log,
    reset_database,
    reset_process_caches,
    watch_processes,
)
from tests.factories import USUAL_USERS, usual_user
from tests.feed.brokers import Redis
from tests.static_files import collect_once, find_once
from tests.template_lookups import check_templates

quick_client.install()

COMMAND_BUDGET = 250
"""Maximum number of database commands of a test and its fixtures, unless the test is marked ``slow``."""

# The duration of an example says something about the machine, and nothing about the site.
hypothesis_settings.register_profile(
    "tests", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.load_profile("tests")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    command_log.start_count()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that sends more than ``COMMAND_BUDGET`` database commands and is not marked ``slow``."""
    outcome = yield
    sent = command_log.count
    if sent > COMMAND_BUDGET and not item.get_closest_marker("slow"):
        pytest.fail(
            f"This test sent {sent} database commands, the budget is {COMMAND_BUDGET}. Restore what it"
            " needs from a world (tests/worlds.py), insert in bulk, or mark it slow.",
            pytrace=False,
        )
    return outcome


@pytest.fixture
def record_commands(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """Return a context manager that collects (name, command document) pairs.

    Usage: ``with record_commands() as commands:``. The fixture makes the number of commands independent
    of the machine and of earlier tests. Caches that normally expire after seconds last for the whole test.
    Work that is only done for the first page of a process or user is disabled or done in advance.
    """
    ContentType.objects.get_for_models(*apps.get_models(), for_concrete_models=False)
    for module in (blocklists, current, access_tokens, selection):
        monkeypatch.setattr(module, "CACHE_SECONDS", 3600.0)
    monkeypatch.setattr(user_cards, "FRESH_SECONDS", 3600.0)
    monkeypatch.setattr(user_counts, "PROCESS_SECONDS", 3600.0)
    reset_process_caches()  # what other fixtures have cached expires earlier
    current.current_brand()
    blocklists.is_network_blocked(address=ip_address("127.0.0.1"))
    selection.used_strategies()
    cache.get("any")  # creates the index of the cache
    monkeypatch.setattr(boxes, "PRESENCE_INTERVAL_SECONDS", math.inf)
    monkeypatch.setattr(decisions, "_announcements", (math.inf, []))
    monkeypatch.setattr(middleware, "RECORD_INTERVAL_SECONDS", math.inf)
    return command_log.record


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    """Prepare the database, the static files and the heap of the test process.

    This hook runs before the first test, so the preparation does not count as time of that test. The
    heap is frozen so that the garbage collector does not repeatedly scan the half million objects of
    Django and pytest. Until then, ``plugin.py`` keeps the collector off for the same reason.
    """
    if xdist.is_xdist_controller(session) or session.config.option.collectonly:
        gc.enable()
        return (yield)
    check_templates()
    with session.config.stash[blocking_manager_key].unblock():
        databases = setup_databases(verbosity=0, interactive=False, aliases=["default"])
        collect_once(settings.STATIC_ROOT.resolve())
        find_once()
    watch_processes()
    gc.collect()
    gc.freeze()
    gc.enable()
    try:
        return (yield)
    finally:
        with session.config.stash[blocking_manager_key].unblock():
            teardown_databases(databases, verbosity=0)


@pytest.fixture(scope="session")
def django_db_setup() -> None:
    """Replace pytest-django's fixture, because ``pytest_runtestloop`` has set up the database."""


@pytest.fixture(autouse=True)
def clean_site(django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Empty the site before every test.

    A reset before the test also deletes late writes of the previous test, for example by a thread or
    server that is still running. ``flush``, which pytest-django calls, takes ten times as long, because
    it writes all permissions again.
    """
    with django_db_blocker.unblock():
        with command_log.uncounted():
            reset_database()
        reset_process_caches()
        yield


@pytest.fixture(autouse=True)
def default_language() -> None:
    """Forget the language of the last request of the previous test."""
    translation.deactivate()


@pytest.fixture
def short_transactions(clean_site: None) -> Iterator[None]:
    """Let the server abort the transactions of killed processes after a few seconds, to save time."""
    name, admin = "transactionLifetimeLimitSeconds", connection.database.client.admin
    original = admin.command("getParameter", 1, **{name: 1})[name]
    admin.command("setParameter", 1, **{name: 3})
    yield
    admin.command("setParameter", 1, **{name: original})


@pytest.fixture(scope="session")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    """Return a running Redis server."""
    server = Redis(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(params=["collection", pytest.param("redis", marks=pytest.mark.slow)])
def every_cache(request: pytest.FixtureRequest, clean_site: None) -> None:
    """Run the test with the cache in MongoDB, and in the slow tier also with Redis."""
    if request.param == "redis":
        cache = settings.SHARED_CACHE | {"LOCATION": request.getfixturevalue("redis").url}
        request.getfixturevalue("settings").CACHES = {"default": cache, "cards": cache}
        caches["default"].clear()


@pytest.fixture
def db(clean_site: None) -> None:
    """Replace pytest-django's fixture, because ``clean_site`` gives every test the database.

    pytest-django's fixture would flush the database after the test, because Django has no transactions
    for this database. A flush writes all permissions again, with new ids. Roles in worlds that were built
    earlier (``tests/worlds.py``) would then point to missing permissions.
    """


@pytest.fixture
def transactional_db(clean_site: None) -> None:
    """Replace pytest-django's fixture for the same reason as ``db``."""


@pytest.fixture
def usual_users(clean_site: None, request: pytest.FixtureRequest) -> dict[str, User]:
    """Insert the usual users whose fixtures the test requests. Return these users by fixture name.

    The cost is one database command.
    """
    names = [name for name in request.fixturenames if name in USUAL_USERS]
    users = User.objects.bulk_create(usual_user(name) for name in names)
    return dict(zip(names, users, strict=True))


@pytest.fixture
def alice(usual_users: dict[str, User]) -> User:
    return usual_users["alice"]


@pytest.fixture
def bob(usual_users: dict[str, User]) -> User:
    return usual_users["bob"]


@pytest.fixture
def carol(usual_users: dict[str, User]) -> User:
    return usual_users["carol"]


@pytest.fixture
def admin_user(usual_users: dict[str, User]) -> User:
    return usual_users["admin_user"]
