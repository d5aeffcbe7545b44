"""Sign-ups: open to everybody, by invitation or closed."""

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
def by_invitation(settings):
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


def names():
    return set(User.objects.values_list("username", flat=True))


def test_without_an_invitation_nobody_signs_up(client):
    for response in (client.get(SIGN_UP), client.post(SIGN_UP, DORA)):
        assert b"Sign-up is by invitation only." in response.content
    assert names() == set()
    for path in ("/", "/public/", "/accounts/login/"):
        assert client.get(path).status_code == 200
    assert SIGN_UP.encode() not in client.get("/").content


def test_who_has_the_link_signs_up_and_it_is_known_who_invited_them(client, alice):
    link = invite(alice)
    assert client.get(link)["Location"] == SIGN_UP
    assert b"Alice Adams (@alice) invites you." in client.get(SIGN_UP).content
    assert client.post(SIGN_UP, DORA)["Location"] == "/"
    (invited,) = InvitedUser.objects.all()
    assert invited.user_id == User.objects.get(username="dora").pk
    assert invited.inviter_id == alice.pk
    assert Invitation.objects.get().use_count == 1


def test_a_failed_sign_up_uses_up_nothing(client, alice):
    link = invite(alice)
    client.head(link)
    client.get(link)
    for wrong in ({"username": "alice"}, {"email": "x"}, {"password1": "a"}):
        assert client.post(SIGN_UP, {**DORA, **wrong}).status_code == 200
    assert Invitation.objects.get().use_count == 0
    assert client.post(SIGN_UP, DORA).status_code == 302


def test_a_name_taken_at_the_last_moment_uses_up_nothing(client, alice):
    link = invite(alice)
    key = link.split("/")[2]
    with pytest.raises(IntegrityError):
        invitations.sign_up(user=User(username="alice", email="a@b.org"), invitation_key=key)
    assert Invitation.objects.get().use_count == 0
    assert not InvitedUser.objects.exists()


