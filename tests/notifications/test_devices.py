"""Devices for notifications: adding, listing and removing them, and hostile browsers."""

import json
import re

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.test import Client

from notifications.kinds import configurable_kinds
from notifications.push import allowed_endpoints, keys
from notifications.services.preferences import save_mail_preferences
from notifications.store import devices
from notifications.store.devices import devices_of
from notifications.store.preferences import get_preferences as choices_of
from tests.feed.reading_html import words

from .push_helpers import AUTH, Browser, text_of

PAGE = "/settings/notifications/devices/"
ADD, REMOVE, KEY = f"{PAGE}add/", f"{PAGE}remove/", f"{PAGE}key/"


@pytest.fixture
def as_alice(client, alice, web_push):
    client.force_login(alice)
    return client


def labels(user):
    return [device.label for device in devices_of(owner=user.pk)]


def endpoints_of(user):
    return [device.endpoint for device in devices_of(owner=user.pk)]


def test_without_a_key_the_site_has_no_pages_for_devices(client, alice):
    client.force_login(alice)
    assert "devices" not in client.get("/settings/notifications/").content.decode()
    for path in (PAGE, KEY):
        assert client.get(path).status_code == 404
    assert Browser().subscribe(client).status_code == 404
    assert client.post(REMOVE, {"id": "x"}).status_code == 404
    assert endpoints_of(alice) == []


def test_a_device_is_added_listed_and_removed(as_alice, alice):
    assert f'href="{PAGE}"' in as_alice.get("/settings/notifications/").content.decode()
    response = Browser().subscribe(as_alice)
    device_id = response.json()["id"]
    assert response.status_code == 200
    (device,) = devices_of(owner=alice.pk)
    assert (device.id, device.label, device.last_used_at) == (device_id, "Firefox · Linux", None)
    html = as_alice.get(PAGE).content.decode()
    assert "Firefox · Linux" in words(html)
    assert f'data-device="{device_id}"' in html
    for _ in range(2):
        assert as_alice.post(REMOVE, {"id": device_id})["Location"] == PAGE
        assert endpoints_of(alice) == []


def test_adding_a_device_twice_updates_it(as_alice, alice):
    browser = Browser()
    first, second = browser.subscribe(as_alice), browser.subscribe(as_alice, agent="odd")
    assert first.json() == second.json()
    assert labels(alice) == [""]
    assert "Unknown browser" in words(as_alice.get(PAGE).content.decode())


def test_an_eleventh_device_replaces_the_oldest(as_alice, alice):
    endpoints = [f"https://web.push.apple.com/{n}" for n in range(12)]
    for endpoint in endpoints:
        Browser(endpoint).subscribe(as_alice)
    assert endpoints_of(alice) == endpoints[:1:-1]


def test_a_browser_belongs_to_the_last_user_who_added_it(as_alice, alice, bob):
    browser = Browser()
    browser.subscribe(as_alice)
    other = Client()
    other.force_login(bob)
    device_id = browser.subscribe(other).json()["id"]
    assert (len(endpoints_of(alice)), len(endpoints_of(bob))) == (0, 1)
    as_alice.post(REMOVE, {"id": device_id})  # the device belongs to bob now
    as_alice.post("/accounts/logout/")
    assert len(endpoints_of(bob)) == 1


def test_logging_out_removes_the_device_of_this_browser_only(as_alice, alice):
    phone = Client()
    phone.force_login(alice)
    Browser("https://web.push.apple.com/phone").subscribe(phone)
    Browser().subscribe(as_alice)
    as_alice.post("/accounts/logout/")
    assert endpoints_of(alice) == ["https://web.push.apple.com/phone"]


def test_devices_require_a_login(client, web_push):
    assert client.get(PAGE).status_code == 302
    assert client.get(KEY).status_code == 403
    response = Browser().subscribe(client)
    assert (response.status_code, response.json()) == (
        403,
        {"error": "You are logged out. Log in and try again."},
    )
    assert client.post(REMOVE, {"id": "x"}).status_code == 302


def test_forms_of_other_sites_are_refused(alice, web_push):
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    assert Browser().subscribe(client).status_code == 403
    body = client.get(KEY).json()
    response = client.post(
        body["add"],
        json.dumps(Browser().subscription),
        content_type="application/json",
        headers={"X-CSRFToken": body["token"]},
    )
    assert response.status_code == 200
    assert body["key"] in client.get(PAGE).content.decode()


