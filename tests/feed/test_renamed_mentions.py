"""Edits and scheduled posts give nothing to a user who took a name that the text mentioned."""

import pytest

from accounts.services.account_status import deactivate_account
from accounts.services.profiles import change_username
from feed.models import Post
from feed.selectors.visible_posts import visible_post
from feed.services.drafts import publish_due_post
from feed.services.posts import CannotPublish
from feed.store.collections import comment_buckets, conversations
from notifications.store import boxes
from tests.actions import add_comment, edit_comment, edit_post
from tests.factories import UserFactory, publish
from tests.feed.draft_helpers import let_come_due, schedule, stored


@pytest.fixture
def post(alice, bob):
    return publish(alice, "@bob secrt", "direct")


def take_name_of(user):
    """Rename the user and return another user with the old name."""
    old_name = user.username
    change_username(uid=user.pk, username=f"{old_name}_2")
    return UserFactory(username=old_name)


def has_nothing_of(user, post):
    assert user.pk not in Post.objects.get(pk=post).recipients
    assert not conversations().count_documents({"owner": user.pk})
    assert not boxes.get(recipient=user.pk).recent
    return True


def test_a_direct_post_keeps_its_recipients(alice, bob, post):
    mallory = take_name_of(bob)
    edit_post(post_id=post, actor=alice, text="@bob secret")
    assert Post.objects.get(pk=post).recipients == [bob.pk]
    assert has_nothing_of(mallory, post)


def test_a_longer_name_that_exists_only_now_is_not_mentioned(alice, bob):
    post = publish(alice, "thanks @bob.Great work", "direct")
    longer = UserFactory(username="bob.great")
    edit_post(post_id=post, actor=alice, text="Thanks @bob.Great work!")
    assert Post.objects.get(pk=post).recipients == [bob.pk]
    assert has_nothing_of(longer, post)


def test_new_mentions_are_still_added_and_checked(alice, bob, carol, post):
    take_name_of(bob)
    edit_post(post_id=post, actor=alice, text="@bob @carol secret")
    assert Post.objects.get(pk=post).recipients == [bob.pk, carol.pk]
    with pytest.raises(CannotPublish, match="@nobody"):
        edit_post(post_id=post, actor=alice, text="@bob @nobody secret")
    with pytest.raises(CannotPublish, match="Mention at least one person"):
        edit_post(post_id=post, actor=alice, text="secret")


def test_a_post_to_a_user_who_left_can_be_edited(alice, bob, post):
    deactivate_account(uid=bob.pk)
    edit_post(post_id=post, actor=alice, text="@bob secret")
    assert Post.objects.get(pk=post).text == "@bob secret"


def test_a_public_post_notifies_nobody_else(alice, bob):
    post = publish(alice, "@bob and I")
    mallory = take_name_of(bob)
    edit_post(post_id=post, actor=alice, text="@bob and me")
    assert has_nothing_of(mallory, post)


def test_a_limited_comment_keeps_its_recipients(alice, bob):
    post = publish(alice, "what do you say?")
    comment = add_comment(post_id=post, actor=alice, text="@bob only you", visibility="direct")
    mallory = take_name_of(bob)
    edit_comment(post_id=post, comment_id=comment, actor=alice, text="@bob only for you")
    (bucket,) = comment_buckets().find({"post": post})
    assert bucket["comments"][0]["recipients"] == [bob.pk]
    assert visible_post(post_id=post, viewer=mallory.pk)


@pytest.mark.parametrize("kind", ["post", "comment"])
def test_a_scheduled_message_waits_if_somebody_else_has_the_name(alice, bob, kind):
    changed = {"visibility": "direct"}
    if kind == "comment":
        changed |= {"reply_to_id": publish(alice, "what do you say?"), "keeps_audience": False}
    draft = schedule(alice, "@bob only you", **changed)
    mallory = take_name_of(bob)
    let_come_due(draft)
    publish_due_post(draft_id=draft)
    returned = stored(draft, alice)
    assert (returned.due_at, returned.problem) == (
        None,
        "A username in your text belongs to somebody else now. Check who would get this.",
    )
    assert not conversations().count_documents({"owner": mallory.pk})


def test_a_scheduled_message_to_the_same_people_is_published(alice, bob):
    draft = schedule(alice, "@bob only you", visibility="direct")
    let_come_due(draft)
    publish_due_post(draft_id=draft)
    assert Post.objects.get().recipients == [bob.pk]
