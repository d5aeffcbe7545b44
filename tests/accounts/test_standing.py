"""Who is suspended, away or about to be erased: what they reach, what they read, how they come back."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts import user_cards
from accounts.models import User
from accounts.services.account_status import (
    cancel_deletion,
    deactivate_account,
    reactivate_account,
    request_deletion,
    suspend_user,
    unsuspend_user,
)
from accounts.services.erasure import users_to_erase
from tests.factories import PASSWORD, publish

LOGIN, STANDING = "/accounts/login/", "/standing/"
AWAY, DELETE = "/settings/account/deactivate/", "/settings/account/delete/"


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def reread(user):
    return User.objects.get(pk=user.pk)


def is_there(user):
    return user_cards.find_card(uid=user.pk) is not None


CLOSE = [suspend_user, deactivate_account, request_deletion]
UNDO = [unsuspend_user, reactivate_account, cancel_deletion]


@pytest.mark.parametrize("one", range(3))
@pytest.mark.parametrize("other", range(3))
def test_undoing_one_reason_leaves_the_others(alice, one, other):
    for number in {one, other}:
        CLOSE[number](uid=alice.pk)
        CLOSE[number](uid=alice.pk)
    assert not is_there(alice)
    UNDO[one](uid=alice.pk)
    assert is_there(alice) == reread(alice).is_active == (one == other)
    UNDO[other](uid=alice.pk)
    assert is_there(alice)
    assert reread(alice).is_active
    assert not UNDO[other](uid=alice.pk)


def test_the_first_moment_stays(alice):
    first = request_deletion(uid=alice.pk)
    assert request_deletion(uid=alice.pk) == first
    assert len(mail.outbox) == 1


@pytest.mark.parametrize("close", CLOSE)
def test_who_is_not_there_logs_in_to_the_page_that_says_so(client, alice, close):
    close(uid=alice.pk)
    client.post(LOGIN, {"login": "alice", "password": PASSWORD})
    page = client.get("/", follow=True)
    assert page.request["PATH_INFO"] == STANDING
    assert page["Cache-Control"].startswith("max-age=0")
    said = page.content.decode()
    assert ("suspended" in said) == (close is suspend_user)
    assert ("You are taking a break" in said) == (close is deactivate_account)
    assert ("will be deleted" in said) == (close is request_deletion)


def test_who_does_not_know_the_password_learns_nothing(client, alice, bob):
    suspend_user(uid=alice.pk)
    said = []
    for name in ("alice", "nobody"):
        page = client.post(LOGIN, {"login": name, "password": "wrong"}).content.decode()
        said.append(re.sub(r'(csrfmiddlewaretoken" value=")\w+', "", page).replace(name, ""))
    assert said[0] == said[1]
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize(
    "path", ["/", "/public/", "/@bob/", "/settings/profile/", "/accounts/email/", "/people/"]
)
def test_every_page_leads_to_the_page_about_ones_standing(as_alice, alice, bob, path):
    suspend_user(uid=alice.pk)
    response = as_alice.get(path)
    assert (response.status_code, response["Location"]) == (302, STANDING)


@pytest.mark.parametrize(
    "path", ["/posts/", "/@bob/follow/", "/settings/profile/", "/accounts/password/change/"]
)
def test_nothing_is_written_by_who_is_not_there(as_alice, alice, bob, path):
    suspend_user(uid=alice.pk)
    response = as_alice.post(path, {"text": "x", "display_name": "x"})
    assert response.status_code == 403
    assert b"suspended" in response.content
    assert reread(alice).display_name == "Alice Adams"


def test_a_script_gets_no_page_for_an_answer(as_alice, alice):
    suspend_user(uid=alice.pk)
    for path in ("/live/", "/live/poll/", "/public/"):
        response = as_alice.get(path, headers={"Sec-Fetch-Dest": "empty"})
        assert response.status_code in (403, 404), path


def test_staff_who_are_not_there_have_no_rights(client, admin_user, alice):
    suspend_user(uid=admin_user.pk)
    client.force_login(admin_user)
    for path in ("/admin/", f"/admin/accounts/user/{alice.pk}/change/"):
        response = client.get(path)
        assert (response.status_code, response["Location"]) == (302, STANDING)
    suspended = reread(admin_user)
    assert not suspended.has_perm("feed.delete_post")
    assert client.post(f"/admin/accounts/user/{alice.pk}/change/", {}).status_code == 403


def test_a_moderator_suspends_and_undoes_it_in_the_admin(client, admin_user, alice):
    deactivate_account(uid=alice.pk)
    reactivate_account(uid=alice.pk)
    client.force_login(admin_user)
    change = f"/admin/accounts/user/{alice.pk}/change/"
    client.post(change, {"username": "alice", "display_name": "A", "bio": ""})
    assert reread(alice).suspended_at is not None
    assert not reread(alice).is_active
    client.post(change, {"username": "alice", "display_name": "A", "bio": "", "is_active": "on"})
    assert reread(alice).suspended_at is None
    assert reread(alice).is_active


def test_they_may_log_out_and_change_the_colours(as_alice, alice):
    suspend_user(uid=alice.pk)
    assert as_alice.post("/theme/", {"theme": "dark"}).status_code == 302
    assert as_alice.post("/accounts/logout/").status_code == 302
    assert as_alice.get("/public/").status_code == 200


def test_going_away_and_coming_back(as_alice, alice, bob):
    post = publish(alice, "still here")
    as_bob = Client()
    as_bob.force_login(bob)
    assert b"still here" in as_bob.get(f"/@alice/{post}/").content
    assert as_alice.post(AWAY, {"password": "wrong"}).status_code == 422
    assert is_there(alice)
    response = as_alice.post(AWAY, {"password": PASSWORD})
    assert response["Location"] == STANDING
    assert as_bob.get("/@alice/").status_code == 404
    assert b"Come back" in as_alice.get(STANDING).content
    as_alice.post("/standing/come-back/")
    assert b"Welcome back." in as_alice.get("/").content
    assert b"still here" in as_bob.get(f"/@alice/{post}/").content


def test_deleting_the_account_has_a_time_of_grace(as_alice, alice, settings):
    settings.ERASE_AFTER_DAYS = 30
    assert b"30 days" in as_alice.get(DELETE).content
    assert as_alice.post(DELETE, {"password": ""}).status_code == 422
    as_alice.post(DELETE, {"password": PASSWORD})
    at = reread(alice).erase_at
    assert timedelta(days=29) < at - timezone.now() < timedelta(days=31)
    (told,) = mail.outbox
    assert told.to == ["alice@example.org"]
    assert "@alice" in told.body
    assert "/accounts/login/" in told.body
    assert list(users_to_erase()) == []
    as_alice.post("/standing/keep/")
    assert reread(alice).is_active


def test_what_is_due_cannot_be_kept_any_more(as_alice, alice):
    request_deletion(uid=alice.pk)
    User.objects.filter(pk=alice.pk).update(erase_at=timezone.now() - timedelta(seconds=1))
    assert list(users_to_erase()) == [alice.pk]
    as_alice.post("/standing/keep/")
    assert reread(alice).erase_at is not None
    assert b"is being deleted" in as_alice.get(STANDING).content


def test_who_is_suspended_does_not_come_back_by_themselves(as_alice, alice):
    suspend_user(uid=alice.pk)
    for path in ("/standing/come-back/", "/standing/keep/"):
        as_alice.post(path)
    assert not reread(alice).is_active


def test_who_is_suspended_may_have_everything_deleted(as_alice, alice):
    suspend_user(uid=alice.pk)
    as_alice.post(DELETE, {"password": PASSWORD})
    said = as_alice.get(STANDING).content.decode()
    assert "is suspended" in said
    assert "Keep my account" in said


@pytest.mark.parametrize("path", [STANDING, AWAY, DELETE, "/settings/account/"])
def test_strangers_are_asked_to_log_in(client, path):
    assert client.get(path)["Location"].startswith(LOGIN)


def test_who_is_there_needs_no_page_about_it(as_alice):
    assert as_alice.get(STANDING)["Location"] == "/"


def test_passwords_cannot_be_guessed_by_going_away(as_alice):
    said = {as_alice.post(AWAY, {"password": f"no{n}"}).status_code for n in range(12)}
    assert said == {422, 429}


def test_who_went_away_may_have_forgotten_the_password(client, alice):
    deactivate_account(uid=alice.pk)
    client.post("/accounts/password/reset/", {"email": "alice@example.org"})
    (told,) = mail.outbox
    assert "/accounts/password/reset/key/" in told.body
