"""Actions against the names and pictures of a profile."""

from accounts.models import User
from socialsite.moderation.services.actions import take_action, undo_action
from socialsite.moderation.subjects import user_subject
from tests.factories import UserFactory


def act(kind, user, moderator):
    return take_action(kind=kind, subject=user_subject(uid=user.pk), moderator=moderator)


def names_of(user):
    return User.objects.values_list("username", "display_name").get(pk=user.pk)


def test_a_name_is_reset_even_if_another_user_has_the_placeholder(bob, administrator):
    UserFactory(username=f"person_{bob.pk}")
    action = act("rename", bob, administrator)
    username, display_name = names_of(bob)
    assert username.startswith(f"person_{bob.pk}_")
    assert len(username) <= 30
    assert display_name == ""
    undo_action(action=action, moderator=administrator)
    assert names_of(bob) == ("bob", "Bob Brown")


def test_a_name_that_looks_like_the_placeholder_of_another_user_is_reset(bob, administrator):
    user = UserFactory(username=f"person_{bob.pk}")
    act("rename", user, administrator)
    assert names_of(user)[0] == f"person_{user.pk}"
