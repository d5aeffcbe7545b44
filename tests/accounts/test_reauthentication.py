"""Stolen sessions: sensitive changes ask for the password again and are reported by email."""

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from django.core.mail import EmailMessage
from django.test import Client

from accounts.models import User
from accounts.oauth.models import AccessToken, Grant
from tests.api.test_oauth import allow, authorization_query, register_app
from tests.factories import PASSWORD
from tests.log_ins import authenticator_code, confirm_log_in, log_in

EMAIL = "/accounts/email/"
PASSWORD_PAGE = "/accounts/password/change/"
CONFIRM = "/accounts/reauthenticate/"
NEW_PASSWORD = "an even longer secret"
HOURS = 3 * 3600


@pytest.fixture
def stolen_session(client, alice):
    """Return a client with a session of alice, who entered her password hours ago."""
    alice.emailaddress_set.create(email=alice.email, verified=True, primary=True)
    alice.emailaddress_set.create(email="second@example.org", verified=True)
    client.force_login(alice)
    confirm_log_in(client, seconds_ago=HOURS)
    return client


def addresses(user):
    return {address.email: address.primary for address in user.emailaddress_set.all()}


@pytest.mark.parametrize(
    "form",
    [
        {"action_add": "", "email": "thief@example.org"},
        {"action_primary": "", "email": "second@example.org"},
        {"action_remove": "", "email": "second@example.org"},
    ],
)
def test_changing_email_addresses_requires_the_password(stolen_session, alice, mailoutbox, form):
    before = addresses(alice)
    response = stolen_session.post(EMAIL, form)
    assert response.status_code == 302
    assert response["Location"].startswith(CONFIRM)
    assert addresses(alice) == before
    assert mailoutbox == []
    done = stolen_session.post(
        response["Location"], {"password": PASSWORD, "next": EMAIL}, follow=True
    )
    assert done.status_code == 200
    assert addresses(alice) != before


@pytest.mark.parametrize(
    ("form", "subject"),
    [
        ({"action_add": "", "email": "new@example.org"}, "An email address was added"),
        (
            {"action_primary": "", "email": "second@example.org"},
            "Your email address was changed",
        ),
        ({"action_remove": "", "email": "second@example.org"}, "An email address was removed"),
    ],
)
def test_the_old_address_is_notified_of_every_change(stolen_session, mailoutbox, form, subject):
    confirm_log_in(stolen_session)
    stolen_session.post(EMAIL, form)
    (mail,) = [mail for mail in mailoutbox if mail.to == ["alice@example.org"]]
    assert subject in mail.subject
    assert form["email"] in mail.body
    assert "If this was not you, change your password immediately." in mail.body


def test_a_new_password_requires_the_old_password_and_sends_a_mail(
    stolen_session, alice, mailoutbox
):
    form = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    assert stolen_session.post(PASSWORD_PAGE, form | {"oldpassword": "guess"}).status_code == 200
    assert User.objects.get(pk=alice.pk).check_password(PASSWORD)
    assert stolen_session.post(PASSWORD_PAGE, form | {"oldpassword": PASSWORD}).status_code == 302
    (mail,) = mailoutbox
    assert mail.to == ["alice@example.org"]
    assert "Your password was changed" in mail.subject


def test_a_password_reset_sends_a_mail(client, alice, mailoutbox):
    alice.emailaddress_set.create(email=alice.email, verified=True, primary=True)
    client.post("/accounts/password/reset/", {"email": alice.email})
    link = re.search(r"http://testserver(/\S+)", mailoutbox[-1].body)[1]
    form = client.get(link, follow=True)
    client.post(form.redirect_chain[-1][0], {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD})
    assert "Your password was reset" in mailoutbox[-1].subject
    assert mailoutbox[-1].to == [alice.email]


def test_two_factor_settings_require_the_password(stolen_session, alice, mailoutbox):
    activate = "/accounts/2fa/totp/activate/"
    assert stolen_session.get(activate)["Location"].startswith(CONFIRM)
    confirm_log_in(stolen_session)
    secret = re.search(r"[A-Z2-7]{32}", stolen_session.get(activate).content.decode())[0]
    code = authenticator_code(secret, int(time.time()) // 30)
    stolen_session.post(activate, {"code": code})
    assert "Two-factor authentication is on" in mailoutbox[0].subject
    confirm_log_in(stolen_session, seconds_ago=HOURS)
    for path in ("totp/deactivate/", "recovery-codes/generate/", "recovery-codes/"):
        assert stolen_session.get(f"/accounts/2fa/{path}")["Location"].startswith(CONFIRM)
    assert stolen_session.post("/accounts/2fa/totp/deactivate/")["Location"].startswith(CONFIRM)
    assert Authenticator.objects.filter(user=alice, type=Authenticator.Type.TOTP).exists()
    confirm_log_in(stolen_session)
    stolen_session.post("/accounts/2fa/totp/deactivate/")
    assert "Two-factor authentication is off" in mailoutbox[-1].subject


def test_authorizing_an_app_requires_the_password(stolen_session, alice):
    client_app = register_app()
    page = stolen_session.get("/oauth/authorize", authorization_query(client_app))
    assert page["Location"].startswith(f"{CONFIRM}?next=%2Foauth%2Fauthorize%3F")
    form = authorization_query(client_app) | {"allow": "yes"}
    assert stolen_session.post("/oauth/authorize", form)["Location"].startswith(CONFIRM)
    assert not Grant.objects.exists()
    done = stolen_session.post(page["Location"], {"password": PASSWORD}, follow=True)
    assert "Authorize “" in done.content.decode()
    assert (
        stolen_session.get("/oauth/authorize", authorization_query(client_app)).status_code == 200
    )


def test_authorizing_an_app_after_a_log_in_asks_for_no_second_password(client, alice):
    client_app = register_app()
    log_in_redirect = client.get("/oauth/authorize", authorization_query(client_app))
    form = {"login": "alice", "password": PASSWORD}
    page = client.post(log_in_redirect["Location"], form, follow=True)
    assert page.request["PATH_INFO"] == "/oauth/authorize"
    assert page.status_code == 200


def test_changes_are_saved_if_the_mail_server_fails(
    stolen_session, alice, settings, caplog, monkeypatch
):
    confirm_log_in(stolen_session)

    def fail(*_args, **_more):
        raise ConnectionRefusedError

    monkeypatch.setattr(EmailMessage, "send", fail)
    form = {"oldpassword": PASSWORD, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    assert stolen_session.post(PASSWORD_PAGE, form).status_code == 302
    assert User.objects.get(pk=alice.pk).check_password(NEW_PASSWORD)
    assert "The mail account/email/password_changed was not sent" in caplog.text


def test_authorizing_an_app_sends_a_mail(alice, mailoutbox):
    alice.emailaddress_set.create(email=alice.email, verified=True, primary=True)
    client = Client()
    log_in(client, alice)
    client_app = register_app()
    allow(client, client_app)
    (mail,) = mailoutbox
    assert mail.to == [alice.email]
    assert client_app["name"] in mail.body
    assert not AccessToken.objects.exists()
