"""Actions: done at once and once, told to the person, in the log, and taken back (``test_restoring``)."""

import datetime as dt

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from accounts.models import User
from feed.models import Post
from socialsite.moderation import action_kinds
from socialsite.moderation.models import Action, Appeal, AuditEntry
from socialsite.moderation.services.actions import (
    CannotAct,
    resume_unfinished_actions,
    take_action,
    undo_action,
    undo_expired_actions,
)
from socialsite.moderation.services.appeals import create_appeal, decide_appeal
from socialsite.moderation.services.cleanup import delete_removed_content
from socialsite.moderation.subjects import post_subject, user_subject
from tests.at_once import at_once
from tests.factories import UserFactory, follow, publish


@pytest.fixture
def post(alice, bob):
    follow(alice, bob)
    return publish(bob, "buy my pills")


def act(kind, subject, moderator, **more):
    return take_action(kind=kind, subject=subject, moderator=moderator, **more)


def test_a_name_that_somebody_else_has_now_does_not_come_back(bob, administrator):
    action = act("rename", user_subject(uid=bob.pk), administrator)
    UserFactory(username="bob")
    undo_action(action=action, moderator=administrator)
    bob.refresh_from_db()
    assert (bob.username, bob.display_name) == (f"person_{bob.pk}", "Bob Brown")


def test_actions_are_undone_in_any_order(moderator, post):
    subject = post_subject(post_id=post)
    hold, remove = act("hold", subject, moderator), act("remove", subject, moderator)

    def hidden():
        return Post.objects.get(pk=post).hidden

    assert hidden() == "removed"
    undo_action(action=hold, moderator=moderator)
    assert hidden() == "removed"
    undo_action(action=remove, moderator=moderator)
    assert hidden() == ""


def test_the_same_is_done_once_by_however_many(moderator, administrator, post):
    subject = post_subject(post_id=post)
    at_once(
        *(
            lambda by=by: act("remove", subject, by)
            for by in (moderator, administrator, moderator, administrator)
        )
    )
    assert Action.objects.count() == 1
    assert AuditEntry.objects.filter(verb="remove").count() == 1


def test_what_stopped_halfway_is_finished(moderator, post, monkeypatch):
    subject = post_subject(post_id=post)

    def die(self, action):
        raise KeyboardInterrupt

    long_ago = timezone.now() - dt.timedelta(minutes=1)
    with monkeypatch.context() as patch:
        patch.setattr(action_kinds.Remove, "apply", die)
        with pytest.raises(KeyboardInterrupt):
            act("remove", subject, moderator)
    Action.objects.update(at=long_ago)
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


def test_what_was_to_last_until_now_ends_by_itself(moderator, post):
    soon = timezone.now() + dt.timedelta(days=1)
    act("remove", post_subject(post_id=post), moderator, expires_at=soon)
    assert undo_expired_actions() == 0
    Action.objects.update(expires_at=timezone.now())
    assert undo_expired_actions() == 1
    assert Post.objects.get(pk=post).hidden == ""


def test_an_end_in_the_past_is_refused(moderator, post):
    before = timezone.now() - dt.timedelta(days=1)
    with pytest.raises(CannotAct):
        act("remove", post_subject(post_id=post), moderator, expires_at=before)
    with pytest.raises(CannotAct):
        act("limit", post_subject(post_id=post), moderator)
    assert Post.objects.get(pk=post).hidden == ""


def test_after_thirty_days_what_was_removed_is_deleted_for_good(moderator, post):
    action = act("remove", post_subject(post_id=post), moderator)
    assert delete_removed_content() == 0
    Action.objects.update(at=timezone.now() - dt.timedelta(days=31))
    appeal = Appeal.objects.create(action=action, person=action.person, text="no")
    assert delete_removed_content() == 0
    Appeal.objects.filter(pk=appeal.pk).update(state="refused")
    assert delete_removed_content() == 1
    assert not Post.objects.filter(pk=post).exists()
    with pytest.raises(CannotAct):
        undo_action(action=action, moderator=moderator)


def test_a_deletion_for_good_that_stopped_halfway_is_finished(moderator, post, monkeypatch):
    act("remove", post_subject(post_id=post), moderator)
    Action.objects.update(at=timezone.now() - dt.timedelta(days=31))
    with monkeypatch.context() as broken:
        broken.setattr("feed.services.delete_removed_post", _stop)
        with pytest.raises(KeyboardInterrupt):
            delete_removed_content()
    assert Post.objects.filter(pk=post).exists()
    assert delete_removed_content() == 1
    assert not Post.objects.filter(pk=post).exists()
    assert delete_removed_content() == 0


def _stop(**_: object) -> None:
    raise KeyboardInterrupt


