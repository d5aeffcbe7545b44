"""Two moderators act on the same subject at once: the result is that of all actions in force."""

import pytest

from accounts.models import User
from feed.models import Post
from feed.store.hidden_comments import hidden_content
from socialsite.moderation import action_kinds
from socialsite.moderation.services.actions import take_action, undo_action
from socialsite.moderation.subjects import comment_subject, post_subject, user_subject
from tests.factories import publish
from tests.feed.comment_helpers import say


def moderated_post(bob):
    subject = post_subject(post_id=publish(bob))
    return subject, lambda: Post.objects.get(pk=subject.id).hidden == "removed"


def moderated_comment(bob):
    post = publish(bob)
    subject = comment_subject(post_id=post, comment_id=say(post, bob))
    return subject, lambda: hidden_content(post=post, id=subject.id) is not None


def moderated_user(bob):
    def is_restricted():
        user = User.objects.get(pk=bob.pk)
        return user.is_limited or not user.is_active

    return user_subject(uid=bob.pk), is_restricted


@pytest.mark.parametrize(
    ("prepare", "undone_kind", "taken_kind", "write"),
    [
        (moderated_post, "hold", "remove", "set_post_hidden"),
        (moderated_post, "remove", "remove", "set_post_hidden"),
        (moderated_comment, "remove", "remove", "restore_comment"),
        (moderated_user, "limit", "limit", "set_limited"),
        (moderated_user, "suspend", "suspend", "unsuspend_user"),
    ],
)
def test_an_action_that_is_taken_while_another_is_undone_has_its_effect(
    bob, administrator, monkeypatch, prepare, undone_kind, taken_kind, write
):
    subject, is_in_effect = prepare(bob)
    options = {"subject": subject, "moderator": administrator}
    undone_action = take_action(kind=undone_kind, **options)
    original, taken_actions = getattr(action_kinds, write), []

    def write_after_the_other_moderator(**arguments):
        if not taken_actions:
            taken_actions.append(None)
            taken_actions.append(take_action(kind=taken_kind, **options))
            assert is_in_effect()
        return original(**arguments)

    monkeypatch.setattr(action_kinds, write, write_after_the_other_moderator)
    undo_action(action=undone_action, moderator=administrator)
    assert is_in_effect()
    undo_action(action=taken_actions[1], moderator=administrator)
    assert not is_in_effect()
