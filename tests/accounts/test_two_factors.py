"""Two-factor authentication: turning it on and off, logging in, recovery codes and staff."""

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.http import Http404
from django.test import Client

from feed.services.posts import delete_post
from tests.factories import PASSWORD, publish
from tests.log_ins import authenticator_code

LOG_IN, CODE = "/accounts/login/", "/accounts/2fa/authenticate/"
INDEX, ON, OFF = "/accounts/2fa/", "/accounts/2fa/totp/activate/", "/accounts/2fa/totp/deactivate/"
REAUTHENTICATE = "/accounts/reauthenticate/"
RECOVERY, GENERATE = "/accounts/2fa/recovery-codes/", "/accounts/2fa/recovery-codes/generate/"


STEP_SECONDS = 1_000_000


def set_password(user):
    user.set_password(PASSWORD)
    user.save(update_fields=["password"])
    return user


@pytest.fixture
def alice(alice):
    return set_password(alice)


def reauthenticate(client):
    assert client.post(REAUTHENTICATE, {"password": PASSWORD, "next": INDEX}).status_code == 302


def log_in(user):
    client = Client()
    return client, client.post(LOG_IN, {"login": user.username, "password": PASSWORD})


@pytest.fixture(autouse=True)
def long_steps(settings):
    """Make a code valid for eleven days, so that no step ends between the test and the server."""
    settings.MFA_TOTP_PERIOD = STEP_SECONDS


def code_now(secret, steps=0):
    counter = int(time.time()) // STEP_SECONDS + steps
    return authenticator_code(secret, counter)


def turn_on(client):
    """Turn on two-factor authentication. Return the secret and the recovery codes."""
    reauthenticate(client)
    page = client.get(ON).content.decode()
    secret = re.search(r"<code>([A-Z2-7]+)</code>", page)[1]
    response = client.post(ON, {"code": code_now(secret)}, follow=True)
    return secret, re.findall(r"<li><code>(\w+)</code></li>", response.content.decode())


@pytest.fixture
def two_factor_user(alice):
    client, _ = log_in(alice)
    secret, recovery_codes = turn_on(client)
    return client, secret, recovery_codes


def is_logged_in(client):
    return client.get("/settings/profile/").status_code == 200


def test_the_qr_code_respects_the_content_security_policy(alice):
    client, _ = log_in(alice)
    reauthenticate(client)
    response = client.get(ON)
    page = response.content.decode()
    assert re.search(r'<img class="qr" src="data:image/svg\+xml;base64,[\w+/=]+"', page)
    assert "data:" in response["Content-Security-Policy"]
    assert not re.search(r"<svg[^>]*qr|style=|<script>", page)


def test_turning_on_requires_a_code_and_returns_recovery_codes(alice):
    client, _ = log_in(alice)
    reauthenticate(client)
    assert client.post(ON, {"code": "000000"}).status_code == 200
    assert not Authenticator.objects.exists()
    _secret, recovery_codes = turn_on(client)
    assert len(set(recovery_codes)) == 10
    assert b"You have 10 left" in client.get(INDEX).content


def test_log_in_requires_a_code(two_factor_user, alice):
    _, secret, _ = two_factor_user
    client, response = log_in(alice)
    assert response["Location"].startswith(CODE)
    assert not is_logged_in(client)
    assert client.post(CODE, {"code": "123456"}).status_code == 200
    assert not is_logged_in(client)
    cache.clear()  # allow the same code again, although turning on has used it
    assert client.post(CODE, {"code": code_now(secret)}).status_code == 302
    assert is_logged_in(client)


def test_the_previous_code_is_accepted_and_older_codes_are_not(two_factor_user, alice):
    _, secret, _ = two_factor_user
    cache.clear()
    client, _ = log_in(alice)
    assert client.post(CODE, {"code": code_now(secret, steps=-3)}).status_code == 200
    assert client.post(CODE, {"code": code_now(secret, steps=-1)}).status_code == 302
    assert is_logged_in(client)


