"""The site can be installed, and shows pages without a connection."""

import json

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from accounts.services.sessions import end_sessions
from tests.factories import PASSWORD, follow, publish

LOG_OUT = """document.querySelector('[formaction="/accounts/logout/"]').click()"""
LOG_OUT_OF_ADMIN = """() => {
  const { form } = document.querySelector('[formaction="/accounts/logout/"]');
  form.setAttribute("action", "/admin/logout/");
  form.submit();
}"""
ICON_SIZES = """urls => Promise.all(urls.map(async (url) => {
  const icon = new Image();
  icon.src = url;
  await icon.decode();
  return `${icon.naturalWidth}x${icon.naturalHeight}`;
}))"""
SAVED = "caches.has('home').then((has) => has && caches.match('/', { cacheName: 'home' })).then(Boolean)"


def visit(page: Page, path: str = "/") -> None:
    """Open a page that the worker handles. The first page of a browser only registers the worker."""
    page.goto("/public/")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.goto(path)
    assert page.evaluate("Boolean(navigator.serviceWorker.controller)")


def read_home(page: Page, user: User, log_in) -> None:
    """Open the home page of a user, and wait until the worker has saved it."""
    log_in(page, user)
    visit(page)
    page.wait_for_function(SAVED)


def test_the_site_is_installable(page: Page) -> None:
    """The browser reads the manifest and its icons, and the worker controls the first page of the app.

    Each version of Chromium has its own list of further conditions, and headless Chromium has none.
    """
    visit(page)
    manifest = page.context.new_cdp_session(page).send("Page.getAppManifest")
    assert manifest["url"].endswith("/manifest.webmanifest")
    assert manifest["errors"] == []
    app = json.loads(manifest["data"])
    assert (app["start_url"], app["scope"], app["display"]) == ("/", "/", "standalone")
    sizes = [icon["sizes"] for icon in app["icons"]]
    assert {"192x192", "512x512"} <= set(sizes)
    assert page.evaluate(ICON_SIZES, [icon["src"] for icon in app["icons"]]) == sizes


def test_other_pages_show_the_offline_page(page: Page) -> None:
    visit(page)
    page.context.set_offline(True)
    page.goto("/explore/")
    expect(page.get_by_role("heading", name="You are offline")).to_be_visible()
    expect(page.get_by_role("link", name="Read the saved home page")).to_be_hidden()
    color = "getComputedStyle(document.querySelector('.button.primary')).backgroundColor"
    assert page.evaluate(color) == "rgb(13, 107, 87)", "the stylesheet is stored"
    page.context.set_offline(False)
    page.get_by_role("link", name="Try again").click()
    expect(page.get_by_role("heading", name="Explore").first).to_be_visible()


def test_the_last_home_page_stays_readable(
    page: Page, alice: User, bob: User, log_in, complaints: list[str]
) -> None:
    follow(alice, bob)
    publish(bob, "Words to read on the train")
    read_home(page, alice, log_in)
    expect(page.locator("[data-saved-page]")).to_be_hidden()
    page.context.set_offline(True)
    page.goto("/notifications/")
    page.get_by_role("link", name="Read the saved home page").click()
    expect(page.get_by_text("You are offline. This page was saved on")).to_be_visible()
    expect(page.locator("[data-saved-page] time")).not_to_be_empty()
    expect(page.get_by_text("Words to read on the train")).to_be_visible()
    complaints.clear()  # parts of the page, such as suggestions, cannot be loaded
    page.context.set_offline(False)
    publish(bob, "News")
    page.goto("/")
    expect(page.get_by_text("News")).to_be_visible()
    expect(page.locator("[data-saved-page]")).to_be_hidden()


def test_log_out_deletes_the_saved_page(page: Page, alice: User, log_in) -> None:
    read_home(page, alice, log_in)
    page.evaluate(LOG_OUT)
    expect(page.get_by_role("link", name="Log in").first).to_be_visible()
    assert not page.evaluate(SAVED)
    page.context.set_offline(True)
    page.goto("/")
    expect(page.get_by_role("heading", name="You are offline")).to_be_visible()


def test_a_log_in_deletes_the_saved_page(page: Page, alice: User, bob: User, log_in) -> None:
    read_home(page, alice, log_in)
    page.context.clear_cookies(name="sessionid")  # the session ended without a log-out
    page.goto("/accounts/login/?next=/bookmarks/")
    page.get_by_label("Username").fill(bob.username)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Log in").click()
    page.wait_for_url("**/bookmarks/")
    assert not page.evaluate(SAVED)


@pytest.mark.parametrize("path", ["/", "/@alice/", "/settings/"])
def test_a_visit_without_a_session_deletes_the_saved_page(
    page: Page, alice: User, log_in, path
) -> None:
    read_home(page, alice, log_in)
    end_sessions(uid=alice.pk)  # on another device
    page.goto(path)
    page.wait_for_function(SAVED.replace("Boolean", "(found) => !found"))


def test_log_out_of_the_admin_deletes_the_saved_page(page: Page, alice: User, log_in) -> None:
    alice.is_staff = True
    alice.save(update_fields=["is_staff"])
    read_home(page, alice, log_in)
    page.goto("/@alice/")
    assert page.evaluate(SAVED)
    page.evaluate(LOG_OUT_OF_ADMIN)
    expect(page.get_by_role("link", name="Log in").first).to_be_visible()
    assert not page.evaluate(SAVED)


def test_only_the_home_page_is_stored(page: Page, alice: User, log_in) -> None:
    read_home(page, alice, log_in)
    for path in ("/?max_id=99", "/@alice/", "/notifications/", "/settings/"):
        page.goto(path)
    stored = page.evaluate(
        """async () => {
          const urls = [];
          for (const name of await caches.keys()) {
            for (const { url } of await (await caches.open(name)).keys()) urls.push(new URL(url).pathname);
          }
          return urls.sort();
        }"""
    )
    styles = ("/static/css/icons.", "/static/css/site.")
    assert [path for path in stored if not path.startswith(styles)] == [
        "/",
        "/offline/",
    ]
    assert len(stored) == 4


def test_structured_data_does_not_violate_the_security_policy(page: Page, bob: User) -> None:
    post = publish(bob, "</script><script>document.title = 'hacked'</script>")
    page.goto(f"/@bob/{post}/")
    text = page.locator("script[type='application/ld+json']").evaluate("(data) => data.textContent")
    assert "hacked" in text
    assert "hacked" not in page.title().split("“")[0]
