"""Sign-up modes: open, by invitation or closed."""

import re
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import IntegrityError
from django.test import Client
from django.utils import timezone

from accounts.blocklists.models import Invitation, InvitedUser
from accounts.models import User
from accounts.services import invitations
from accounts.services.invitations import create_invitation
from tests.at_once import at_once

from .test_admin import joins_and_counts

SIGN_UP = "/accounts/signup/"
PAGE = "/settings/invitations/"
DORA = {"username": "dora", "email": "dora@example.org", "password1": "a long enough secret"}
ERIN = {"username": "erin", "email": "erin@example.org", "password1": "a long enough secret"}


@pytest.fixture(autouse=True)
def invitation_mode(settings):
    settings.SIGN_UP_MODE = "invitation"
    return settings


@pytest.fixture
def as_alice(alice):
    client = Client()
    client.force_login(alice)
    return client


def invite(user, uses=1, **changes):
    invitation = create_invitation(actor=user, max_uses=uses, expires_at=None)
    Invitation.objects.filter(pk=invitation.pk).update(**(changes or {"use_count": 0}))
    return f"/invitations/{invitation.key}/"


def usernames():
    return set(User.objects.values_list("username", flat=True))


def test_sign_up_requires_an_invitation(client):
    for response in (client.get(SIGN_UP), client.post(SIGN_UP, DORA)):
        assert b"You need an invitation to sign up." in response.content
    assert usernames() == set()
    for path in ("/", "/public/", "/accounts/login/"):
        assert client.get(path).status_code == 200
    assert SIGN_UP.encode() not in client.get("/").content


def test_signing_up_with_a_link_records_the_inviter(client, alice):
    link = invite(alice)
    assert client.get(link)["Location"] == SIGN_UP
    assert b"Alice Adams (@alice) invited you." in client.get(SIGN_UP).content
    assert client.post(SIGN_UP, DORA)["Location"] == "/welcome/"
    (invited,) = InvitedUser.objects.all()
    assert invited.user_id == User.objects.get(username="dora").pk
    assert invited.inviter_id == alice.pk
    assert Invitation.objects.get().use_count == 1


def test_a_failed_sign_up_does_not_use_the_invitation(client, alice):
    link = invite(alice)
    client.head(link)
    client.get(link)
    for invalid_field in ({"username": "alice"}, {"email": "x"}, {"password1": "a"}):
        assert client.post(SIGN_UP, {**DORA, **invalid_field}).status_code == 200
    assert Invitation.objects.get().use_count == 0
    assert client.post(SIGN_UP, DORA).status_code == 302


def test_a_username_taken_concurrently_does_not_use_the_invitation(client, alice):
    link = invite(alice)
    key = link.split("/")[2]
    with pytest.raises(IntegrityError):
        invitations.sign_up(user=User(username="alice", email="a@b.org"), invitation_key=key)
    assert Invitation.objects.get().use_count == 0
    assert not InvitedUser.objects.exists()


def test_the_inviter_is_recorded_with_mandatory_email_verification(
    client, alice, settings, mailoutbox
):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    client.get(invite(alice))
    assert client.post(SIGN_UP, DORA).status_code == 302
    (mail,) = mailoutbox
    (link,) = re.findall(r"http://testserver(\S+confirm-email\S+)", mail.body)
    assert client.post(link).status_code == 302
    assert InvitedUser.objects.get().inviter_id == alice.pk
    assert Invitation.objects.get().use_count == 1


def test_concurrent_sign_ups_cannot_both_use_a_single_use_invitation(alice):
    link = invite(alice)
    clients = [Client(), Client()]
    for visitor_client in clients:
        assert visitor_client.get(link).status_code == 302
    responses = []

    def sign_up(client, data):
        responses.append(client.post(SIGN_UP, data))

    at_once(lambda: sign_up(clients[0], DORA), lambda: sign_up(clients[1], ERIN))
    assert sorted(response.status_code for response in responses) == [200, 302]
    assert len(usernames()) == 2
    assert Invitation.objects.get().use_count == InvitedUser.objects.count() == 1
    (rejected,) = [response for response in responses if response.status_code == 200]
    assert b"invitation" in rejected.content


def test_an_invitation_can_be_used_max_uses_times(alice):
    link = invite(alice, uses=2)
    for n in range(3):
        client = Client()
        opened = client.get(link)
        assert opened.status_code == (302 if n < 2 else 404)
        client.post(SIGN_UP, {**DORA, "username": f"p{n}", "email": f"p{n}@example.org"})
    assert usernames() == {"alice", "p0", "p1"}


@pytest.mark.parametrize(
    "changes",
    [
        {"use_count": 1},
        {"revoked_at": timezone.now()},
        {"expires_at": timezone.now() - timedelta(1)},
    ],
)
def test_invalid_invitations_are_rejected_before_and_after_opening_the_link(client, alice, changes):
    link = invite(alice)
    earlier_client = Client()
    earlier_client.get(link)
    Invitation.objects.update(**changes)
    response = client.get(link)
    assert response.status_code == 404
    assert b"This invitation is no longer valid" in response.content
    for visitor_client in (client, earlier_client):
        assert b"You need an invitation to sign up." in visitor_client.post(SIGN_UP, DORA).content
    assert usernames() == {"alice"}


def test_guessed_links_are_not_found(client, alice):
    invite(alice)
    for key in ("x", "a" * 24, "a" * 5000, "%00", "..", "$ne", "٣" * 24):
        assert client.get(f"/invitations/{key}/").status_code == 404, key
    assert b"You need an invitation to sign up." in client.get(SIGN_UP).content


