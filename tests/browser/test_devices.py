"""Push notifications on devices. A script replaces the push service, which is not available in tests."""

import json

from playwright.sync_api import Page, expect

from accounts.models import User
from notifications.store import devices
from notifications.store.devices import devices_of
from tests.notifications.push_helpers import Browser

PAGE = "/settings/notifications/devices/"


def push_service_script(browser: Browser) -> str:
    """Return a script that makes pages use ``browser`` instead of the push service."""
    return f"""(() => {{
      const own = {json.dumps(browser.subscription)};
      const found = {{ endpoint: own.endpoint, toJSON: () => own, unsubscribe: async () => true }};
      let isThere = sessionStorage.getItem("there") === "yes";
      PushManager.prototype.getSubscription = async () => isThere ? found : null;
      PushManager.prototype.subscribe = async ({{ applicationServerKey, userVisibleOnly }}) => {{
        if (applicationServerKey.length !== 87 || !userVisibleOnly) throw new Error("refused");
        isThere = true;
        sessionStorage.setItem("there", "yes");
        return found;
      }};
    }})()"""


def test_a_device_is_added_by_a_click_and_removed(page: Page, alice: User, log_in) -> None:
    page.context.grant_permissions(["notifications"])
    page.add_init_script(push_service_script(Browser()))
    log_in(page, alice)
    page.goto(PAGE)
    button = page.get_by_role("button", name="Notify me on this device")
    button.click()
    device = page.get_by_role("article")
    expect(device).to_contain_text("Chrome")
    expect(button).to_be_hidden()
    assert len(devices_of(owner=alice.pk)) == 1
    device.get_by_role("button", name="Remove").click()
    expect(device).to_have_count(0)
    expect(button).to_be_visible()


def test_denied_permission_shows_a_message(page: Page, alice: User, log_in) -> None:
    page.context.clear_permissions()
    page.add_init_script("Notification.requestPermission = async () => 'denied'")
    log_in(page, alice)
    page.goto(PAGE)
    page.get_by_role("button", name="Notify me on this device").click()
    expect(page.get_by_text("Notifications are blocked in your browser")).to_be_visible()
    assert devices_of(owner=alice.pk) == []


def test_devices_can_be_removed_without_javascript(plain_page: Page, alice: User, log_in) -> None:
    page = plain_page
    browser = Browser()
    devices.save_device(
        owner=alice.pk,
        endpoint=browser.endpoint,
        **browser.keys,
        label="Firefox · Android",
        now=alice.date_joined,
    )
    log_in(page, alice)
    page.goto(PAGE)
    expect(page.get_by_role("button", name="Notify me")).to_have_count(0)
    page.get_by_role("button", name="Remove Firefox · Android").click()
    expect(page.get_by_text("Device removed.")).to_be_visible()
    assert devices_of(owner=alice.pk) == []
