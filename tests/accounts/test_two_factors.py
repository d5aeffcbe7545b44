"""Log-in with a code: turned on, asked for, recovered from, turned off, and needed by staff."""

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth
from django.core.cache import cache
from django.http import Http404
from django.test import Client

from feed.services.posts import delete_post
from tests.factories import PASSWORD, publish

LOG_IN, CODE = "/accounts/login/", "/accounts/2fa/authenticate/"
INDEX, ON, OFF = "/accounts/2fa/", "/accounts/2fa/totp/activate/", "/accounts/2fa/totp/deactivate/"
AGAIN = "/accounts/reauthenticate/"
RECOVERY, NEW = "/accounts/2fa/recovery-codes/", "/accounts/2fa/recovery-codes/generate/"


def with_password(user):
    user.set_password(PASSWORD)
    user.save(update_fields=["password"])
    return user


@pytest.fixture
def alice(alice):
    return with_password(alice)


def say_who_one_is(client):
    assert client.post(AGAIN, {"password": PASSWORD, "next": INDEX}).status_code == 302


def log_in(user):
    client = Client()
    return client, client.post(LOG_IN, {"login": user.username, "password": PASSWORD})


def code_now(secret, steps=0):
    counter = int(time.time()) // 30 + steps
    return auth.format_hotp_value(auth.hotp_value(secret, counter))


def turn_on(client):
    """The secret, and the recovery codes."""
    say_who_one_is(client)
    page = client.get(ON).content.decode()
    secret = re.search(r"<code>([A-Z2-7]+)</code>", page)[1]
    answer = client.post(ON, {"code": code_now(secret)}, follow=True)
    return secret, re.findall(r"<li><code>(\w+)</code></li>", answer.content.decode())


@pytest.fixture
def with_codes(alice):
    client, _ = log_in(alice)
    secret, recovery = turn_on(client)
    return client, secret, recovery


def is_in(client):
    return client.get("/settings/profile/").status_code == 200


def test_the_picture_for_the_app_keeps_to_the_policy(alice):
    client, _ = log_in(alice)
    say_who_one_is(client)
    response = client.get(ON)
    page = response.content.decode()
    assert re.search(r'<img class="qr" src="data:image/svg\+xml;base64,[\w+/=]+"', page)
    assert "data:" in response["Content-Security-Policy"]
    assert not re.search(r"<svg[^>]*qr|style=|<script>", page)


def test_it_is_turned_on_with_a_code_and_gives_recovery_codes(alice):
    client, _ = log_in(alice)
    say_who_one_is(client)
    assert client.post(ON, {"code": "000000"}).status_code == 200
    assert not Authenticator.objects.exists()
    _secret, recovery = turn_on(client)
    assert len(set(recovery)) == 10
    assert b"You have 10 left" in client.get(INDEX).content


def test_a_password_alone_is_not_enough_any_more(with_codes, alice):
    _, secret, _ = with_codes
    client, answer = log_in(alice)
    assert answer["Location"].startswith(CODE)
    assert not is_in(client)
    assert client.post(CODE, {"code": "123456"}).status_code == 200
    assert not is_in(client)
    cache.clear()  # that this code was used a moment ago, to turn it on
    assert client.post(CODE, {"code": code_now(secret)}).status_code == 302
    assert is_in(client)


def test_who_types_slowly_gets_in_and_who_comes_minutes_late_does_not(with_codes, alice):
    _, secret, _ = with_codes
    cache.clear()
    client, _ = log_in(alice)
    assert client.post(CODE, {"code": code_now(secret, steps=-3)}).status_code == 200
    assert client.post(CODE, {"code": code_now(secret, steps=-1)}).status_code == 302
    assert is_in(client)


def test_a_code_page_without_a_code_says_so(with_codes, alice):
    client, _ = log_in(alice)
    for data in (
        {},
        {"code": ""},
        {"credential": "{}"},
        {"code": "\x00" * 9},
        {"code": "x" * 9999},
    ):
        assert client.post(CODE, data).status_code == 200, data
    assert not is_in(client)