def test_closed_sign_up_rejects_invitations(client, alice, as_alice, settings):
    link = invite(alice)
    client.get(link)
    settings.SIGN_UP_MODE = "closed"
    for response in (client.get(SIGN_UP), client.post(SIGN_UP, DORA)):
        assert b"Sign-ups are closed" in response.content
    assert client.get(link).status_code == 404
    assert as_alice.post(PAGE, {"max_uses": 1, "valid_days": 7}).status_code == 422
    assert usernames() == {"alice"}


def test_open_sign_up_records_the_inviter(client, alice, settings):
    settings.SIGN_UP_MODE = "open"
    link = invite(alice)
    other = Client()
    other.get(link)
    client.get(link)
    assert client.post(SIGN_UP, DORA).status_code == 302
    assert other.post(SIGN_UP, ERIN).status_code == 302, "used up, but sign-up needs no invitation"
    assert [invited_user.inviter_id for invited_user in InvitedUser.objects.all()] == [alice.pk]


def test_logged_in_users_cannot_use_an_invitation(as_alice, alice):
    response = as_alice.get(invite(alice), follow=True)
    assert b"You already have an account." in response.content


def test_invitations_are_created_listed_and_revoked(as_alice, client):
    assert as_alice.post(PAGE, {"max_uses": 3, "valid_days": 7})["Location"] == PAGE
    invitation = Invitation.objects.get()
    assert invitation.max_uses == 3
    assert timedelta(days=6) < invitation.expires_at - timezone.now() <= timedelta(days=7)
    html = as_alice.get(PAGE).content.decode()
    assert f'value="http://testserver/invitations/{invitation.key}/"' in html
    assert f'data-copy="/invitations/{invitation.key}/"' in html
    assert "Used 0 of 3 times" in html
    for _ in range(2):
        assert as_alice.post(f"{PAGE}{invitation.pk}/revoke/").status_code == 302
    html = as_alice.get(PAGE).content.decode()
    assert "revoked" in html
    assert invitation.key not in html
    assert client.get(f"/invitations/{invitation.key}/").status_code == 404


INVALID_FORMS = (
    *({}, {"max_uses": 0, "valid_days": 7}, {"max_uses": 11, "valid_days": 7}),
    *({"max_uses": 1, "valid_days": 0}, {"max_uses": "x", "valid_days": "x"}),
    {"max_uses": 10**30, "valid_days": 7},
)


def test_invalid_input_shows_an_error_at_the_field(as_alice):
    for data in INVALID_FORMS:
        response = as_alice.post(PAGE, data)
        assert response.status_code == 422, data
        assert b"_error" in response.content, data
    assert not Invitation.objects.exists()


def test_invitations_are_rate_limited_except_for_staff(as_alice, alice, settings):
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "invitation": "1/7d"}
    statuses = [as_alice.post(PAGE, {"max_uses": 1, "valid_days": 1}).status_code for _ in range(3)]
    assert statuses == [302, 429, 429]
    assert (
        b"You can create one invitation in 7 days."
        in as_alice.post(PAGE, {"max_uses": 1, "valid_days": 1}).content
    )
    alice.is_staff = True
    alice.save()
    assert as_alice.post(PAGE, {"max_uses": 500, "valid_days": 0}).status_code == 302
    assert Invitation.objects.order_by("-pk")[0].expires_at is None


def test_invitations_of_other_users_are_not_shown_and_cannot_be_revoked(as_alice, bob):
    link = invite(bob)
    assert link.encode() not in as_alice.get(PAGE).content
    as_alice.post(f"{PAGE}{Invitation.objects.get().pk}/revoke/")
    assert Invitation.objects.get().is_usable


@pytest.mark.parametrize("method", ["get", "post"])
def test_inviting_requires_a_log_in(client, method):
    assert getattr(client, method)(PAGE)["Location"].startswith("/accounts/login/")


def test_moderators_see_inviters_and_revoke_invitations(
    client, admin_user, alice, bob, record_commands
):
    visitor = Client()
    visitor.get(invite(alice))
    visitor.post(SIGN_UP, DORA)
    for user in (alice, bob):
        invite(user)
    client.force_login(admin_user)
    with record_commands() as commands:
        people = client.get("/admin/accounts/inviteduser/?q=@alice").content
        response = client.get("/admin/accounts/invitation/?q=bob")
    assert b"@dora" in people
    assert b"@alice" in people
    assert [invitation.created_by_id for invitation in response.context["cl"].result_list] == [
        bob.pk
    ]
    assert joins_and_counts(commands) == []
    assert len(commands) <= 14
    (invitation,) = response.context["cl"].result_list
    assert client.get(f"/admin/accounts/invitation/{invitation.pk}/change/").status_code == 200
    client.post(
        "/admin/accounts/invitation/", {"action": "revoke", "_selected_action": [invitation.pk]}
    )
    assert not Invitation.objects.get(pk=invitation.pk).is_usable


def test_sign_ups_from_a_network_are_rate_limited(settings):
    settings.SIGN_UP_MODE = "open"
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "sign_up": "2/d"}
    statuses = []
    for n in range(4):
        data = {**DORA, "username": f"p{n}", "email": f"p{n}@example.org"}
        response = Client().post(SIGN_UP, data)
        statuses.append(response.status_code)
    assert statuses == [302, 302, 429, 429]
    assert b'value="p3"' in response.content
    assert b"Your network can create 2 accounts in 1 day." in response.content
    assert int(response["Retry-After"]) > 80_000
    assert len(usernames()) == 2


def test_an_unknown_sign_up_mode_fails_the_system_check(settings):
    settings.SIGN_UP_MODE = "maybe"
    with pytest.raises(SystemCheckError, match="SIGN_UP_MODE is 'maybe'"):
        call_command("check")
