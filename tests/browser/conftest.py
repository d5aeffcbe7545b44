"""A real Chromium and a real server: one of each in a test process, for all tests of this folder.

Playwright keeps an event loop open in the test's thread, and Django refuses the database there; this
site has no asynchronous code, so for these tests it may not. Hence the fixtures are of this package,
not of the session: the other tests keep Django's guard.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

from accounts.models import User
from notifications.push.keys import new_private_key

from .page_errors import watch
from .site import served_site

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESK = {"width": 1280, "height": 900}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

NewContext = Callable[..., BrowserContext]


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    if result := next(filter(None, map(shutil.which, BROWSERS)), None):
        return {"executable_path": result, "args": QUIET}
    why = f"no browser here; looked for {', '.join(BROWSERS)}"
    if os.environ.get("SOCIALSITE_REQUIRE_BROWSER") == "1":
        pytest.fail(why)
    pytest.skip(why)


@pytest.fixture(scope="package")
def playwright(browser_type_launch_args: dict[str, Any]) -> Iterator[Playwright]:
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
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
    """The address of the site. Asks for the browser first: without one there is nothing to serve."""
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
    return {"base_url": base_url, "locale": "en-GB"}


@pytest.fixture
def complaints() -> list[str]:
    """What the browser complained of. A test that provokes complaints takes them out."""
    return []


@pytest.fixture
def new_context(
    clean_site: None, new_context: NewContext, base_url: str, complaints: list[str]
) -> Iterator[NewContext]:
    """Contexts that are watched: whatever the browser complains of fails the test. They are closed before
    the site is emptied: what an open page asks for then would be remembered for the next test."""

    def make(**options: Any) -> BrowserContext:
        context = new_context(**{"viewport": DESK, **options})
        context.set_default_timeout(10_000)
        watch(context, site=base_url, complaints=complaints)
        return context

    yield make
    assert complaints == []


@pytest.fixture(params=[True, False], ids=["with JavaScript", "without JavaScript"])
def either_page(request: pytest.FixtureRequest, new_context: NewContext) -> Page:
    """A page with and one without JavaScript."""
    return new_context(java_script_enabled=request.param).new_page()


@pytest.fixture
def plain_page(new_context: NewContext) -> Page:
    """A page without JavaScript."""
    return new_context(java_script_enabled=False).new_page()


@pytest.fixture
def log_in(base_url: str) -> Callable[[Page, User], None]:
    """Makes the person the viewer of this page and of its context's others."""

    def give_session(page: Page, user: User) -> None:
        client = Client()
        client.force_login(user)
        name = settings.SESSION_COOKIE_NAME
        value = client.cookies[name].value
        page.context.add_cookies([{"name": name, "value": value, "url": base_url}])

    return give_session
