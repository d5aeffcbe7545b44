"""A stolen session does not become the account: what asks for the password again, and who is told."""

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from django.core.mail import EmailMessage
from django.test import Client

from accounts.models import User
from accounts.oauth.models import AccessToken, Grant
from tests.api.test_oauth import allow, app, asked
from tests.factories import PASSWORD
from tests.log_ins import confirm_log_in, log_in

EMAIL = "/accounts/email/"
PASSWORD_PAGE = "/accounts/password/change/"
CONFIRM = "/accounts/reauthenticate/"
NEW = "an even longer secret"
HOURS = 3 * 3600


@pytest.fixture
def stolen(client, alice):
    """A session of alice, who typed her password hours ago."""
    alice.emailaddress_set.create(email=alice.email, verified=True, primary=True)
    alice.emailaddress_set.create(email="second@example.org", verified=True)
    client.force_login(alice)
    confirm_log_in(client, seconds_ago=HOURS)
    return client


def addresses(user):
    return {address.email: address.primary for address in user.emailaddress_set.all()}


@pytest.mark.parametrize(
    "sent",
    [
        {"action_add": "", "email": "thief@example.org"},
        {"action_primary": "", "email": "second@example.org"},
        {"action_remove": "", "email": "second@example.org"},
    ],
)
def test_addresses_change_only_after_the_password(stolen, alice, mailoutbox, sent):
    before = addresses(alice)
    response = stolen.post(EMAIL, sent)
    assert response.status_code == 302
    assert response["Location"].startswith(CONFIRM)
    assert addresses(alice) == before
    assert mailoutbox == []
    done = stolen.post(response["Location"], {"password": PASSWORD, "next": EMAIL}, follow=True)
    assert done.status_code == 200
    assert addresses(alice) != before


@pytest.mark.parametrize(
    ("sent", "subject"),
    [
        ({"action_add": "", "email": "new@example.org"}, "An e-mail address was added"),
        (
            {"action_primary": "", "email": "second@example.org"},
            "The e-mail address of your account",
        ),
        ({"action_remove": "", "email": "second@example.org"}, "An e-mail address was removed"),
    ],
)
def test_the_old_address_is_told_of_every_change(stolen, mailoutbox, sent, subject):
    confirm_log_in(stolen)
    stolen.post(EMAIL, sent)
    (mail,) = [mail for mail in mailoutbox if mail.to == ["alice@example.org"]]
    assert subject in mail.subject
    assert sent["email"] in mail.body
    assert "If this was not you, change your password immediately." in mail.body


def test_a_new_password_needs_the_old_one_and_is_told(stolen, alice, mailoutbox):
    sent = {"password1": NEW, "password2": NEW}
    assert stolen.post(PASSWORD_PAGE, sent | {"oldpassword": "guess"}).status_code == 200
    assert User.objects.get(pk=alice.pk).check_password(PASSWORD)
    assert stolen.post(PASSWORD_PAGE, sent | {"oldpassword": PASSWORD}).status_code == 302
    (mail,) = mailoutbox
    assert mail.to == ["alice@example.org"]
    assert "Your password was changed" in mail.subject


def test_a_reset_password_is_told(client, alice, mailoutbox):
    alice.emailaddress_set.create(email=alice.email, verified=True, primary=True)
    client.post("/accounts/password/reset/", {"email": alice.email})
    link = re.search(r"http://testserver(/\S+)", mailoutbox[-1].body)[1]
    form = client.get(link, follow=True)
    client.post(form.redirect_chain[-1][0], {"password1": NEW, "password2": NEW})
    assert "Your password was reset" in mailoutbox[-1].subject
    assert mailoutbox[-1].to == [alice.email]


def test_two_factor_settings_change_only_after_the_password(stolen, alice, mailoutbox):
    activate = "/accounts/2fa/totp/activate/"
    assert stolen.get(activate)["Location"].startswith(CONFIRM)
    confirm_log_in(stolen)
    secret = re.search(r"[A-Z2-7]{32}", stolen.get(activate).content.decode())[0]
    code = totp.hotp_value(secret, int(time.time()) // 30)
    stolen.post(activate, {"code": f"{code:06d}"})
    assert "Two-factor authentication is on" in mailoutbox[0].subject
    confirm_log_in(stolen, seconds_ago=HOURS)
    for path in ("totp/deactivate/", "recovery-codes/generate/", "recovery-codes/"):
        assert stolen.get(f"/accounts/2fa/{path}")["Location"].startswith(CONFIRM)
    assert stolen.post("/accounts/2fa/totp/deactivate/")["Location"].startswith(CONFIRM)
    assert Authenticator.objects.filter(user=alice, type=Authenticator.Type.TOTP).exists()
    confirm_log_in(stolen)
    stolen.post("/accounts/2fa/totp/deactivate/")
    assert "Two-factor authentication is off" in mailoutbox[-1].subject


def test_an_app_gets_no_token_by_a_stolen_session(stolen, alice):
    client_app = app()
    page = stolen.get("/oauth/authorize", asked(client_app))
    assert page["Location"].startswith(f"{CONFIRM}?next=%2Foauth%2Fauthorize%3F")
    sent = asked(client_app) | {"allow": "yes"}
    assert stolen.post("/oauth/authorize", sent)["Location"].startswith(CONFIRM)
    assert not Grant.objects.exists()
    done = stolen.post(page["Location"], {"password": PASSWORD}, follow=True)
    assert "Authorize “" in done.content.decode()
    assert stolen.get("/oauth/authorize", asked(client_app)).status_code == 200


def test_a_log_in_on_the_way_to_an_app_is_enough(client, alice):
    client_app = app()
    asked_to_log_in = client.get("/oauth/authorize", asked(client_app))
    sent = {"login": "alice", "password": PASSWORD}
    page = client.post(asked_to_log_in["Location"], sent, follow=True)
    assert page.request["PATH_INFO"] == "/oauth/authorize"
    assert page.status_code == 200


def test_without_a_mail_server_changes_are_made_all_the_same(
    stolen, alice, settings, caplog, monkeypatch
):
    confirm_log_in(stolen)

    def fail(*_args, **_more):
        raise ConnectionRefusedError

    monkeypatch.setattr(EmailMessage, "send", fail)
    sent = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    assert stolen.post(PASSWORD_PAGE, sent).status_code == 302
    assert User.objects.get(pk=alice.pk).check_password(NEW)
    assert "The mail account/email/password_changed was not sent" in caplog.text


def test_a_new_app_is_told_by_mail(alice, mailoutbox):
    alice.emailaddress_set.create(email=alice.email, verified=True, primary=True)
    client = Client()
    log_in(client, alice)
    client_app = app()
    allow(client, client_app)
    (mail,) = mailoutbox
    assert mail.to == [alice.email]
    assert client_app["name"] in mail.body
    assert not AccessToken.objects.exists()
