"""Which devices somebody is told on: asked for by browsers, listed, removed; and hostile browsers."""

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


def labels(person):
    return [device.label for device in devices_of(owner=person.pk)]


def addresses_of(person):
    return [device.endpoint for device in devices_of(owner=person.pk)]


def test_without_a_key_there_is_no_trace_of_it(client, alice):
    client.force_login(alice)
    assert "devices" not in client.get("/settings/notifications/").content.decode()
    for path in (PAGE, KEY, "/worker.js"):
        assert client.get(path).status_code == 404
    assert Browser().ask(client).status_code == 404
    assert client.post(REMOVE, {"id": "x"}).status_code == 404
    assert addresses_of(alice) == []


def test_a_device_is_added_listed_and_removed(as_alice, alice):
    assert f'href="{PAGE}"' in as_alice.get("/settings/notifications/").content.decode()
    answer = Browser().ask(as_alice)
    own = answer.json()["id"]
    assert answer.status_code == 200
    (device,) = devices_of(owner=alice.pk)
    assert (device.id, device.label, device.last_used_at) == (own, "Firefox · Linux", None)
    html = as_alice.get(PAGE).content.decode()
    assert "Firefox · Linux" in words(html)
    assert f'data-device="{own}"' in html
    for _ in range(2):
        assert as_alice.post(REMOVE, {"id": own})["Location"] == PAGE
        assert addresses_of(alice) == []


def test_to_ask_twice_is_to_ask_once(as_alice, alice):
    browser = Browser()
    first, second = browser.ask(as_alice), browser.ask(as_alice, agent="odd")
    assert first.json() == second.json()
    assert labels(alice) == [""]
    assert "Unknown browser" in words(as_alice.get(PAGE).content.decode())


def test_of_more_than_ten_the_oldest_goes(as_alice, alice):
    asked = [f"https://web.push.apple.com/{n}" for n in range(12)]
    for address in asked:
        Browser(address).ask(as_alice)
    assert addresses_of(alice) == asked[:1:-1]


def test_a_browser_belongs_to_who_asked_last(as_alice, alice, bob):
    browser = Browser()
    browser.ask(as_alice)
    other = Client()
    other.force_login(bob)
    own = browser.ask(other).json()["id"]
    assert (len(addresses_of(alice)), len(addresses_of(bob))) == (0, 1)
    as_alice.post(REMOVE, {"id": own})  # it is not hers any more
    as_alice.post("/accounts/logout/")
    assert len(addresses_of(bob)) == 1


def test_a_log_out_ends_it_on_this_browser_only(as_alice, alice):
    phone = Client()
    phone.force_login(alice)
    Browser("https://web.push.apple.com/phone").ask(phone)
    Browser().ask(as_alice)
    as_alice.post("/accounts/logout/")
    assert addresses_of(alice) == ["https://web.push.apple.com/phone"]


def test_nobody_is_no_owner(client, web_push):
    assert client.get(PAGE).status_code == 302
    assert client.get(KEY).status_code == 403
    answer = Browser().ask(client)
    assert (answer.status_code, answer.json()) == (403, {"error": "Please log in."})
    assert client.post(REMOVE, {"id": "x"}).status_code == 302


def test_forms_from_elsewhere_are_refused(alice, web_push):
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    assert Browser().ask(client).status_code == 403
    body = client.get(KEY).json()
    answer = client.post(
        body["add"],
        json.dumps(Browser().subscription),
        content_type="application/json",
        headers={"X-CSRFToken": body["token"]},
    )
    assert answer.status_code == 200
    assert body["key"] in client.get(PAGE).content.decode()


NOT_ON_THE_CURVE = text_of(b"\x04" + bytes(64))
GOOD = Browser().subscription


@pytest.mark.parametrize(
    "endpoint",
    [
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
    ],
)
def test_an_address_that_is_no_push_service_is_refused(as_alice, alice, endpoint):
    answer = Browser(endpoint).ask(as_alice)
    assert answer.status_code == 400
    assert set(answer.json()) == {"error"}
    assert addresses_of(alice) == []


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://fcm.googleapis.com/fcm/send/cM:APA91b-_x",
        "https://fcm.googleapis.com:443/wp/x",
        "https://updates.push.services.mozilla.com/wpush/v2/gAAA_=",
        "https://wns2-par02p.notify.windows.com/w/?token=BQYAAAD%2bx%3d",
        "https://web.push.apple.com/QGu",
    ],
)
def test_known_push_services_are_taken(as_alice, alice, endpoint):
    assert Browser(endpoint).ask(as_alice).status_code == 200
    assert addresses_of(alice) == [endpoint]


@pytest.mark.parametrize(
    "body",
    [
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
    ],
    ids=lambda body: repr(body[:24]),
)
def test_what_is_no_subscription_is_refused(as_alice, alice, body):
    answer = as_alice.post(ADD, body, content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()["error"]
    assert addresses_of(alice) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
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
    ],
    ids=[str(number) for number in range(16)],  # the key is another in each process
)
def test_a_key_that_is_none_is_refused(as_alice, alice, name, value):
    browser = Browser()
    browser.keys = browser.keys | {name: value}
    answer = browser.ask(as_alice)
    assert answer.status_code == 400
    assert answer.json()["error"]
    assert addresses_of(alice) == []


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
    answer = as_alice.post(PAGE, {"pushed": ["nonsense"]})
    assert answer.status_code == 422
    assert 'class="field-errors"' in answer.content.decode()
    assert choices_of(recipient=alice.pk) == choices


def test_the_worker_may_serve_the_whole_site(client, web_push):
    answer = client.get("/worker.js")
    assert answer["Content-Type"] == "text/javascript; charset=utf-8"
    assert "'self'" in answer["Content-Security-Policy"]
    assert "no-cache" in answer["Cache-Control"]
    script = answer.content.decode()
    assert KEY in script
    assert "http" not in re.sub(r"^//.*$", "", script, flags=re.MULTILINE)
    assert client.post("/worker.js").status_code == 405


def test_the_command_makes_a_key_that_works(capsys, settings):
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
def test_settings_that_cannot_work_are_said_at_once(web_push, settings, name, value, text):
    setattr(settings, name, value)
    with pytest.raises(SystemCheckError, match=re.escape(text)) as refused:
        call_command("check")
    assert name != "WEB_PUSH_PRIVATE_KEY" or value not in str(refused.value)


def test_a_host_of_the_settings_may_be_any(settings):
    settings.WEB_PUSH_HOSTS = ["*.push.example", "localhost:8443"]
    assert allowed_endpoints.is_allowed_endpoint(endpoint="https://a.b.push.example/x")
    assert allowed_endpoints.is_allowed_endpoint(endpoint="https://localhost:8443/x")
    assert not allowed_endpoints.is_allowed_endpoint(endpoint="https://localhost/x")
    assert not allowed_endpoints.is_allowed_endpoint(endpoint="https://fcm.googleapis.com/x")


def test_nobody_elses_device_can_be_removed(as_alice, bob):
    own = devices.save_device(
        owner=bob.pk,
        endpoint=GOOD["endpoint"],
        **GOOD["keys"],
        label="",
        now=bob.date_joined,
    )
    for text in (own, "", "x" * 5000, "\x00", "$ne"):
        as_alice.post(REMOVE, {"id": text})
    assert len(addresses_of(bob)) == 1
