"""Decisions on appeals, also by several moderators at once."""

import datetime as dt

import pytest
from django.utils import timezone

from feed.models import Post
from socialsite.moderation.models import Action, Appeal
from socialsite.moderation.services import appeals
from socialsite.moderation.services.actions import resume_unfinished_actions, take_action
from socialsite.moderation.services.appeals import create_appeal, decide_appeal
from socialsite.moderation.subjects import post_subject
from tests.at_once import at_once
from tests.factories import publish

from .moderator_client import ModeratorClient


@pytest.fixture
def post(bob):
    return publish(bob, "buy my pills")


def remove(post, moderator):
    return take_action(kind="remove", subject=post_subject(post_id=post), moderator=moderator)


def test_a_rejected_appeal_is_answered(client, bob, moderator, administrator, post):
    action = remove(post, moderator)
    appeal = create_appeal(action_id=action.pk, user=bob, text="Why?")
    decide_appeal(appeal=appeal, moderator=administrator, is_approved=False, response="The rules.")
    client.force_login(bob)
    assert "replied to your appeal" in client.get("/notifications/").content.decode()
    assert "The rules." in client.get(f"/decisions/{action.pk}/").content.decode()
    assert Post.objects.get(pk=post).hidden == "removed"


def test_approving_a_rejected_appeal_changes_nothing(client, bob, moderator, administrator, post):
    action = remove(post, moderator)
    appeal = create_appeal(action_id=action.pk, user=bob, text="Why?")
    client.force_login(administrator)
    # The second page was opened before the first decision.
    for decision in ("reject", "approve"):
        ModeratorClient(client).decide(appeal, decision)
    page = client.get(f"/admin/moderation/action/{action.pk}/change/").content.decode()
    assert "This appeal was already decided." in page
    assert Post.objects.get(pk=post).hidden == "removed"
    assert Action.objects.get(pk=action.pk).state == Action.State.IN_FORCE
    assert Appeal.objects.get(pk=appeal.pk).state == "rejected"


def test_concurrent_decisions_agree_with_the_state_of_the_action(
    bob, administrator, admin_user, moderator, post
):
    action = remove(post, moderator)
    appeal = create_appeal(action_id=action.pk, user=bob, text="Why?")
    decisions = [(administrator, True), (admin_user, False)]
    at_once(
        *(
            lambda actor=actor, is_approved=is_approved: decide_appeal(
                appeal=Appeal.objects.get(pk=appeal.pk),
                moderator=actor,
                is_approved=is_approved,
                response="",
            )
            for actor, is_approved in decisions
        )
    )
    appeal.refresh_from_db()
    is_undone = Action.objects.get(pk=action.pk).state == Action.State.UNDONE
    assert is_undone == (appeal.state == "approved")


def test_an_interrupted_approval_is_finished(bob, moderator, administrator, post, monkeypatch):
    action = remove(post, moderator)
    appeal = create_appeal(action_id=action.pk, user=bob, text="Why?")
    with monkeypatch.context() as patch:
        patch.setattr(appeals, "finish_action", lambda **_: None)
        decide_appeal(appeal=appeal, moderator=administrator, is_approved=True, response="")
    Action.objects.update(at=timezone.now() - dt.timedelta(minutes=1))
    assert resume_unfinished_actions() == 1
    assert Post.objects.get(pk=post).hidden == ""
