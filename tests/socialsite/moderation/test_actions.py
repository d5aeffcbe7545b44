"""Moderation actions: taking, undoing and expiring them, notifications and appeals.

``test_undo`` checks that undoing restores every page.
"""

import datetime as dt

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from accounts.models import User
from feed.models import Post
from socialsite.moderation import action_kinds
from socialsite.moderation.models import Action, Appeal, AuditEntry
from socialsite.moderation.selectors.case_page import action_row
from socialsite.moderation.services import cleanup
from socialsite.moderation.services.actions import (
    CannotAct,
    resume_unfinished_actions,
    take_action,
    undo_action,
    undo_expired_actions,
)
from socialsite.moderation.services.appeals import decide_appeal
from socialsite.moderation.services.cleanup import delete_removed_content
from socialsite.moderation.subjects import post_subject, user_subject
from tests.at_once import at_once
from tests.factories import UserFactory, follow, publish


@pytest.fixture
def post(alice, bob):
    follow(alice, bob)
    return publish(bob, "buy my pills")


def act(kind, subject, moderator, **options):
    return take_action(kind=kind, subject=subject, moderator=moderator, **options)


def test_undoing_does_not_restore_a_user_name_that_is_taken_by_now(bob, administrator):
    action = act("rename", user_subject(uid=bob.pk), administrator)
    UserFactory(username="bob")
    undo_action(action=action, moderator=administrator)
    bob.refresh_from_db()
    assert (bob.username, bob.display_name) == (f"person_{bob.pk}", "Bob Brown")


def test_actions_can_be_undone_in_any_order(moderator, post):
    subject = post_subject(post_id=post)
    hold, remove = act("hold", subject, moderator), act("remove", subject, moderator)

    def hidden_state():
        return Post.objects.get(pk=post).hidden

    assert hidden_state() == "removed"
    undo_action(action=hold, moderator=moderator)
    assert hidden_state() == "removed"
    undo_action(action=remove, moderator=moderator)
    assert hidden_state() == ""


def test_concurrent_equal_actions_are_taken_once(moderator, administrator, post):
    subject = post_subject(post_id=post)
    at_once(
        *(
            lambda user=user: act("remove", subject, user)
            for user in (moderator, administrator, moderator, administrator)
        )
    )
    assert Action.objects.count() == 1
    assert AuditEntry.objects.filter(verb="remove").count() == 1


def test_interrupted_actions_are_finished(moderator, post, monkeypatch):
    subject = post_subject(post_id=post)

    def die(self, action):
        raise KeyboardInterrupt

    a_minute_ago = timezone.now() - dt.timedelta(minutes=1)
    with monkeypatch.context() as patch:
        patch.setattr(action_kinds.Remove, "apply", die)
        with pytest.raises(KeyboardInterrupt):
            act("remove", subject, moderator)
    Action.objects.update(at=a_minute_ago)
    assert Post.objects.get(pk=post).hidden == ""
    assert resume_unfinished_actions() == 1
    assert Post.objects.get(pk=post).hidden == "removed"
    action = Action.objects.get()
    with monkeypatch.context() as patch:
        patch.setattr(action_kinds.Remove, "undo", die)
        with pytest.raises(KeyboardInterrupt):
            undo_action(action=action, moderator=moderator)
    assert resume_unfinished_actions() == 1
    assert Post.objects.get(pk=post).hidden == ""
    assert resume_unfinished_actions() == 0


def test_an_action_is_undone_and_recorded_once(moderator, post):
    action = act("remove", post_subject(post_id=post), moderator)
    assert undo_action(action=action, moderator=moderator)
    before = AuditEntry.objects.count()
    assert not undo_action(action=action, moderator=moderator)
    assert AuditEntry.objects.count() == before