def test_a_recovery_code_logs_in_once(with_codes, alice):
    _, _, recovery = with_codes
    client, _ = log_in(alice)
    client.post(CODE, {"code": recovery[0]})
    assert is_in(client)
    assert b"You have 9 left" in client.get(INDEX).content
    again, _ = log_in(alice)
    again.post(CODE, {"code": recovery[0]})
    assert not is_in(again)


def test_recovery_codes_are_made_anew_and_downloaded(with_codes):
    client, _, recovery = with_codes
    assert client.post(NEW)["Location"] == RECOVERY
    answer = client.get(f"{RECOVERY}download/")
    new = answer.content.decode().split()
    assert len(set(new) & set(recovery)) == 0
    assert answer["Content-Type"] == "text/plain"


def test_it_is_turned_off(with_codes, alice):
    client, _, _ = with_codes
    assert b"Turn off two-factor authentication?" in client.get(OFF).content
    client.post(OFF)
    assert not Authenticator.objects.exists()
    again, _ = log_in(alice)
    assert is_in(again)


@pytest.mark.parametrize("path", [ON, OFF, NEW, RECOVERY])
def test_who_logged_in_long_ago_is_asked_once_more(with_codes, path):
    client, _, _ = with_codes
    session = client.session
    session["account_authentication_methods"] = []
    session.save()
    answer = client.get(path, follow=True)
    text = answer.content.decode()
    assert "Confirm it's you" in text or "****" in text or answer.status_code == 404


def test_going_away_needs_a_code_too(with_codes, alice):
    client, _, recovery = with_codes
    away = "/settings/account/deactivate/"
    assert client.post(away, {"password": PASSWORD}).status_code == 422
    assert client.post(away, {"password": PASSWORD, "code": "000000"}).status_code == 422
    wrong = {"password": "wrong", "code": recovery[0]}
    assert client.post(away, wrong).status_code == 422
    assert client.post(away, {"password": PASSWORD, "code": recovery[0]}).status_code == 302
    alice.refresh_from_db()
    assert not alice.is_active


def test_strangers_are_asked_to_log_in(client):
    for path in (INDEX, ON, OFF, NEW, RECOVERY, f"{RECOVERY}download/"):
        assert "/accounts/login/" in client.get(path, follow=True).redirect_chain[-1][0], path


def test_staff_may_be_made_to_use_codes(admin_user, settings, alice):
    with_password(admin_user)
    client, _ = log_in(admin_user)
    assert client.get("/admin/").status_code == 200
    settings.STAFF_NEEDS_2FA = True
    refused = client.get("/admin/", follow=True)
    assert refused.status_code == 403
    assert ON in refused.content.decode()
    assert client.post(f"/admin/accounts/user/{alice.pk}/change/", {}).status_code == 302
    turn_on(client)
    assert client.get("/admin/").status_code == 200


def test_moderators_without_a_code_do_nothing_on_ordinary_pages_either(admin_user, settings, alice):
    with_password(admin_user)
    post = publish(alice, "Hello")
    client, _ = log_in(admin_user)
    assert client.get(f"/posts/{post}/delete/").status_code == 200
    settings.STAFF_NEEDS_2FA = True
    assert client.get(f"/posts/{post}/delete/").status_code == 404
    assert client.post(f"/posts/{post}/delete/").status_code == 404
    with pytest.raises(Http404):
        delete_post(post_id=post, actor=admin_user)
    own = publish(admin_user, "Mine")
    assert client.post(f"/posts/{own}/delete/").status_code == 302
    turn_on(client)
    assert client.post(f"/posts/{post}/delete/").status_code == 302


def test_who_is_no_staff_is_refused_as_before(alice, settings):
    settings.STAFF_NEEDS_2FA = True
    client, _ = log_in(alice)
    assert client.get("/admin/", follow=True).status_code == 403
    assert b"Two-factor authentication required" not in client.get("/admin/", follow=True).content