NOT_ON_THE_CURVE = text_of(b"\x04" + bytes(64))
GOOD = Browser().subscription


REFUSED_ENDPOINTS = (
    "",
    "http://fcm.googleapis.com/x",
    "https://evil.example/fcm.googleapis.com/x",
    "https://fcm.googleapis.com",
    "https://fcm.googleapis.com.evil.example/x",
    "https://fcm.googleapis.com@evil.example/x",
    "https://user:pw@fcm.googleapis.com/x",
    "https://evil.example\\@fcm.googleapis.com/x",
    "https://fcm.googleapis.com\\.evil.example/x",
    "https://fcm.googleapis.com#@evil.example/x",
    "https://fcm.googleapis.com/x#y",
    "https://fcm.googleapis.com/x\r\nHost: evil.example",
    "https://fcm.googleapis.com/x y",
    "https://fcm.googleapis.com:22/x",
    "https://fcm.googleapis.com:/x",
    "https://fcm.googleapis.com./x",
    "https://\uff46cm.googleapis.com/x",
    "https://FCM.googleapis.com/x",
    "https://127.0.0.1/x",
    "https://[::1]/x",
    "https://localhost/x",
    "https://169.254.169.254/latest/meta-data/",
    "https://push.services.mozilla.com/x",
    "https://.push.services.mozilla.com/x",
    "https://a..push.services.mozilla.com/x",
    "https://evilpush.services.mozilla.com/x",
    "file:///etc/passwd",
    "https://fcm.googleapis.com/" + "x" * 2048,
)


def test_endpoints_of_unknown_push_services_are_refused(as_alice, alice):
    browser = Browser()
    for browser.endpoint in REFUSED_ENDPOINTS:
        response = browser.subscribe(as_alice)
        assert response.status_code == 400, browser.endpoint
        assert set(response.json()) == {"error"}
    assert endpoints_of(alice) == []


KNOWN_ENDPOINTS = (
    "https://fcm.googleapis.com/fcm/send/cM:APA91b-_x",
    "https://fcm.googleapis.com:443/wp/x",
    "https://updates.push.services.mozilla.com/wpush/v2/gAAA_=",
    "https://wns2-par02p.notify.windows.com/w/?token=BQYAAAD%2bx%3d",
    "https://web.push.apple.com/QGu",
)


def test_endpoints_of_known_push_services_are_accepted(as_alice, alice):
    for endpoint in KNOWN_ENDPOINTS:
        assert Browser(endpoint).subscribe(as_alice).status_code == 200
        assert endpoints_of(alice)[0] == endpoint


INVALID_SUBSCRIPTIONS = (
    b"",
    b"\xff\xfe",
    b"null",
    b"[]",
    b'"x"',
    b"[" * 8000,
    b"9" * 8000,
    b" " * 9000 + json.dumps(GOOD).encode(),
    b"x" * 1_100_000,
    json.dumps(GOOD | {"keys": None}).encode(),
    json.dumps(GOOD | {"keys": []}).encode(),
    json.dumps(GOOD | {"keys": {}}).encode(),
    json.dumps(GOOD | {"endpoint": ["https://fcm.googleapis.com/x"]}).encode(),
    json.dumps(GOOD | {"endpoint": {"$gt": ""}}).encode(),
    json.dumps(GOOD | {"endpoint": 7}).encode(),
    json.dumps(GOOD | {"endpoint": "https://fcm.googleapis.com/\x00"}).encode(),
    b'{"endpoint": "\\ud800", "keys": {"p256dh": "\\ud800", "auth": "\\ud800"}}',
)


def test_an_invalid_subscription_is_refused(as_alice, alice):
    for body in INVALID_SUBSCRIPTIONS:
        response = as_alice.post(ADD, body, content_type="application/json")
        assert response.status_code == 400, body[:24]
        assert response.json()["error"]
    assert endpoints_of(alice) == []


INVALID_KEYS = (
    ("p256dh", ""),
    ("p256dh", "AAAA"),
    ("p256dh", NOT_ON_THE_CURVE),
    ("p256dh", "!" * 87),
    ("p256dh", GOOD["keys"]["p256dh"] + "A"),
    ("p256dh", GOOD["keys"]["p256dh"].replace(GOOD["keys"]["p256dh"][40], "+")),
    ("p256dh", "=" * 88),
    ("p256dh", "A" * 500),
    ("p256dh", 5),
    ("p256dh", ["x"]),
    ("auth", ""),
    ("auth", text_of(AUTH[:15])),
    ("auth", text_of(AUTH + b"x")),
    ("auth", "\x00" * 22),
    ("auth", "A"),
    ("auth", None),
)


