"""Who may comment, and which data is deleted with a post, a comment or a user."""

import pytest
from django.http import Http404

from accounts.services.blocks_and_mutes import block_user, mute_user
from feed.selectors.comments import visible_comment
from feed.selectors.visible_posts import visible_post
from feed.services.comment_audience import CannotComment
from feed.services.posts import delete_post
from feed.store.collections import comment_buckets, like_buckets
from tests.actions import delete_comment, edit_comment, like_comment, publish_post
from tests.factories import follow, people, publish
from tests.feed.comment_helpers import ids, page, say, stored_comments
from tests.feed.workers import work


@pytest.fixture
def post(alice):
    return publish(alice, "what do you say?")


@pytest.mark.parametrize(
    ("replies", "allowed_roles"),
    [
        ("everyone", {"author", "follower", "mentioned", "stranger"}),
        ("followers", {"author", "follower", "mentioned"}),
        ("mentioned", {"author", "mentioned"}),
        ("nobody", {"author"}),
    ],
)
def test_the_reply_policy_limits_who_may_comment(alice, replies, allowed_roles):
    follower, mentioned, stranger = people(3)
    follow(follower, alice)
    post = publish_post(
        author=alice.pk, text=f"@{mentioned.username} what now?", reply_policy=replies
    )
    users_by_role = {
        "author": alice,
        "follower": follower,
        "mentioned": mentioned,
        "stranger": stranger,
    }
    for name, actor in users_by_role.items():
        is_allowed = name in allowed_roles
        assert visible_post(post_id=post, viewer=actor.pk).can_comment is is_allowed
        if is_allowed:
            say(post, actor)
        else:
            with pytest.raises(CannotComment):
                say(post, actor)
    assert len(stored_comments(post)[0]) == len(allowed_roles)
    assert visible_post(post_id=post, viewer=None).can_comment is (replies == "everyone")


def test_invisible_posts_cannot_be_commented_on(alice, bob, carol):
    hidden = publish(bob, "for followers", "followers")
    blocked = publish(carol)
    block_user(owner=carol.pk, other=alice.pk)
    for post in (hidden, blocked, 404):
        with pytest.raises(Http404):
            say(post, alice)
    assert comment_buckets().count_documents({}) == 0


def test_blocked_and_muted_users_do_not_see_or_reply_to_comments(alice, bob, carol, post):
    """A block hides comments in both directions and prevents replies. A mute only hides comments."""
    theirs, hers = say(post, bob), say(post, carol)
    block_user(owner=carol.pk, other=bob.pk)
    for viewer, seen in ((alice, [theirs, hers]), (bob, [theirs]), (carol, [hers])):
        assert ids(page(post, viewer)) == seen
        newest = visible_post(post_id=post, viewer=viewer.pk).newest_comments
        assert [comment.id for comment in newest] == seen
    for act in (
        lambda: say(post, bob, parent=hers),
        lambda: like_comment(post_id=post, comment_id=hers, actor=bob),
    ):
        with pytest.raises(Http404):
            act()
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    assert ids(page(post, alice)) == [hers]
    result = visible_post(post_id=post, viewer=alice.pk)
    assert visible_comment(post=result, comment_id=theirs, viewer=alice.pk).id == theirs


def test_a_comment_of_another_post_is_not_found(alice, bob, post):
    other = publish(alice)
    comment = say(other, bob)
    for act in (
        lambda: say(post, bob, parent=comment),
        lambda: edit_comment(post_id=post, comment_id=comment, actor=bob, text="x"),
        lambda: delete_comment(post_id=post, comment_id=comment, actor=bob),
        lambda: like_comment(post_id=post, comment_id=comment, actor=bob),
    ):
        with pytest.raises(Http404):
            act()
    assert stored_comments(other) == {0: [comment]}


def test_a_concurrently_deleted_post_gets_no_comment(alice, bob, post, monkeypatch):
    view = visible_post(post_id=post, viewer=bob.pk)
    delete_post(post_id=post, actor=alice)
    monkeypatch.setattr("tests.actions.visible_post", lambda **_: view)
    with pytest.raises(Http404):
        say(post, bob)
    assert comment_buckets().count_documents({}) == 0


def test_deleting_a_post_deletes_its_comments_and_their_likes(alice, bob, post, asked):
    other = publish(alice)
    for post_id in (post, other):
        comment = say(post_id, bob)
        say(post_id, alice, parent=comment)
        like_comment(post_id=post_id, comment_id=comment, actor=alice)
    delete_post(post_id=post, actor=alice)
    work(asked)
    assert {document["post"] for document in comment_buckets().find()} == {other}
    assert like_buckets().count_documents({}) == 1


def test_deleting_a_comment_deletes_its_likes(alice, bob, post, asked):
    comment, remaining = say(post, bob), say(post, bob)
    for comment_id in (comment, remaining):
        like_comment(post_id=post, comment_id=comment_id, actor=alice)
    delete_comment(post_id=post, comment_id=comment, actor=bob)
    work(asked)
    assert [document["post"] for document in like_buckets().find()] == [remaining]


def test_a_comment_of_a_deactivated_user_stays_as_a_placeholder_if_it_has_replies(
    alice, bob, carol, post
):
    answered, alone = say(post, bob), say(post, bob)
    answer = say(post, carol, parent=answered)
    bob.is_active = False
    bob.save()
    (result,) = page(post, alice).comments
    assert (result.id, result.author, result.text) == (answered, None, "")
    assert [reply.id for reply in result.first_replies] == [answer]
    view = visible_post(post_id=post, viewer=alice.pk)
    with pytest.raises(Http404):
        visible_comment(post=view, comment_id=alone, viewer=alice.pk)
