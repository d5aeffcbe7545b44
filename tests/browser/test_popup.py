"""Log-in through an app's pop-up. The pop-up has to keep access to the page that opened it."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from accounts.services.apps import register_app
from tests.factories import PASSWORD

from .conftest import NewContext

PAGES = {
    "/app": """<!doctype html><title>App</title><link rel="icon" href="data:,"><p id="code"></p>
        <script>addEventListener("message", (event) => { code.textContent = event.data; });</script>""",
    "/back": """<!doctype html><title>Back</title><link rel="icon" href="data:,">
        <script>
          opener.postMessage(new URLSearchParams(location.search).get("code"), "*");
          close();
        </script>""",
}


class App(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        content = PAGES[self.path.partition("?")[0]].encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Keep requests out of the output of the tests."""


@pytest.fixture
def app_site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), App)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def open_pop_up(page: Page, *, base_url: str, app_site: str) -> Page:
    redirect_uri = f"{app_site}/back"
    app, _secret = register_app(
        name="An app",
        redirect_uris=[redirect_uri],
        scopes="read",
        website="",
        client_network="127.0.0.1",
    )
    query = {
        "response_type": "code",
        "client_id": app.client_id,
        "redirect_uri": redirect_uri,
        "scope": "read",
    }
    page.goto(f"{app_site}/app")
    with page.expect_popup() as opened:
        page.evaluate(
            "(url) => { open(url, 'log-in', 'popup') }",
            f"{base_url}/oauth/authorize?{urlencode(query)}",
        )
    return opened.value


def test_a_pop_up_sends_the_code_to_the_app_after_a_log_in(
    new_context: NewContext, alice: User, base_url: str, app_site: str, complaints: list[str]
) -> None:
    page = new_context().new_page()
    pop_up = open_pop_up(page, base_url=base_url, app_site=app_site)
    pop_up.locator("#id_login").fill("alice")
    pop_up.locator("#id_password").fill(PASSWORD)
    pop_up.get_by_role("button", name="Log in").click()
    pop_up.get_by_role("button", name="Authorize").click()
    expect(page.locator("#code")).not_to_be_empty()
    complaints[:] = [complaint for complaint in complaints if app_site not in complaint]


def test_a_pop_up_sends_the_code_to_the_app_after_the_password(
    new_context: NewContext,
    alice: User,
    log_in,
    base_url: str,
    app_site: str,
    complaints: list[str],
) -> None:
    page = new_context().new_page()
    log_in(page, alice)
    pop_up = open_pop_up(page, base_url=base_url, app_site=app_site)
    pop_up.locator("#id_password").fill(PASSWORD)
    pop_up.get_by_role("button", name="Continue").click()
    pop_up.get_by_role("button", name="Authorize").click()
    expect(page.locator("#code")).not_to_be_empty()
    complaints[:] = [complaint for complaint in complaints if app_site not in complaint]
