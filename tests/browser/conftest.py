"""Fixtures for browser tests: each test process starts one Chromium and one server for all tests.

Playwright keeps an event loop open in the thread of the test, and Django rejects database access in such a
thread. The site has no asynchronous code, so the browser tests disable this check of Django. The fixtures
have package scope, so that the check stays enabled for all other tests.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from accounts.models import User
from notifications.push.keys import new_private_key

from .page_errors import watch
from .site import served_site

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
LAUNCH_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

NewContext = Callable[..., BrowserContext]

PATIENCE = 30_000
"""How long a test waits for a page or an expectation, in milliseconds. Busy machines are slow."""


def browser_path(*names: str) -> str:
    """Return the path of the first browser that is installed.

    Without one, skip the test, or fail it where ``SOCIALSITE_REQUIRE_BROWSER`` is 1.
    """
    if path := next(filter(None, map(shutil.which, names)), None):
        return path
    reason = f"no browser here; looked for {', '.join(names)}"
    if os.environ.get("SOCIALSITE_REQUIRE_BROWSER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    return {"executable_path": browser_path(*BROWSERS), "args": LAUNCH_ARGUMENTS}


@pytest.fixture(scope="package")
def playwright(browser_type_launch_args: dict[str, Any]) -> Iterator[Playwright]:
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as running:
        yield running
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="package")
def browser(playwright: Playwright, browser_type_launch_args: dict[str, Any]) -> Iterator[Browser]:
    browser = playwright.chromium.launch(**browser_type_launch_args)
    yield browser
    browser.close()


@pytest.fixture(scope="package")
def base_url(browser_type_launch_args: dict[str, Any]) -> Iterator[str]:
    """Start the site and return its URL.

    The fixture requires the browser, so that no server starts if the tests are skipped.
    """
    database = connection.settings_dict["NAME"]
    environment = {
        "WEB_PUSH_PRIVATE_KEY": new_private_key(),
        "WEB_PUSH_CONTACT": "mailto:admin@example.org",
        "STATS_FLUSH_SECONDS": "0.2",
    }
    with served_site(database=database, data_dir=settings.DATA_DIR, **environment) as address:
        yield address


@pytest.fixture(scope="package")
def browser_context_args(base_url: str) -> dict[str, Any]:
    return {"base_url": base_url}


@pytest.fixture
def complaints() -> list[str]:
    """Return the list of browser errors. A test that expects errors removes these errors from the list."""
    return []


@pytest.fixture
def new_context(
    clean_site: None, new_context: NewContext, base_url: str, complaints: list[str]
) -> Iterator[NewContext]:
    """Return a function that opens browser contexts. Any browser error fails the test.

    The contexts are closed before the site is emptied for the next test. Otherwise requests of open pages
    would fill the server's caches with outdated data. ``site`` is the URL of a site that the test started
    itself.
    """

    def create_context(*, site: str = base_url, **options: Any) -> BrowserContext:
        context = new_context(**{"viewport": DESKTOP, "locale": "en-GB", **options})
        context.set_default_timeout(PATIENCE)
        watch(context, site=site, complaints=complaints)
        return context

    yield create_context
    assert complaints == []


@pytest.fixture(params=[True, False], ids=["with JavaScript", "without JavaScript"])
def either_page(request: pytest.FixtureRequest, new_context: NewContext) -> Page:
    """Return a page. The test runs twice, with and without JavaScript."""
    return new_context(java_script_enabled=request.param).new_page()


@pytest.fixture
def plain_page(new_context: NewContext) -> Page:
    """Return a page without JavaScript."""
    return new_context(java_script_enabled=False).new_page()


@pytest.fixture
def log_in(base_url: str) -> Callable[[Page, User], None]:
    """Return a function that logs a user in on a page and on all other pages of the page's context."""

    def set_session_cookie(page: Page, user: User) -> None:
        client = Client()
        client.force_login(user)
        name = settings.SESSION_COOKIE_NAME
        value = client.cookies[name].value
        page.context.add_cookies([{"name": name, "value": value, "url": base_url}])

    return set_session_cookie
