"""Sessions: the list of logged-in devices, and how sessions end."""

import re

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.models import Session
from django.test import Client

from accounts import middleware
from accounts.devices import describe_device
from tests.factories import PASSWORD

LIST, OTHERS = "/settings/sessions/", "/settings/sessions/end/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.5 Mobile/15E148 Safari/604.1"
)
EDGE = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0"
)


@pytest.fixture
def alice(alice):
    alice.set_password(PASSWORD)
    alice.save(update_fields=["password"])
    return alice


def log_in(user, agent=FIREFOX, **environ):
    client = Client(headers={"User-Agent": agent}, **environ)
    assert (
        client.post("/accounts/login/", {"login": user.username, "password": PASSWORD}).status_code
        == 302
    )
    return client


def is_logged_in(client):
    return client.get("/settings/profile/").status_code == 200


def end_urls(client):
    """Return the URLs of the forms that end a session."""
    page = client.get(LIST).content.decode()
    return re.findall(r'action="(/settings/sessions/\d+/end/)"', page)


@pytest.mark.parametrize(
    ("agent", "description"),
    [
        (FIREFOX, "Firefox on Linux"),
        (IPHONE, "Safari on iPhone"),
        (EDGE, "Edge on Windows"),
        ("curl/8.0", "curl"),
        ("<script>", "Unknown device"),
        ("", "Unknown device"),
    ],
)
def test_devices_are_described(agent, description):
    assert describe_device(user_agent=agent) == description


def test_the_list_shows_device_and_address(alice, bob):
    current = log_in(alice)
    log_in(alice, IPHONE, REMOTE_ADDR="192.0.2.7")
    page = current.get(LIST).content.decode()
    this, other = page.index("Firefox on Linux"), page.index("Safari on iPhone")
    assert this < page.index("This device") < other < page.index("192.0.2.7")
    assert len(end_urls(current)) == 1


def test_one_session_can_be_ended(alice):
    current, other = log_in(alice), log_in(alice, IPHONE)
    (end,) = end_urls(current)
    assert is_logged_in(other)
    assert current.post(end)["Location"] == LIST
    assert not is_logged_in(other)
    assert is_logged_in(current)
    assert current.post(end).status_code == 404
    assert end_urls(current) == []


def test_all_other_sessions_can_be_ended(alice, bob):
    bob.set_password(PASSWORD)
    bob.save()
    current, client_of_bob, *other = log_in(alice), log_in(bob), log_in(alice), log_in(alice)
    current.post(OTHERS)
    assert [is_logged_in(client) for client in (current, client_of_bob, *other)] == [
        True,
        True,
        False,
        False,
    ]


def test_only_the_owner_can_end_a_session(alice, bob):
    log_in(alice)
    session = UserSession.objects.get(user=alice)
    client = Client()
    path = f"/settings/sessions/{session.pk}/end/"
    assert client.post(path)["Location"].startswith("/accounts/login/")
    client.force_login(bob)
    assert client.post(path).status_code == 404
    assert client.post("/settings/sessions/1/end/").status_code == 404
    assert UserSession.objects.filter(pk=session.pk).exists()
    assert client.get(path).status_code == 405


def test_a_new_password_ends_all_other_sessions(alice):
    current, other = log_in(alice), log_in(alice, IPHONE)
    new = "quite another secret"
    data = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    assert current.post("/accounts/password/change/", data).status_code == 302
    assert is_logged_in(current)
    assert not is_logged_in(other)
    assert end_urls(current) == []
    (session,) = Session.objects.all()
    assert session.session_key == current.session.session_key


def test_the_oldest_sessions_end_above_the_limit(alice, monkeypatch):
    limit = 2
    monkeypatch.setattr("accounts.services.sessions.MAX_SESSIONS", limit)
    clients = [log_in(alice) for _ in range(limit + 2)]
    assert [is_logged_in(client) for client in clients[:3]] == [False, False, True]
    assert len(end_urls(clients[-1])) == limit - 1


def test_an_untracked_session_is_added_to_the_list(client, alice):
    client.force_login(alice)
    client.get("/settings/profile/")
    assert UserSession.objects.filter(user=alice).count() == 1


def test_the_last_visit_is_saved_once_per_interval(alice, monkeypatch, record_commands):
    monkeypatch.setattr(middleware, "RECORD_INTERVAL_SECONDS", 3600.0)
    current = log_in(alice)

    def writes():
        with record_commands() as commands:
            current.get("/settings/privacy/")
        return [name for name, document in commands if "usersessions" in str(document)]

    assert writes()
    assert not writes()
    monkeypatch.setattr(middleware, "RECORD_INTERVAL_SECONDS", -1.0)
    before = UserSession.objects.get(user=alice).last_seen_at
    assert writes()
    assert UserSession.objects.get(user=alice).last_seen_at > before


@pytest.mark.parametrize(
    ("path", "final_path"),
    [
        ("/accounts/reauthenticate/?next=/settings/profile/", "/settings/profile/"),
        ("/settings/account/deactivate/", "/standing/"),
    ],
)
def test_rehashing_the_password_keeps_the_session(client, alice, settings, path, final_path):
    # Each Django release uses more iterations, so the next log-in replaces the password hash.
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.MD5PasswordHasher",
        "django.contrib.auth.hashers.PBKDF2PasswordHasher",
    ]
    old_hash = alice.password = make_password(PASSWORD, hasher="pbkdf2_sha256")
    alice.save(update_fields=["password"])
    client.force_login(alice)
    response = client.post(path, {"password": PASSWORD}, follow=True)
    alice.refresh_from_db()
    assert alice.password != old_hash
    assert response.request["PATH_INFO"] == final_path
    assert response.wsgi_request.user == alice
