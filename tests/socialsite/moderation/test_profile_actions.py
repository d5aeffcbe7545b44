"""Actions against the names and pictures of a profile."""

import io

import pytest

from accounts.models import User
from accounts.profile_pictures import AVATAR, HEADER
from accounts.services.profiles import (
    change_picture,
    change_username,
    prepare_picture,
    update_profile,
)
from socialsite.moderation.models import Action
from socialsite.moderation.services.actions import take_action, undo_action
from socialsite.moderation.subjects import user_subject
from tests.at_once import at_once
from tests.factories import UserFactory
from tests.uploads import picture

from .moderator_client import report


def act(kind, user, moderator):
    return take_action(kind=kind, subject=user_subject(uid=user.pk), moderator=moderator)


def undo(action, moderator):
    return undo_action(action=action, moderator=moderator)


def upload(user, color, kind=AVATAR):
    """Give the user a picture, and return its stored name."""
    data = prepare_picture(kind=kind, uid=user.pk, upload=io.BytesIO(picture(color=color)))
    change_picture(kind=kind, uid=user.pk, picture=data)
    return picture_of(user, kind)


def picture_of(user, kind=AVATAR):
    return User.objects.values_list(kind.field, flat=True).get(pk=user.pk)


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


@pytest.mark.parametrize("kind", [AVATAR, HEADER])
@pytest.mark.parametrize("new_color", ["blue", "red"])
def test_a_picture_that_replaces_a_removed_picture_is_removed(bob, moderator, kind, new_color):
    actions = []
    for color in ("red", new_color):
        upload(bob, color, kind)
        actions += [act(kind.field, bob, moderator), act(kind.field, bob, moderator)]
        assert picture_of(bob, kind) == ""
    first, repeated_first, second, repeated_second = (action.pk for action in actions)
    assert first == repeated_first != second == repeated_second


def test_a_double_click_removes_a_picture_once(bob, moderator, administrator):
    for number, color in enumerate(["red", "blue"], start=1):
        upload(bob, color)
        at_once(
            *(lambda user=user: act("avatar", bob, user) for user in (moderator, administrator))
        )
        assert picture_of(bob) == ""
        assert Action.objects.count() == number


@pytest.mark.parametrize("first_undone", [0, 1])
def test_undoing_both_removals_restores_the_newer_picture(client, bob, moderator, first_undone):
    actions, names = [], []
    for color in ("red", "blue"):
        names.append(upload(bob, color))
        actions.append(act("avatar", bob, moderator))
    assert undo(actions[first_undone], moderator)
    assert picture_of(bob) == ("" if first_undone == 0 else names[1])
    assert undo(actions[1 - first_undone], moderator)
    assert picture_of(bob) == names[1]
    response = client.get(f"/media/avatars/{names[1]}.webp")
    assert b"".join(response.streaming_content)


def test_undoing_both_removals_of_the_same_picture_restores_it(bob, moderator):
    actions = []
    for _time in range(2):
        name = upload(bob, "red")
        actions.append(act("avatar", bob, moderator))
    assert undo(actions[0], moderator)
    assert picture_of(bob) == ""
    assert undo(actions[1], moderator)
    assert picture_of(bob) == name


def test_undoing_a_removal_does_not_replace_a_newer_picture(bob, moderator):
    upload(bob, "red")
    action = act("avatar", bob, moderator)
    name = upload(bob, "blue")
    assert undo(action, moderator)
    assert picture_of(bob) == name


@pytest.mark.parametrize("first_undone", [0, 1])
def test_a_username_that_replaces_a_reset_username_is_reset(bob, administrator, first_undone):
    actions = [act("rename", bob, administrator)]
    change_username(uid=bob.pk, username="villain")
    actions += [act("rename", bob, administrator), act("rename", bob, administrator)]
    assert names_of(bob) == (f"person_{bob.pk}", "")
    assert actions[0].pk != actions[1].pk == actions[2].pk
    undo(actions[first_undone], administrator)
    undo(actions[1 - first_undone], administrator)
    assert names_of(bob)[0] == "villain"


@pytest.mark.parametrize("first_undone", [0, 1])
def test_a_display_name_is_reset_again(bob, administrator, first_undone):
    actions = [act("rename", bob, administrator)]
    update_profile(uid=bob.pk, display_name="Villain")
    actions.append(act("rename", bob, administrator))
    assert names_of(bob) == (f"person_{bob.pk}", "")
    undo(actions[first_undone], administrator)
    undo(actions[1 - first_undone], administrator)
    assert names_of(bob)[0] == "bob"


def test_undoing_a_reset_does_not_replace_a_newer_display_name(bob, administrator):
    action = act("rename", bob, administrator)
    update_profile(uid=bob.pk, display_name="Robert")
    undo(action, administrator)
    assert names_of(bob) == ("bob", "Robert")


def test_the_button_is_there_again_after_the_user_replaced_the_picture(
    moderator_client, alice, bob
):
    case = report(alice, "person", bob.pk)
    upload(bob, "red")
    moderator_client.act(case, "avatar")
    assert 'value="avatar"' not in moderator_client.text(case)
    upload(bob, "blue")
    assert 'value="avatar"' in moderator_client.text(case)
    moderator_client.act(case, "avatar")
    assert picture_of(bob) == ""