def test_expired_actions_are_undone(moderator, post):
    tomorrow = timezone.now() + dt.timedelta(days=1)
    act("remove", post_subject(post_id=post), moderator, expires_at=tomorrow)
    assert undo_expired_actions() == 0
    Action.objects.update(expires_at=timezone.now())
    assert undo_expired_actions() == 1
    assert Post.objects.get(pk=post).hidden == ""


def test_an_end_date_in_the_past_is_refused(moderator, post):
    yesterday = timezone.now() - dt.timedelta(days=1)
    with pytest.raises(CannotAct):
        act("remove", post_subject(post_id=post), moderator, expires_at=yesterday)
    with pytest.raises(CannotAct):
        act("limit", post_subject(post_id=post), moderator)
    assert Post.objects.get(pk=post).hidden == ""


def test_removed_content_is_deleted_after_thirty_days(moderator, post):
    action = act("remove", post_subject(post_id=post), moderator)
    assert delete_removed_content() == 0
    Action.objects.update(at=timezone.now() - dt.timedelta(days=31))
    appeal = Appeal.objects.create(action=action, user_id=action.user_id, text="no")
    assert delete_removed_content() == 0
    Appeal.objects.filter(pk=appeal.pk).update(state="rejected")
    assert delete_removed_content() == 1
    assert not Post.objects.filter(pk=post).exists()
    with pytest.raises(CannotAct):
        undo_action(action=action, moderator=moderator)


def test_content_that_is_removed_for_a_month_is_restored_and_not_deleted(moderator, post):
    in_a_month = timezone.now() + dt.timedelta(days=31)
    action = act("remove", post_subject(post_id=post), moderator, expires_at=in_a_month)
    assert action_row(action=action).days_left is None
    now = timezone.now()
    Action.objects.update(at=now - dt.timedelta(days=31), expires_at=now)
    assert delete_removed_content() == 0
    assert undo_expired_actions() == 1
    assert Post.objects.get(pk=post).hidden == ""