def test_the_invitation_outlasts_the_confirmation_of_an_address(
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


def test_of_two_at_once_one_comes_by_an_invitation_for_one(alice):
    link = invite(alice)
    clients = [Client(), Client()]
    for row in clients:
        assert row.get(link).status_code == 302
    answers = []

    def sign_up(client, data):
        answers.append(client.post(SIGN_UP, data))

    at_once(lambda: sign_up(clients[0], DORA), lambda: sign_up(clients[1], ERIN))
    assert sorted(answer.status_code for answer in answers) == [200, 302]
    assert len(names()) == 2
    assert Invitation.objects.get().use_count == InvitedUser.objects.count() == 1
    (refused,) = [answer for answer in answers if answer.status_code == 200]
    assert b"invitation" in refused.content


def test_one_for_several_is_good_for_so_many(alice):
    link = invite(alice, uses=2)
    for n in range(3):
        client = Client()
        opened = client.get(link)
        assert opened.status_code == (302 if n < 2 else 404)
        client.post(SIGN_UP, {**DORA, "username": f"p{n}", "email": f"p{n}@example.org"})
    assert names() == {"alice", "p0", "p1"}


@pytest.mark.parametrize(
    "changes",
    [
        {"use_count": 1},
        {"revoked_at": timezone.now()},
        {"expires_at": timezone.now() - timedelta(1)},
    ],
)
def test_an_invitation_that_is_over_says_so_before_and_after_it_was_opened(client, alice, changes):
    link = invite(alice)
    early = Client()
    early.get(link)
    Invitation.objects.update(**changes)
    response = client.get(link)
    assert response.status_code == 404
    assert b"This invitation is no longer valid" in response.content
    for row in (client, early):
        assert b"Sign-up is by invitation only." in row.post(SIGN_UP, DORA).content
    assert names() == {"alice"}


@pytest.mark.parametrize("key", ["x", "a" * 24, "a" * 5000, "%00", "..", "$ne", "٣" * 24])
def test_a_guessed_link_opens_nothing(client, alice, key):
    invite(alice)
    assert client.get(f"/invitations/{key}/").status_code == 404
    assert b"Sign-up is by invitation only." in client.get(SIGN_UP).content


def test_closed_is_closed_also_by_invitation(client, alice, as_alice, settings):
    link = invite(alice)
    client.get(link)
    settings.SIGN_UP_MODE = "closed"
    for response in (client.get(SIGN_UP), client.post(SIGN_UP, DORA)):
        assert b"Sign-up is closed" in response.content
    assert client.get(link).status_code == 404
    assert as_alice.post(PAGE, {"max_uses": 1, "valid_days": 7}).status_code == 422
    assert names() == {"alice"}


def test_where_sign_up_is_open_an_invitation_tells_who_invited(client, alice, settings):
    settings.SIGN_UP_MODE = "open"
    link = invite(alice)
    other = Client()
    other.get(link)
    client.get(link)
    assert client.post(SIGN_UP, DORA).status_code == 302
    assert other.post(SIGN_UP, ERIN).status_code == 302, "used up, but nobody needs one"
    assert [invited_user.inviter_id for invited_user in InvitedUser.objects.all()] == [alice.pk]


def test_who_has_an_account_needs_no_invitation(as_alice, alice):
    response = as_alice.get(invite(alice), follow=True)
    assert b"You have an account already." in response.content


def test_one_makes_lists_copies_and_revokes_invitations(as_alice, client):
    assert as_alice.post(PAGE, {"max_uses": 3, "valid_days": 7})["Location"] == PAGE
    invitation = Invitation.objects.get()
    assert invitation.max_uses == 3
    assert timedelta(days=6) < invitation.expires_at - timezone.now() <= timedelta(days=7)
    html = as_alice.get(PAGE).content.decode()
    assert f'value="http://testserver/invitations/{invitation.key}/"' in html
    assert f'data-copy="/invitations/{invitation.key}/"' in html
    assert "0 of 3 people have come" in html
    for _ in range(2):
        assert as_alice.post(f"{PAGE}{invitation.pk}/revoke/").status_code == 302
    html = as_alice.get(PAGE).content.decode()
    assert "revoked" in html
    assert invitation.key not in html
    assert client.get(f"/invitations/{invitation.key}/").status_code == 404


@pytest.mark.parametrize(
    "data",
    [
        *[{}, {"max_uses": 0, "valid_days": 7}, {"max_uses": 11, "valid_days": 7}],
        *[{"max_uses": 1, "valid_days": 0}, {"max_uses": "x", "valid_days": "x"}],
        {"max_uses": 10**30, "valid_days": 7},
    ],
)
def test_what_cannot_be_is_said_beside_the_field(as_alice, data):
    response = as_alice.post(PAGE, data)
    assert response.status_code == 422
    assert b"_error" in response.content
    assert not Invitation.objects.exists()


def test_people_make_so_many_and_staff_any_number(as_alice, alice, settings):
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


def test_somebody_elses_invitations_are_neither_seen_nor_revoked(as_alice, bob):
    link = invite(bob)
    assert link.encode() not in as_alice.get(PAGE).content
    as_alice.post(f"{PAGE}{Invitation.objects.get().pk}/revoke/")
    assert Invitation.objects.get().is_usable


@pytest.mark.parametrize("method", ["get", "post"])
def test_inviting_takes_a_log_in(client, method):
    assert getattr(client, method)(PAGE)["Location"].startswith("/accounts/login/")


def test_moderators_see_who_invited_whom_and_revoke(
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
    assert [row.created_by_id for row in response.context["cl"].result_list] == [bob.pk]
    assert joins_and_counts(commands) == []
    assert len(commands) <= 14
    (his,) = response.context["cl"].result_list
    assert client.get(f"/admin/accounts/invitation/{his.pk}/change/").status_code == 200
    client.post("/admin/accounts/invitation/", {"action": "revoke", "_selected_action": [his.pk]})
    assert not Invitation.objects.get(pk=his.pk).is_usable


def test_sign_ups_from_one_address_end_with_the_time_to_wait(settings):
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
    assert len(names()) == 2


def test_a_mistaken_mode_is_said_before_the_site_starts(settings):
    settings.SIGN_UP_MODE = "maybe"
    with pytest.raises(SystemCheckError, match="SIGN_UP_MODE is 'maybe'"):
        call_command("check")
