"""Where one is logged in: the list, and how log-ins end."""

import re

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.models import Session
from django.test import Client

from accounts import middleware
from accounts.infra.user_agents import describe_device
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


def log_in(user, agent=FIREFOX, **more):
    client = Client(headers={"User-Agent": agent}, **more)
    assert (
        client.post("/accounts/login/", {"login": user.username, "password": PASSWORD}).status_code
        == 302
    )
    return client


def is_in(client):
    return client.get("/settings/profile/").status_code == 200


def ends(client):
    """The addresses of the forms that end a session."""
    page = client.get(LIST).content.decode()
    return re.findall(r'action="(/settings/sessions/\d+/end/)"', page)


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        (IPHONE, "Safari on iPhone"),
        (EDGE, "Edge on Windows"),
        ("curl/8.0", "curl"),
        ("<script>", "An unknown device"),
        ("", "An unknown device"),
    ],
)
def test_a_device_is_told_in_words(agent, words):
    assert describe_device(user_agent=agent) == words


def test_one_sees_where_one_is_logged_in(alice, bob):
    here = log_in(alice)
    log_in(alice, IPHONE, REMOTE_ADDR="192.0.2.7")
    page = here.get(LIST).content.decode()
    this, other = page.index("Firefox on Linux"), page.index("Safari on iPhone")
    assert this < page.index("This one") < other < page.index("192.0.2.7")
    assert len(ends(here)) == 1


def test_one_of_them_is_logged_out(alice):
    here, there = log_in(alice), log_in(alice, IPHONE)
    (end,) = ends(here)
    assert is_in(there)
    assert here.post(end)["Location"] == LIST
    assert not is_in(there)
    assert is_in(here)
    assert here.post(end).status_code == 404
    assert ends(here) == []


def test_all_others_are_logged_out(alice, bob):
    bob.set_password(PASSWORD)
    bob.save()
    here, bobs, *there = log_in(alice), log_in(bob), log_in(alice), log_in(alice)
    here.post(OTHERS)
    assert [is_in(one) for one in (here, bobs, *there)] == [True, True, False, False]


def test_nobody_ends_sessions_of_others(alice, bob):
    log_in(alice)
    there = UserSession.objects.get(user=alice)
    client = Client()
    path = f"/settings/sessions/{there.pk}/end/"
    assert client.post(path)["Location"].startswith("/accounts/login/")
    client.force_login(bob)
    assert client.post(path).status_code == 404
    assert client.post("/settings/sessions/1/end/").status_code == 404
    assert UserSession.objects.filter(pk=there.pk).exists()
    assert client.get(path).status_code == 405


def test_a_new_password_ends_the_others(alice):
    here, there = log_in(alice), log_in(alice, IPHONE)
    new = "quite another secret"
    data = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    assert here.post("/accounts/password/change/", data).status_code == 302
    assert is_in(here)
    assert not is_in(there)
    assert ends(here) == []
    (left,) = Session.objects.all()
    assert left.session_key == here.session.session_key


def test_the_oldest_log_ins_end(alice, monkeypatch):
    most = 2
    monkeypatch.setattr("accounts.services.sessions.MAX_SESSIONS", most)
    clients = [log_in(alice) for _ in range(most + 2)]
    assert [is_in(one) for one in clients[:3]] == [False, False, True]
    assert len(ends(clients[-1])) == most - 1


def test_a_log_in_from_before_the_list_comes_into_it(client, alice):
    client.force_login(alice)
    client.get("/settings/profile/")
    assert UserSession.objects.filter(user=alice).count() == 1


def test_that_somebody_is_here_is_noted_now_and_then(alice, monkeypatch, record_commands):
    monkeypatch.setattr(middleware, "NOTE_INTERVAL_SECONDS", 3600.0)
    here = log_in(alice)

    def writes():
        with record_commands() as commands:
            here.get("/settings/privacy/")
        return [one for one, document in commands if "usersessions" in str(document)]

    assert writes()
    assert not writes()
    monkeypatch.setattr(middleware, "NOTE_INTERVAL_SECONDS", -1.0)
    before = UserSession.objects.get(user=alice).last_seen_at
    assert writes()
    assert UserSession.objects.get(user=alice).last_seen_at > before


@pytest.mark.parametrize(
    ("path", "ends_at"),
    [
        ("/accounts/reauthenticate/?next=/settings/profile/", "/settings/profile/"),
        ("/settings/account/deactivate/", "/standing/"),
    ],
)
def test_who_says_the_password_again_stays_when_it_is_hashed_anew(
    client, alice, settings, path, ends_at
):
    """As after each release of the framework, which hashes more slowly than the one before."""
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.MD5PasswordHasher",
        "django.contrib.auth.hashers.PBKDF2PasswordHasher",
    ]
    before = alice.password = make_password(PASSWORD, hasher="pbkdf2_sha256")
    alice.save(update_fields=["password"])
    client.force_login(alice)
    answer = client.post(path, {"password": PASSWORD}, follow=True)
    alice.refresh_from_db()
    assert alice.password != before
    assert answer.request["PATH_INFO"] == ends_at
    assert answer.wsgi_request.user == alice