def test_a_missing_or_invalid_code_shows_the_page_again(two_factor_user, alice):
    client, _ = log_in(alice)
    for data in (
        {},
        {"code": ""},
        {"credential": "{}"},
        {"code": "\x00" * 9},
        {"code": "x" * 9999},
    ):
        assert client.post(CODE, data).status_code == 200, data
    assert not is_logged_in(client)


def test_a_recovery_code_logs_in_once(two_factor_user, alice):
    _, _, recovery_codes = two_factor_user
    client, _ = log_in(alice)
    client.post(CODE, {"code": recovery_codes[0]})
    assert is_logged_in(client)
    assert b"You have 9 left" in client.get(INDEX).content
    second_client, _ = log_in(alice)
    second_client.post(CODE, {"code": recovery_codes[0]})
    assert not is_logged_in(second_client)


def test_recovery_codes_are_replaced_and_downloaded(two_factor_user):
    client, _, recovery_codes = two_factor_user
    assert client.post(GENERATE)["Location"] == RECOVERY
    response = client.get(f"{RECOVERY}download/")
    new_codes = response.content.decode().split()
    assert len(set(new_codes) & set(recovery_codes)) == 0
    assert response["Content-Type"] == "text/plain"


def test_two_factor_authentication_is_turned_off(two_factor_user, alice):
    client, _, _ = two_factor_user
    assert b"Turn off two-factor authentication?" in client.get(OFF).content
    client.post(OFF)
    assert not Authenticator.objects.exists()
    second_client, _ = log_in(alice)
    assert is_logged_in(second_client)


@pytest.mark.parametrize("path", [ON, OFF, GENERATE, RECOVERY])
def test_old_log_ins_are_asked_to_reauthenticate(two_factor_user, path):
    client, _, _ = two_factor_user
    session = client.session
    session["account_authentication_methods"] = []
    session.save()
    response = client.get(path, follow=True)
    text = response.content.decode()
    assert "Confirm it's you" in text or "****" in text or response.status_code == 404


def test_deactivating_requires_a_code(two_factor_user, alice):
    client, _, recovery_codes = two_factor_user
    deactivate = "/settings/account/deactivate/"
    assert client.post(deactivate, {"password": PASSWORD}).status_code == 422
    assert client.post(deactivate, {"password": PASSWORD, "code": "000000"}).status_code == 422
    wrong = {"password": "wrong", "code": recovery_codes[0]}
    assert client.post(deactivate, wrong).status_code == 422
    assert (
        client.post(deactivate, {"password": PASSWORD, "code": recovery_codes[0]}).status_code
        == 302
    )
    alice.refresh_from_db()
    assert not alice.is_active


def test_anonymous_visitors_are_asked_to_log_in(client):
    for path in (INDEX, ON, OFF, GENERATE, RECOVERY, f"{RECOVERY}download/"):
        assert "/accounts/login/" in client.get(path, follow=True).redirect_chain[-1][0], path


def test_staff_can_be_required_to_use_two_factor_authentication(admin_user, settings, alice):
    set_password(admin_user)
    client, _ = log_in(admin_user)
    assert client.get("/admin/").status_code == 200
    settings.STAFF_NEEDS_2FA = True
    rejected = client.get("/admin/", follow=True)
    assert rejected.status_code == 403
    assert ON in rejected.content.decode()
    assert client.post(f"/admin/accounts/user/{alice.pk}/change/", {}).status_code == 302
    turn_on(client)
    assert client.get("/admin/").status_code == 200


def test_moderators_without_two_factor_authentication_cannot_moderate_on_pages(
    admin_user, settings, alice
):
    set_password(admin_user)
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


def test_other_users_are_not_asked_for_two_factor_authentication(alice, settings):
    settings.STAFF_NEEDS_2FA = True
    client, _ = log_in(alice)
    assert client.get("/admin/", follow=True).status_code == 403
    assert b"Two-factor authentication required" not in client.get("/admin/", follow=True).content