def test_an_invalid_key_is_refused(as_alice, alice):
    browser = Browser()
    keys = browser.keys
    for name, value in INVALID_KEYS:
        browser.keys = keys | {name: value}
        response = browser.subscribe(as_alice)
        assert response.status_code == 400, (name, value)
        assert response.json()["error"]
    assert endpoints_of(alice) == []


def test_kinds_are_chosen_by_a_form(as_alice, alice):
    save_mail_preferences(recipient=alice.pk, mode="off", mailed_kinds=["like"])
    html = as_alice.get(PAGE).content.decode()
    chosen = re.findall(r'name="pushed" value="(\w+)" checked', html)
    assert chosen == [kind.name for kind in configurable_kinds() if kind.alerts_by_default]
    assert as_alice.post(PAGE, {"pushed": ["like", "mention"]})["Location"] == PAGE
    html = as_alice.get(PAGE).content.decode()
    assert re.findall(r'name="pushed" value="(\w+)" checked', html) == ["mention", "like"]
    choices = choices_of(recipient=alice.pk)
    assert choices.mail.mode == "off"
    response = as_alice.post(PAGE, {"pushed": ["nonsense"]})
    assert response.status_code == 422
    assert 'class="field-errors"' in response.content.decode()
    assert choices_of(recipient=alice.pk) == choices


def test_the_command_prints_a_valid_key(capsys, settings):
    call_command("web_push_keys")
    text = capsys.readouterr().out
    private = re.search(r"^WEB_PUSH_PRIVATE_KEY=(\S+)$", text, re.MULTILINE)[1]
    assert keys.public_key(private=private) in text
    settings.WEB_PUSH_PRIVATE_KEY = private
    settings.WEB_PUSH_CONTACT = "mailto:admin@example.org"
    call_command("check")


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("WEB_PUSH_PRIVATE_KEY", "nonsense", "WEB_PUSH_PRIVATE_KEY cannot be read"),
        ("WEB_PUSH_PRIVATE_KEY", text_of(bytes(32)), "WEB_PUSH_PRIVATE_KEY cannot be read"),
        ("WEB_PUSH_PRIVATE_KEY", text_of(b"\xff" * 32), "WEB_PUSH_PRIVATE_KEY cannot be read"),
        ("WEB_PUSH_CONTACT", "", "WEB_PUSH_CONTACT is not a mailto address"),
        ("WEB_PUSH_CONTACT", "admin@example.org", "WEB_PUSH_CONTACT is"),
        ("WEB_PUSH_HOSTS", ["fcm.googleapis.com", "*"], "WEB_PUSH_HOSTS contains invalid hosts"),
    ],
)
def test_invalid_settings_are_reported_by_the_checks(web_push, settings, name, value, text):
    setattr(settings, name, value)
    with pytest.raises(SystemCheckError, match=re.escape(text)) as refused:
        call_command("check")
    assert name != "WEB_PUSH_PRIVATE_KEY" or value not in str(refused.value)


def test_hosts_in_the_settings_are_allowed(settings):
    settings.WEB_PUSH_HOSTS = ["*.push.example", "localhost:8443"]
    assert allowed_endpoints.is_allowed_endpoint(endpoint="https://a.b.push.example/x")
    assert allowed_endpoints.is_allowed_endpoint(endpoint="https://localhost:8443/x")
    assert not allowed_endpoints.is_allowed_endpoint(endpoint="https://localhost/x")
    assert not allowed_endpoints.is_allowed_endpoint(endpoint="https://fcm.googleapis.com/x")


def test_devices_of_other_users_cannot_be_removed(as_alice, bob):
    device_id = devices.save_device(
        owner=bob.pk,
        endpoint=GOOD["endpoint"],
        **GOOD["keys"],
        label="",
        now=bob.date_joined,
    )
    for text in (device_id, "", "x" * 5000, "\x00", "$ne"):
        as_alice.post(REMOVE, {"id": text})
    assert len(endpoints_of(bob)) == 1
