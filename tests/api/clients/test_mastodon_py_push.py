"""Push subscriptions and push messages with Mastodon.py."""

import pytest
from django.db import connection
from mastodon import Mastodon, MastodonNotFoundError

from notifications import tasks
from notifications.push import keys
from tests.actions import like_post
from tests.api.api_client import token_of
from tests.browser.site import served_site
from tests.factories import publish
from tests.notifications.push_helpers import push_service


@pytest.fixture
def service(tmp_path, settings, monkeypatch):
    with push_service(tmp_path) as running:
        settings.WEB_PUSH_PRIVATE_KEY = keys.new_private_key()
        settings.WEB_PUSH_CONTACT = "mailto:admin@example.org"
        settings.WEB_PUSH_HOSTS = [running.address.removeprefix("https://")]
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "localhost.pem"))
        yield running


@pytest.fixture
def client(service, settings, alice):
    """Return the client of a site that sends push messages."""
    with served_site(
        database=connection.settings_dict["NAME"],
        data_dir=settings.DATA_DIR,
        WEB_PUSH_PRIVATE_KEY=settings.WEB_PUSH_PRIVATE_KEY,
        WEB_PUSH_CONTACT=settings.WEB_PUSH_CONTACT,
        WEB_PUSH_HOSTS=settings.WEB_PUSH_HOSTS[0],
    ) as site:
        yield Mastodon(access_token=token_of(alice), api_base_url=site)


def test_push_messages_are_received_and_decrypted(client, service, alice, bob, monkeypatch):
    monkeypatch.setattr(tasks.push, "apply_async", lambda *, kwargs, **_: tasks.push(**kwargs))
    private, public = client.push_subscription_generate_keys()
    subscription = client.push_subscription_set(
        f"{service.address}/app", public, favourite_events=True, follow_events=False
    )
    assert (subscription.alerts.favourite, subscription.alerts.follow) == (True, False)
    assert client.push_subscription().id == subscription.id
    post = publish(alice)
    like_post(post_id=post, actor=bob)
    ((path, headers, body),) = service.got
    notification = client.push_subscription_decrypt_push(
        body, private, headers["Encryption"], headers["Crypto-Key"]
    )
    assert (path, notification.notification_type, notification.preferred_locale) == (
        "app",
        "favourite",
        "en",
    )
    assert client.notifications(notification.notification_id).account.username == "bob"
    changed = client.push_subscription_update(favourite_events=False, mention_events=True)
    assert (changed.alerts.favourite, changed.alerts.mention) == (False, True)
    client.push_subscription_delete()
    with pytest.raises(MastodonNotFoundError):
        client.push_subscription()
