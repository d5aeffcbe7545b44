"""Apps that are told of notifications while they are closed: who is, of what, and how it comes."""

import base64
import json

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from django.urls import reverse

from accounts.oauth.models import AccessToken
from notifications import tasks
from notifications.push import keys
from notifications.store.devices import devices_of
from tests.actions import like_post
from tests.api.api_client import Api, token_of
from tests.factories import follow, publish
from tests.notifications.push_helpers import AUTH, push_service, text_of

ENDPOINT = "https://fcm.googleapis.com/fcm/send/abc"
PUSH = "push/subscription"


@pytest.fixture
def web_push(settings):
    """The site sends to devices."""
    settings.WEB_PUSH_PRIVATE_KEY = keys.new_private_key()
    settings.WEB_PUSH_CONTACT = "mailto:admin@example.org"


@pytest.fixture
def service(tmp_path, settings, monkeypatch, web_push):
    with push_service(tmp_path) as running:
        settings.WEB_PUSH_HOSTS = [running.address.removeprefix("https://")]
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "localhost.pem"))
        yield running


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """What workers are asked for is done at once, but for what is to come later."""

    def now(*, kwargs, retry, countdown=0):
        if not countdown:
            tasks.push(**kwargs)

    monkeypatch.setattr(tasks.push, "apply_async", now)


class Phone:
    """An app's own keys, and what it asks for."""

    def __init__(self, endpoint=ENDPOINT):
        self.endpoint = endpoint
        self.key = ec.generate_private_key(ec.SECP256R1())
        point = self.key.public_key().public_bytes(
            keys.Encoding.X962, keys.PublicFormat.UncompressedPoint
        )
        # The ordinary alphabet, with padding: as some clients send it.
        self.keys = {
            "p256dh": base64.b64encode(point).decode(),
            "auth": base64.b64encode(AUTH).decode(),
        }

    def asked(self, *alerts, standard=False, **data):
        subscription = {"endpoint": self.endpoint, "keys": self.keys, "standard": standard}
        wanted = {"alerts": dict.fromkeys(alerts, True), **data}
        return {"subscription": subscription, "data": wanted}

    def read(self, headers, body):
        how = {"private_key": self.key, "auth_secret": AUTH}
        if headers["Content-Encoding"] == "aesgcm":
            how["salt"] = bytes_of(headers["Encryption"].removeprefix("salt="))
            how["dh"] = bytes_of(headers["Crypto-Key"].split(";")[0].removeprefix("dh="))
        result = http_ece.decrypt(body, version=headers["Content-Encoding"], **how)
        return json.loads(result)


def bytes_of(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_a_token_has_one_subscription(alice, web_push, settings):
    api, other = Api(alice), Api(alice)
    assert api.get(PUSH).status_code == 404
    assert api.put(PUSH, data={"alerts": {"follow": True}}).status_code == 404
    body = api.post(PUSH, **Phone().asked("mention", "poll", standard=True)).json()
    assert body["endpoint"] == ENDPOINT
    assert body["alerts"]["mention"] is body["alerts"]["poll"] is True
    assert body["alerts"]["follow"] is False
    assert (body["standard"], body["policy"]) == (True, "all")
    public = keys.public_key(private=settings.WEB_PUSH_PRIVATE_KEY)
    assert body["server_key"].rstrip("=") == public
    assert api.get(PUSH).json() == body
    assert other.get(PUSH).status_code == 404
    changed = api.put(PUSH, data={"alerts": {"follow": True}}, policy="followed").json()
    assert [name for name, is_on in changed["alerts"].items() if is_on] == ["follow"]
    assert changed["policy"] == "followed"
    again = api.post(PUSH, **Phone(f"{ENDPOINT}/2").asked("follow")).json()
    assert (again["id"], again["endpoint"]) == (body["id"], f"{ENDPOINT}/2")
    (device,) = devices_of(owner=alice.pk)
    assert device.label == "Test app"
    for _ in range(2):
        assert api.delete(PUSH).json() == {}
    assert devices_of(owner=alice.pk) == []


def test_it_goes_with_its_token(alice, web_push):
    token = token_of(alice)
    Api(token=token).post(PUSH, **Phone().asked("mention"))
    Api(alice).post(PUSH, **Phone(f"{ENDPOINT}/2").asked("mention"))
    AccessToken.objects.order_by("pk").first().delete()
    assert [device.endpoint for device in devices_of(owner=alice.pk)] == [f"{ENDPOINT}/2"]


@pytest.mark.parametrize(("standard", "encoding"), [(True, "aes128gcm"), (False, "aesgcm")])
def test_a_mention_comes_in_the_words_of_mastodon(alice, bob, service, standard, encoding):
    phone = Phone(f"{service.address}/phone")
    api = Api(alice)
    assert api.post(PUSH, **phone.asked("mention", standard=standard)).status_code == 200
    publish(bob, "Have you seen this, @alice?")
    ((_path, headers, body),) = service.got
    (result,) = api.get("notifications").json()
    assert phone.read(headers, body) == {
        "access_token": "",
        "preferred_locale": "en",
        "notification_id": int(result["id"]),
        "notification_type": "mention",
        "icon": f"http://testserver{reverse('identicon_png', args=[bob.pk])}",
        "title": "Bob Brown mentioned you",
        "body": "Have you seen this, @alice?",
    }
    assert headers["Content-Encoding"] == encoding
    scheme = "vapid t=" if standard else "WebPush "
    assert headers["Authorization"].startswith(scheme)
    assert ("p256ecdsa=" in headers.get("Crypto-Key", "")) is not standard


def test_an_app_is_told_of_what_it_asked_for_and_by_whom(alice, bob, carol, service):
    follow(alice, bob)
    post = publish(alice)
    wishes = {
        "likes": {"alerts": ["favourite"]},
        "known": {"alerts": ["mention"], "policy": "followed"},
        "none": {"alerts": ["mention", "favourite"], "policy": "none"},
    }
    for path, wish in wishes.items():
        asked = Phone(f"{service.address}/{path}").asked(
            *wish["alerts"], policy=wish.get("policy", "all")
        )
        Api(alice).post(PUSH, **asked)
    publish(carol, "@alice")
    assert service.paths() == []
    like_post(post_id=post, actor=carol)
    publish(bob, "@alice")
    assert service.paths() == ["likes", "known"]


def test_a_site_without_a_key_says_so(alice):
    api = Api(alice)
    assert api.post(PUSH, **Phone().asked("mention")).status_code == 422
    assert api.get(PUSH).status_code == api.put(PUSH).status_code == 404
    assert api.delete(PUSH).json() == {}


@pytest.mark.parametrize(
    "wrong",
    [
        {"endpoint": "https://127.0.0.1/"},
        {"endpoint": "http://fcm.googleapis.com/fcm/send/abc"},
        {"endpoint": ""},
        {"keys": {"p256dh": text_of(b"\x04" + bytes(64)), "auth": text_of(AUTH)}},
        {"keys": {"p256dh": "x", "auth": "y"}},
        {"keys": "x"},
        {"standard": "perhaps"},
    ],
)
def test_what_is_no_subscription_is_refused(alice, web_push, wrong):
    asked = Phone().asked("mention")
    asked["subscription"] |= wrong
    answer = Api(alice).post(PUSH, **asked)
    assert answer.status_code == 422
    assert answer.json()["error"]
    assert devices_of(owner=alice.pk) == []


def test_it_takes_the_right_token(alice, web_push):
    api = Api(alice, "read write follow")
    for answer in (api.get(PUSH), api.post(PUSH), api.put(PUSH), api.delete(PUSH)):
        assert answer.status_code == 403
