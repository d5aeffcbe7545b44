"""The checkbox "active" on the admin page of a user takes and undoes suspensions."""

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from accounts.models import User
from accounts.services.account_status import deactivate_account, suspend_user, unsuspend_user
from socialsite.moderation.models import Action, AuditEntry
from socialsite.moderation.services.actions import take_action
from socialsite.moderation.subjects import user_subject
from tests.factories import UserFactory

from .moderator_client import latest_action


@pytest.fixture
def as_administrator(client, administrator):
    client.force_login(administrator)
    return client


def set_active(client, user, *, is_active):
    data = {"username": user.username, "display_name": "", "bio": "Saved"}
    data |= {"is_active": "on"} if is_active else {}
    if user.is_staff:
        data |= {"is_staff": "on"}
    if user.is_superuser:
        data |= {"is_superuser": "on"}
    response = client.post(f"/admin/accounts/user/{user.pk}/change/", data)
    assert response.status_code == 302
    user.refresh_from_db()
    assert user.bio == "Saved"


def suspend(user, moderator):
    return take_action(kind="suspend", subject=user_subject(uid=user.pk), moderator=moderator)


def events(user):
    return list(
        AuditEntry.objects.filter(user_id=user.pk).order_by("pk").values_list("verb", flat=True)
    )


def test_the_checkbox_takes_and_undoes_a_suspension(as_administrator, client, bob, administrator):
    set_active(as_administrator, bob, is_active=False)
    assert bob.suspended_at
    action = latest_action()
    assert (action.kind, action.state) == ("suspend", "in_force")
    assert action.moderator == administrator.pk
    set_active(as_administrator, bob, is_active=True)
    assert bob.is_active
    action.refresh_from_db()
    assert action.state == "undone"
    assert events(bob) == ["suspend", "undo:suspend"]
    client.force_login(bob)
    assert client.get("/notifications/").content.decode().count(f"/decisions/{action.pk}/") >= 2


def test_a_user_whose_suspension_was_lifted_by_the_checkbox_is_suspended_again(
    as_administrator, bob, administrator
):
    action = suspend(bob, administrator)
    set_active(as_administrator, bob, is_active=True)
    assert Action.objects.get(pk=action.pk).state == "undone"
    suspend(bob, administrator)
    bob.refresh_from_db()
    assert not bob.is_active


def test_suspending_again_takes_effect_after_the_status_was_changed_without_an_action(
    bob, administrator
):
    action = suspend(bob, administrator)
    unsuspend_user(uid=bob.pk)  # the effect of the checkbox before it took actions
    assert suspend(bob, administrator).pk == action.pk
    bob.refresh_from_db()
    assert not bob.is_active


@pytest.mark.parametrize("has_reason", [True, False])
def test_a_user_who_is_inactive_without_an_action_is_activated(as_administrator, bob, has_reason):
    if has_reason:
        suspend_user(uid=bob.pk)
    else:
        User.objects.filter(pk=bob.pk).update(is_active=False)
    set_active(as_administrator, bob, is_active=True)
    assert bob.is_active
    assert latest_action().state == "undone"
    assert events(bob) == ["suspend", "undo:suspend"]


def test_accounts_that_users_deactivated_stay_deactivated(as_administrator, bob):
    deactivate_account(uid=bob.pk)
    set_active(as_administrator, bob, is_active=True)
    assert not bob.is_active
    assert not Action.objects.exists()


def test_saving_other_fields_changes_no_status(as_administrator, bob):
    set_active(as_administrator, bob, is_active=True)
    assert bob.is_active
    assert not Action.objects.exists()


def test_superusers_cannot_be_deactivated(client, admin_user):
    other = UserFactory(username="root2", is_staff=True, is_superuser=True)
    client.force_login(admin_user)
    for user in (other, admin_user):
        set_active(client, user, is_active=False)
        assert user.is_active
    assert not Action.objects.exists()


def test_the_checkbox_requires_the_permission_to_suspend(client, bob, moderator):
    moderator.user_permissions.add(Permission.objects.get(codename="change_user"))
    client.force_login(moderator)
    set_active(client, bob, is_active=False)
    assert bob.is_active
    User.objects.filter(pk=bob.pk).update(is_active=False, suspended_at=timezone.now())
    set_active(client, bob, is_active=True)
    assert not bob.is_active
