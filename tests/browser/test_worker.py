"""What shows notifications while no page is open. No push service can be reached from here: what it would
deliver is given by hand to the real worker of the site.

What it shows is noted as it shows it: Chromium without windows shows nothing, or forgets it.
"""

import json

import pytest
from playwright.sync_api import Page, Worker

from accounts.models import User
from notifications.store.devices import devices_of
from tests.notifications.push_helpers import Browser


class Pushed:
    """The worker of the site, in a browser with no page of the site open unless a test opens one."""

    def __init__(self, page: Page, base_url: str) -> None:
        self.page, self._origin = page, base_url
        self._devtools = page.context.new_cdp_session(page)
        self._registrations: list[str] = []
        self._devtools.on("ServiceWorker.workerRegistrationUpdated", self._note)
        page.goto("/public/")
        self._devtools.send("ServiceWorker.enable")
        with page.context.expect_event("serviceworker") as started:
            page.evaluate(
                "navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)"
            )
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
        """No page of the site is open any more, and the worker knows."""
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
        """The next one."""
        return self.worker.evaluate(
            """async () => {
              while (!shown.length) await new Promise((done) => setTimeout(done, 20));
              return shown.shift();
            }"""
        )

    def click(self, notification) -> str:
        """On one that was shown; the address that it opens."""
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
def pushed(page: Page, base_url: str) -> Pushed:
    return Pushed(page, base_url)


def told(**more):
    return {"title": "Bob mentioned you", "body": "Hi", "url": "/@bob/1/", "tag": "m:1:1:0"} | more


def test_the_worker_shows_what_comes_unless_somebody_looks(pushed: Pushed) -> None:
    pushed.push(told(title="Seen"))  # a page of the site is in front of somebody
    pushed.worker.evaluate(
        "async () => { while (!looked) await new Promise((done) => setTimeout(done, 20)); }"
    )
    pushed.push("no JSON")
    pushed.leave()
    pushed.push(told())
    assert pushed.shown() == {
        "title": "Bob mentioned you",
        "body": "Hi",
        "tag": "m:1:1:0",
        "data": {"url": "/@bob/1/"},
    }


def test_a_click_opens_a_page_of_this_site_only(pushed: Pushed, base_url: str) -> None:
    pushed.leave()
    for url, opened in (
        ("/@bob/1/?a=b", "/@bob/1/?a=b"),
        ("https://evil.example/x", "/notifications/"),
        ("//evil.example/x", "/notifications/"),
        ("javascript:alert(1)", "/notifications/"),
        ("http://[", "/notifications/"),
    ):
        pushed.push(told(url=url))
        assert pushed.click(pushed.shown()) == f"{base_url}{opened}"


def test_a_click_goes_to_the_page_that_is_open(pushed: Pushed, base_url: str) -> None:
    focused = pushed.worker.evaluate(
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


def test_another_address_of_the_browser_is_told(pushed: Pushed, alice: User, log_in) -> None:
    log_in(pushed.page, alice)
    browser = Browser()
    pushed.worker.evaluate(
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
