"""The service worker, which shows notifications while no page of the site is open.

No push service is available in tests, so the tests push messages directly to the worker. A script in the
worker records the shown notifications, because headless Chromium does not show or list notifications.
"""

import json

import pytest
from playwright.sync_api import Page, Worker

from accounts.models import User
from notifications.store.devices import devices_of
from tests.notifications.push_helpers import Browser


class PushedWorker:
    """The service worker in a browser, with methods to push messages and to click notifications."""

    def __init__(self, page: Page, base_url: str) -> None:
        self.page, self._origin = page, base_url
        self._devtools = page.context.new_cdp_session(page)
        self._registrations: list[str] = []
        self._devtools.on("ServiceWorker.workerRegistrationUpdated", self._note)
        self._devtools.send("ServiceWorker.enable")
        with page.context.expect_event("serviceworker") as started:
            page.goto("/public/")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.worker: Worker = started.value
        self.worker.evaluate(
            """() => {
              self.shown = [];
              ServiceWorkerRegistration.prototype.showNotification = async (title, options) => {
                shown.push({ title, ...options });
              };
              const look = clients.matchAll.bind(clients);
              self.looked = 0;
              clients.matchAll = async (wanted) => {
                const found = await look(wanted);
                looked += 1;
                return found;
              };
              clients.openWindow = async (url) => { self.opened = url; };
            }"""
        )

    def _note(self, event) -> None:
        self._registrations += [
            registration["registrationId"]
            for registration in event["registrations"]
            if registration["scopeURL"] == f"{self._origin}/"
        ]

    def push(self, result) -> None:
        self._devtools.send(
            "ServiceWorker.deliverPushMessage",
            {
                "origin": self._origin,
                "registrationId": self._registrations[-1],
                "data": result if isinstance(result, str) else json.dumps(result),
            },
        )

    def leave(self) -> None:
        """Leave the site and wait until the worker sees no open page of the site."""
        self.page.goto("about:blank")
        self.worker.evaluate(
            """async () => {
              const all = { type: "window", includeUncontrolled: true };
              while ((await clients.matchAll(all)).length) {
                await new Promise((done) => setTimeout(done, 20));
              }
            }"""
        )

    def shown(self):
        """Wait for the next shown notification. Return its title and options."""
        return self.worker.evaluate(
            """async () => {
              while (!shown.length) await new Promise((done) => setTimeout(done, 20));
              return shown.shift();
            }"""
        )

    def click(self, notification) -> str:
        """Click a shown notification. Return the URL that the worker opens."""
        result: str = self.worker.evaluate(
            """async (shown) => {
              const event = new ExtendableEvent("notificationclick");
              let isClosed = false;
              event.notification = { ...shown, close: () => { isClosed = true; } };
              self.opened = null;
              dispatchEvent(event);
              while (!opened || !isClosed) await new Promise((done) => setTimeout(done, 20));
              return opened;
            }""",
            notification,
        )
        return result


@pytest.fixture
def pushed_worker(page: Page, base_url: str) -> PushedWorker:
    return PushedWorker(page, base_url)


def push_data(**more):
    return {"title": "Bob mentioned you", "body": "Hi", "url": "/@bob/1/", "tag": "m:1:1:0"} | more


def test_the_worker_shows_a_notification_unless_a_page_is_visible(
    pushed_worker: PushedWorker,
) -> None:
    pushed_worker.push(push_data(title="Seen"))  # not shown, because a page of the site is visible
    pushed_worker.worker.evaluate(
        "async () => { while (!looked) await new Promise((done) => setTimeout(done, 20)); }"
    )
    pushed_worker.push("no JSON")
    pushed_worker.leave()
    pushed_worker.push(push_data())
    assert pushed_worker.shown() == {
        "title": "Bob mentioned you",
        "body": "Hi",
        "tag": "m:1:1:0",
        "data": {"url": "/@bob/1/"},
    }


def test_a_click_opens_a_page_of_this_site_only(pushed_worker: PushedWorker, base_url: str) -> None:
    pushed_worker.leave()
    for url, opened in (
        ("/@bob/1/?a=b", "/@bob/1/?a=b"),
        ("https://evil.example/x", "/notifications/"),
        ("//evil.example/x", "/notifications/"),
        ("javascript:alert(1)", "/notifications/"),
        ("http://[", "/notifications/"),
    ):
        pushed_worker.push(push_data(url=url))
        assert pushed_worker.click(pushed_worker.shown()) == f"{base_url}{opened}"


def test_a_click_focuses_an_open_page(pushed_worker: PushedWorker, base_url: str) -> None:
    focused = pushed_worker.worker.evaluate(
        """async (url) => {
          const focused = new Promise((done) => {
            WindowClient.prototype.focus = async function () { done(this.url); };
          });
          const event = new ExtendableEvent("notificationclick");
          event.notification = { close() {}, data: { url } };
          dispatchEvent(event);
          return focused;
        }""",
        "/public/",
    )
    assert focused == f"{base_url}/public/"


def test_a_changed_subscription_is_saved(pushed_worker: PushedWorker, alice: User, log_in) -> None:
    log_in(pushed_worker.page, alice)
    browser = Browser()
    pushed_worker.worker.evaluate(
        """async (own) => {
          PushManager.prototype.subscribe = async () => ({ toJSON: () => own });
          const event = new ExtendableEvent("pushsubscriptionchange");
          const asked = new Promise((done) => {
            const real = fetch;
            self.fetch = async (...said) => {
              const answer = await real(...said);
              if (said[1]?.method === "POST") done(answer.status);
              return answer;
            };
          });
          dispatchEvent(event);
          return asked;
        }""",
        browser.subscription,
    )
    (device,) = devices_of(owner=alice.pk)
    assert device.endpoint == browser.endpoint
