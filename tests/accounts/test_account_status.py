"""Suspended, deactivated and deleted accounts: which pages the users can open, and how they return."""

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

pytestmark = pytest.mark.usefixtures("every_cache")

LOGIN, STATUS = "/accounts/login/", "/standing/"
DEACTIVATE, DELETE = "/settings/account/deactivate/", "/settings/account/delete/"


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def reread(user):
    return User.objects.get(pk=user.pk)


def is_visible(user):
    return user_cards.find_card(uid=user.pk) is not None


REASONS = [suspend_user, deactivate_account, request_deletion]
UNDO = [unsuspend_user, reactivate_account, cancel_deletion]


@pytest.mark.parametrize("first", range(3))
@pytest.mark.parametrize("second", range(3))
def test_undoing_one_reason_leaves_the_others(alice, first, second):
    for number in {first, second}:
        REASONS[number](uid=alice.pk)
        REASONS[number](uid=alice.pk)
    assert not is_visible(alice)
    UNDO[first](uid=alice.pk)
    assert is_visible(alice) == reread(alice).is_active == (first == second)
    UNDO[second](uid=alice.pk)
    assert is_visible(alice)
    assert reread(alice).is_active
    assert not UNDO[second](uid=alice.pk)


def test_a_second_deletion_request_does_not_change_the_date(alice):
    first = request_deletion(uid=alice.pk)
    assert request_deletion(uid=alice.pk) == first
    assert len(mail.outbox) == 1


@pytest.mark.parametrize("close", REASONS)
def test_inactive_users_log_in_to_the_status_page(client, alice, close):
    close(uid=alice.pk)
    client.post(LOGIN, {"login": "alice", "password": PASSWORD})
    page = client.get("/", follow=True)
    assert page.request["PATH_INFO"] == STATUS
    assert page["Cache-Control"].startswith("max-age=0")
    html = page.content.decode()
    assert ("suspended" in html) == (close is suspend_user)
    assert ("but nothing is deleted" in html) == (close is deactivate_account)
    assert ("will be deleted" in html) == (close is request_deletion)


def test_a_wrong_password_does_not_reveal_a_suspension(client, alice, bob):
    suspend_user(uid=alice.pk)
    pages = []
    for name in ("alice", "nobody"):
        page = client.post(LOGIN, {"login": name, "password": "wrong"}).content.decode()
        pages.append(re.sub(r'(csrfmiddlewaretoken" value=")\w+', "", page).replace(name, ""))
    assert pages[0] == pages[1]
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize(
    "path",
    ["/", "/public/", "/@bob/", "/settings/profile/", "/accounts/email/", "/explore/people/"],
)
def test_every_page_redirects_to_the_status_page(as_alice, alice, bob, path):
    suspend_user(uid=alice.pk)
    response = as_alice.get(path)
    assert (response.status_code, response["Location"]) == (302, STATUS)


@pytest.mark.parametrize(
    "path", ["/posts/", "/@bob/follow/", "/settings/profile/", "/accounts/password/change/"]
)
def test_inactive_users_cannot_write(as_alice, alice, bob, path):
    suspend_user(uid=alice.pk)
    response = as_alice.post(path, {"text": "x", "display_name": "x"})
    assert response.status_code == 403
    assert b"suspended" in response.content
    assert reread(alice).display_name == "Alice Adams"


def test_scripts_get_an_error_instead_of_a_page(as_alice, alice):
    suspend_user(uid=alice.pk)
    for path in ("/live/", "/live/poll/", "/public/"):
        response = as_alice.get(path, headers={"Sec-Fetch-Dest": "empty"})
        assert response.status_code in (403, 404), path


def test_suspended_staff_have_no_permissions(client, admin_user, alice):
    suspend_user(uid=admin_user.pk)
    client.force_login(admin_user)
    for path in ("/admin/", f"/admin/accounts/user/{alice.pk}/change/"):
        response = client.get(path)
        assert (response.status_code, response["Location"]) == (302, STATUS)
    suspended = reread(admin_user)
    assert not suspended.has_perm("feed.delete_post")
    assert client.post(f"/admin/accounts/user/{alice.pk}/change/", {}).status_code == 403