def test_an_interrupted_deletion_is_finished(moderator, post, monkeypatch):
    act("remove", post_subject(post_id=post), moderator)
    Action.objects.update(at=timezone.now() - dt.timedelta(days=31))
    with monkeypatch.context() as broken:
        broken.setattr(cleanup, "delete_removed_post", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            delete_removed_content()
    assert Post.objects.filter(pk=post).exists()
    assert delete_removed_content() == 1
    assert not Post.objects.filter(pk=post).exists()
    assert delete_removed_content() == 0


def _interrupt(**_: object) -> None:
    raise KeyboardInterrupt


def test_content_whose_removal_is_undone_meanwhile_is_not_deleted(moderator, post, monkeypatch):
    action = act("remove", post_subject(post_id=post), moderator)
    Action.objects.update(at=timezone.now() - dt.timedelta(days=31))
    original_filter = Appeal.objects.filter

    def undo_before_filter(**conditions):
        undo_action(action=action, moderator=moderator)
        return original_filter(**conditions)

    monkeypatch.setattr(Appeal.objects, "filter", undo_before_filter)
    assert delete_removed_content() == 0
    assert Post.objects.get(pk=post).hidden == ""
    assert Action.objects.get(pk=action.pk).state == Action.State.UNDONE


def test_moderators_cannot_act_on_staff_or_themselves(moderator, administrator, admin_user, bob):
    for actor in (moderator, administrator):
        for target in (moderator, administrator, admin_user):
            with pytest.raises(PermissionDenied):
                act("limit", user_subject(uid=target.pk), actor)
        act("limit", user_subject(uid=bob.pk), actor)
    act("limit", user_subject(uid=moderator.pk), admin_user)
    with pytest.raises(PermissionDenied):
        act("rename", user_subject(uid=bob.pk), moderator)


def test_other_users_cannot_act(alice, bob, post):
    plain = UserFactory(username="plain", is_staff=True)
    for actor in (alice, plain):
        with pytest.raises(PermissionDenied):
            act("remove", post_subject(post_id=post), actor)
    assert Post.objects.get(pk=post).hidden == ""


def test_the_user_is_notified_reads_the_reason_and_appeals(
    client, bob, moderator, administrator, post
):
    action = act("remove", post_subject(post_id=post), moderator, reason="No pills here.")
    client.force_login(bob)
    url = f"/decisions/{action.pk}/"
    assert f'href="{url}"' in client.get("/notifications/").content.decode()
    page = client.get(url).content.decode()
    assert "Your post was removed" in page
    assert "No pills here." in page
    assert "buy my pills" in page
    assert client.post(url, {"text": ""}).status_code == 422
    assert client.post(url, {"text": "They are vitamins."}).status_code == 302
    client.post(url, {"text": "Again."})
    appeal = Appeal.objects.get()
    assert appeal.text == "They are vitamins."
    with pytest.raises(PermissionDenied):
        decide_appeal(appeal=appeal, moderator=moderator, is_approved=True, response="")
    assert decide_appeal(
        appeal=appeal, moderator=administrator, is_approved=True, response="Sorry."
    )
    assert not decide_appeal(appeal=appeal, moderator=administrator, is_approved=False, response="")
    page = client.get(url).content.decode()
    assert "Reversed" in page
    assert "Sorry." in page
    assert "reversed a decision" in client.get("/notifications/").content.decode()
    assert Post.objects.get(pk=post).hidden == ""


def test_other_users_cannot_read_an_action(client, alice, bob, moderator, post):
    action = act("remove", post_subject(post_id=post), moderator)
    client.force_login(alice)
    assert client.get(f"/decisions/{action.pk}/").status_code == 404
    assert client.post(f"/decisions/{action.pk}/", {"text": "x"}).status_code == 404
    assert "removed" not in client.get("/decisions/").content.decode()
    client.force_login(bob)
    assert "Your post was removed" in client.get("/decisions/").content.decode()


def test_actions_without_notification_are_not_listed(client, bob, moderator, post):
    action = act("remove", post_subject(post_id=post), moderator, should_notify=False)
    client.force_login(bob)
    assert client.get(f"/decisions/{action.pk}/").status_code == 404
    assert "made a decision" not in client.get("/notifications/").content.decode()


def test_visitors_see_rules_and_current_announcements(client):
    from socialsite.moderation import decisions
    from socialsite.moderation.models import Announcement, Rule

    Rule.objects.create(text="Be kind", details="To all.")
    Announcement.objects.create(text="We move on Sunday")
    yesterday = timezone.now() - dt.timedelta(days=1)
    Announcement.objects.create(text="Long over", ends_at=yesterday)
    decisions.clear_announcements_cache()
    page = client.get("/rules/").content.decode()
    assert "Be kind" in page
    assert "We move on Sunday" in page
    assert "Long over" not in page


def test_limiting_sets_the_account_status(bob, moderator):
    action = act("limit", user_subject(uid=bob.pk), moderator)
    assert User.objects.get(pk=bob.pk).is_limited
    undo_action(action=action, moderator=moderator)
    assert not User.objects.get(pk=bob.pk).is_limited


def test_suspended_users_can_log_in_read_the_reason_and_appeal(
    client, bob, administrator, admin_user
):
    subject = user_subject(uid=bob.pk)
    action = act("suspend", subject, admin_user, reason="Too many pills.")
    client.force_login(bob)
    assert client.get("/")["Location"] == "/standing/"
    assert 'href="/decisions/"' in client.get("/standing/").content.decode()
    assert "Too many pills." in client.get(f"/decisions/{action.pk}/").content.decode()
    client.post(f"/decisions/{action.pk}/", {"text": "I am sorry."})
    assert client.get("/settings/profile/").status_code == 302
    appeal = Appeal.objects.get()
    decide_appeal(appeal=appeal, moderator=administrator, is_approved=True, response="")
    assert client.get("/").status_code == 200