def test_what_is_being_undone_is_not_deleted_for_good(moderator, post, monkeypatch):
    action = act("remove", post_subject(post_id=post), moderator)
    Action.objects.update(at=timezone.now() - dt.timedelta(days=31))
    filtered = Appeal.objects.filter

    def meanwhile_undone(**asked):
        undo_action(action=action, moderator=moderator)
        return filtered(**asked)

    monkeypatch.setattr(Appeal.objects, "filter", meanwhile_undone)
    assert delete_removed_content() == 0
    assert Post.objects.get(pk=post).hidden == ""
    assert Action.objects.get(pk=action.pk).state == Action.State.UNDONE


def test_moderators_act_on_people_and_not_on_staff_or_themselves(
    moderator, administrator, admin_user, bob
):
    for by in (moderator, administrator):
        for whom in (moderator, administrator, admin_user):
            with pytest.raises(PermissionDenied):
                act("limit", user_subject(uid=whom.pk), by)
        act("limit", user_subject(uid=bob.pk), by)
    act("limit", user_subject(uid=moderator.pk), admin_user)
    with pytest.raises(PermissionDenied):
        act("rename", user_subject(uid=bob.pk), moderator)


def test_who_is_no_moderator_does_nothing(alice, bob, post):
    plain = UserFactory(username="plain", is_staff=True)
    for by in (alice, plain):
        with pytest.raises(PermissionDenied):
            act("remove", post_subject(post_id=post), by)
    assert Post.objects.get(pk=post).hidden == ""


def test_the_person_is_told_reads_why_and_appeals(client, bob, moderator, administrator, post):
    action = act("remove", post_subject(post_id=post), moderator, reason="No pills here.")
    client.force_login(bob)
    address = f"/decisions/{action.pk}/"
    assert f'href="{address}"' in client.get("/notifications/").content.decode()
    page = client.get(address).content.decode()
    assert "Your post was removed" in page
    assert "No pills here." in page
    assert "buy my pills" in page
    assert client.post(address, {"text": ""}).status_code == 422
    assert client.post(address, {"text": "They are vitamins."}).status_code == 302
    client.post(address, {"text": "Again."})
    appeal = Appeal.objects.get()
    assert appeal.text == "They are vitamins."
    with pytest.raises(PermissionDenied):
        decide_appeal(appeal=appeal, moderator=moderator, is_approved=True, response="")
    assert decide_appeal(
        appeal=appeal, moderator=administrator, is_approved=True, response="Sorry."
    )
    assert not decide_appeal(appeal=appeal, moderator=administrator, is_approved=False, response="")
    page = client.get(address).content.decode()
    assert "Taken back" in page
    assert "Sorry." in page
    assert Post.objects.get(pk=post).hidden == ""


def test_a_refused_appeal_is_answered(client, bob, moderator, administrator, post):
    action = act("remove", post_subject(post_id=post), moderator)
    appeal = create_appeal(action_id=action.pk, user=bob, text="Why?")
    decide_appeal(appeal=appeal, moderator=administrator, is_approved=False, response="The rules.")
    client.force_login(bob)
    assert "answered your appeal" in client.get("/notifications/").content.decode()
    assert "The rules." in client.get(f"/decisions/{action.pk}/").content.decode()
    assert Post.objects.get(pk=post).hidden == "removed"


def test_decisions_are_read_by_nobody_else(client, alice, bob, moderator, post):
    action = act("remove", post_subject(post_id=post), moderator)
    client.force_login(alice)
    assert client.get(f"/decisions/{action.pk}/").status_code == 404
    assert client.post(f"/decisions/{action.pk}/", {"text": "x"}).status_code == 404
    assert "removed" not in client.get("/decisions/").content.decode()
    client.force_login(bob)
    assert "Your post was removed" in client.get("/decisions/").content.decode()


def test_what_is_not_told_is_not_among_the_decisions(client, bob, moderator, post):
    action = act("remove", post_subject(post_id=post), moderator, is_told=False)
    client.force_login(bob)
    assert client.get(f"/decisions/{action.pk}/").status_code == 404
    assert "decided something" not in client.get("/notifications/").content.decode()


def test_rules_and_announcements_are_read_by_everybody(client):
    from socialsite.moderation import decisions
    from socialsite.moderation.models import Announcement, Rule

    Rule.objects.create(text="Be kind", details="To all.")
    Announcement.objects.create(text="We move on Sunday")
    over = timezone.now() - dt.timedelta(days=1)
    Announcement.objects.create(text="Long over", ends_at=over)
    decisions.clear_announcements_cache()
    page = client.get("/rules/").content.decode()
    assert "Be kind" in page
    assert "We move on Sunday" in page
    assert "Long over" not in page


def test_a_limited_person_is_in_the_database_what_the_action_says(bob, moderator):
    action = act("limit", user_subject(uid=bob.pk), moderator)
    assert User.objects.get(pk=bob.pk).is_limited
    undo_action(action=action, moderator=moderator)
    assert not User.objects.get(pk=bob.pk).is_limited


def test_who_is_suspended_logs_in_to_read_why_and_appeals(client, bob, administrator, admin_user):
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