def test_a_moderator_suspends_and_unsuspends_in_the_admin(client, admin_user, alice):
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


def test_inactive_users_can_log_out_and_change_the_theme(as_alice, alice):
    suspend_user(uid=alice.pk)
    assert as_alice.post("/theme/", {"theme": "dark"}).status_code == 302
    assert as_alice.post("/accounts/logout/").status_code == 302
    assert as_alice.get("/public/").status_code == 200


def test_deactivating_and_reactivating(as_alice, alice, bob):
    post = publish(alice, "still here")
    as_bob = Client()
    as_bob.force_login(bob)
    assert b"still here" in as_bob.get(f"/@alice/{post}/").content
    assert as_alice.post(DEACTIVATE, {"password": "wrong"}).status_code == 422
    assert is_visible(alice)
    response = as_alice.post(DEACTIVATE, {"password": PASSWORD})
    assert response["Location"] == STATUS
    assert as_bob.get("/@alice/").status_code == 404
    assert b"Reactivate account" in as_alice.get(STATUS).content
    as_alice.post("/standing/come-back/")
    assert b"Your account is active again." in as_alice.get("/").content
    assert b"still here" in as_bob.get(f"/@alice/{post}/").content


def test_deletion_has_a_grace_period(as_alice, alice, settings):
    settings.ERASE_AFTER_DAYS = 30
    assert b"30 days" in as_alice.get(DELETE).content
    assert as_alice.post(DELETE, {"password": ""}).status_code == 422
    as_alice.post(DELETE, {"password": PASSWORD})
    at = reread(alice).erase_at
    assert timedelta(days=29) < at - timezone.now() < timedelta(days=31)
    (message,) = mail.outbox
    assert message.to == ["alice@example.org"]
    assert "@alice" in message.body
    assert "/accounts/login/" in message.body
    assert list(users_to_erase()) == []
    as_alice.post("/standing/keep/")
    assert reread(alice).is_active


def test_a_due_deletion_cannot_be_canceled(as_alice, alice):
    request_deletion(uid=alice.pk)
    User.objects.filter(pk=alice.pk).update(erase_at=timezone.now() - timedelta(seconds=1))
    assert list(users_to_erase()) == [alice.pk]
    as_alice.post("/standing/keep/")
    assert reread(alice).erase_at is not None
    assert b"are being deleted" in as_alice.get(STATUS).content


def test_suspended_users_cannot_reactivate_themselves(as_alice, alice):
    suspend_user(uid=alice.pk)
    for path in ("/standing/come-back/", "/standing/keep/"):
        as_alice.post(path)
    assert not reread(alice).is_active


def test_suspended_users_can_delete_their_account(as_alice, alice):
    suspend_user(uid=alice.pk)
    as_alice.post(DELETE, {"password": PASSWORD})
    html = as_alice.get(STATUS).content.decode()
    assert "is suspended" in html
    assert "Keep my account" in html


@pytest.mark.parametrize("path", [STATUS, DEACTIVATE, DELETE, "/settings/account/"])
def test_status_pages_require_a_log_in(client, path):
    assert client.get(path)["Location"].startswith(LOGIN)


def test_active_users_are_redirected_from_the_status_page(as_alice):
    assert as_alice.get(STATUS)["Location"] == "/"


def test_guessing_passwords_by_deactivating_is_limited(as_alice):
    statuses = {as_alice.post(DEACTIVATE, {"password": f"no{n}"}).status_code for n in range(12)}
    assert statuses == {422, 429}


def test_deactivated_users_can_reset_their_password(client, alice):
    deactivate_account(uid=alice.pk)
    client.post("/accounts/password/reset/", {"email": "alice@example.org"})
    (message,) = mail.outbox
    assert "/accounts/password/reset/key/" in message.body
