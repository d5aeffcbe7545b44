"""Push subscriptions of apps: settings, alerts, message content and encryption."""

import base64
import json

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from accounts.oauth.models import AccessToken
from accounts.user_cards import card_from_user
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
    """Enable push messages."""
    settings.WEB_PUSH_PRIVATE_KEY = keys.new_private_key()
    settings.WEB_PUSH_CONTACT = "mailto:admin@example.org"


@pytest.fixture
def service(tmp_path, settings, monkeypatch, web_push):
    with push_service(tmp_path) as running:
        settings.WEB_PUSH_HOSTS = [running.address.removeprefix("https://")]
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "localhost.pem"))
        yield running


@pytest.fixture(autouse=True)
def immediate_tasks(monkeypatch):
    """Run push tasks immediately. Drop push tasks with a delay."""

    def run_now(*, kwargs, retry, countdown=0):
        if not countdown:
            tasks.push(**kwargs)

    monkeypatch.setattr(tasks.push, "apply_async", run_now)


class Phone:
    """An app that subscribes to push messages with its own keys, and decrypts the messages."""

    def __init__(self, endpoint=ENDPOINT):
        self.endpoint = endpoint
        self.key = ec.generate_private_key(ec.SECP256R1())
        point = self.key.public_key().public_bytes(
            keys.Encoding.X962, keys.PublicFormat.UncompressedPoint
        )
        # Some clients send keys as standard base64 with padding instead of URL-safe base64.
        self.keys = {
            "p256dh": base64.b64encode(point).decode(),
            "auth": base64.b64encode(AUTH).decode(),
        }

    def subscription_request(self, *alerts, standard=False, **data):
        subscription = {"endpoint": self.endpoint, "keys": self.keys, "standard": standard}
        settings = {"alerts": dict.fromkeys(alerts, True), **data}
        return {"subscription": subscription, "data": settings}

    def read(self, headers, body):
        options = {"private_key": self.key, "auth_secret": AUTH}
        if headers["Content-Encoding"] == "aesgcm":
            options["salt"] = bytes_of(headers["Encryption"].removeprefix("salt="))
            options["dh"] = bytes_of(headers["Crypto-Key"].split(";")[0].removeprefix("dh="))
        result = http_ece.decrypt(body, version=headers["Content-Encoding"], **options)
        return json.loads(result)


def bytes_of(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_a_token_has_one_subscription(alice, web_push, settings):
    api, other = Api(alice), Api(alice)
    assert api.get(PUSH).status_code == 404
    assert api.put(PUSH, data={"alerts": {"follow": True}}).status_code == 404
    body = api.post(PUSH, **Phone().subscription_request("mention", "poll", standard=True)).json()
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
    replaced = api.post(PUSH, **Phone(f"{ENDPOINT}/2").subscription_request("follow")).json()
    assert (replaced["id"], replaced["endpoint"]) == (body["id"], f"{ENDPOINT}/2")
    (device,) = devices_of(owner=alice.pk)
    assert device.label == "Test app"
    for _ in range(2):
        assert api.delete(PUSH).json() == {}
    assert devices_of(owner=alice.pk) == []


def test_a_subscription_is_deleted_with_its_token(alice, web_push):
    token = token_of(alice)
    Api(token=token).post(PUSH, **Phone().subscription_request("mention"))
    Api(alice).post(PUSH, **Phone(f"{ENDPOINT}/2").subscription_request("mention"))
    AccessToken.objects.order_by("pk").first().delete()
    assert [device.endpoint for device in devices_of(owner=alice.pk)] == [f"{ENDPOINT}/2"]


@pytest.mark.parametrize(("standard", "encoding"), [(True, "aes128gcm"), (False, "aesgcm")])
def test_a_mention_is_pushed_in_the_format_of_mastodon(alice, bob, service, standard, encoding):
    phone = Phone(f"{service.address}/phone")
    api = Api(alice)
    assert (
        api.post(PUSH, **phone.subscription_request("mention", standard=standard)).status_code
        == 200
    )
    publish(bob, "Have you seen this, @alice?")
    ((_path, headers, body),) = service.got
    (result,) = api.get("notifications").json()
    assert phone.read(headers, body) == {
        "access_token": "",
        "preferred_locale": "en",
        "notification_id": int(result["id"]),
        "notification_type": "mention",
        "icon": f"http://testserver{card_from_user(user=bob).bitmap_avatar_url}",
        "title": "Bob Brown mentioned you",
        "body": "Have you seen this, @alice?",
    }
    assert headers["Content-Encoding"] == encoding
    scheme = "vapid t=" if standard else "WebPush "
    assert headers["Authorization"].startswith(scheme)
    assert ("p256ecdsa=" in headers.get("Crypto-Key", "")) is not standard


def test_an_app_receives_only_requested_alerts_and_authors(alice, bob, carol, service):
    follow(alice, bob)
    post = publish(alice)
    subscriptions = {
        "likes": {"alerts": ["favourite"]},
        "known": {"alerts": ["mention"], "policy": "followed"},
        "none": {"alerts": ["mention", "favourite"], "policy": "none"},
    }
    for path, subscription in subscriptions.items():
        subscription_request = Phone(f"{service.address}/{path}").subscription_request(
            *subscription["alerts"], policy=subscription.get("policy", "all")
        )
        Api(alice).post(PUSH, **subscription_request)
    publish(carol, "@alice")
    assert service.paths() == []
    like_post(post_id=post, actor=carol)
    publish(bob, "@alice")
    assert service.paths() == ["likes", "known"]


def test_subscriptions_are_rejected_without_a_push_key(alice):
    api = Api(alice)
    assert api.post(PUSH, **Phone().subscription_request("mention")).status_code == 422
    assert api.get(PUSH).status_code == api.put(PUSH).status_code == 404
    assert api.delete(PUSH).json() == {}


@pytest.mark.parametrize(
    "changes",
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
def test_invalid_subscriptions_are_rejected(alice, web_push, changes):
    subscription_request = Phone().subscription_request("mention")
    subscription_request["subscription"] |= changes
    response = Api(alice).post(PUSH, **subscription_request)
    assert response.status_code == 422
    assert response.json()["error"]
    assert devices_of(owner=alice.pk) == []


def test_subscriptions_require_the_push_scope(alice, web_push):
    api = Api(alice, "read write follow")
    for response in (api.get(PUSH), api.post(PUSH), api.put(PUSH), api.delete(PUSH)):
        assert response.status_code == 403
