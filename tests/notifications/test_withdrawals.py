"""Undone events withdraw their notifications from the box and the history."""

import pytest

from accounts.services.blocks_and_mutes import block_user
from accounts.services.follow_requests import accept_follow_request, reject_follow_request
from accounts.services.follows import remove_follower, unfollow_user
from accounts.services.profiles import set_private
from feed.services.comments import unlike_comment
from feed.services.interactions import unlike_post, unshare_post
from feed.services.posts import delete_post
from notifications.services.boxes import dismiss
from notifications.services.delivery import notify
from notifications.services.preferences import follow_thread
from notifications.store import boxes, dismissals, history, threads
from tests.actions import delete_comment, like_comment, like_post, share_post
from tests.factories import follow, publish
from tests.feed.comment_helpers import say

from .notification_lists import in_history, notifications_by_user, unread
from .small_boxes import BUCKET, SIZE, shrink_boxes


def test_undone_likes_and_shares_are_withdrawn(alice, bob, carol):
    post = publish(alice)
    comment = say(post, alice)
    for fan in (bob, carol):
        like_post(post_id=post, actor=fan)
        like_comment(post_id=post, comment_id=comment, actor=fan)
        share_post(post_id=post, actor=fan)
    assert unread(alice) == 6
    for _ in range(2):
        unlike_post(post_id=post, actor=bob)
        unlike_comment(post_id=post, comment_id=comment, actor=bob)
        unshare_post(post_id=post, actor=bob)
    assert notifications_by_user() == {
        "alice": [("like", "carol"), ("like", "carol"), ("share", "carol")]
    }
    assert unread(alice) == 3
    like_post(post_id=post, actor=bob)
    assert unread(alice) == 4


def test_a_share_that_is_deleted_like_a_post_is_withdrawn(alice, bob):
    share = share_post(post_id=publish(alice), actor=bob)
    delete_post(post_id=share, actor=bob)
    assert (notifications_by_user(), unread(alice)) == ({}, 0)


@pytest.mark.parametrize("ended_by", ["follower", "followee"])
def test_a_follow_that_ends_is_withdrawn(alice, bob, ended_by):
    follow(bob, alice)
    if ended_by == "follower":
        unfollow_user(follower=bob.pk, followee=alice.pk)
    else:
        remove_follower(uid=alice.pk, follower=bob.pk)
    assert (notifications_by_user(), unread(alice)) == ({}, 0)


def test_the_acceptance_of_a_request_is_withdrawn_with_the_follow(alice, bob):
    set_private(uid=alice.pk, is_private=True)
    follow(bob, alice)
    accept_follow_request(followee=alice.pk, follower=bob.pk)
    unfollow_user(follower=bob.pk, followee=alice.pk)
    assert notifications_by_user() == {}


@pytest.mark.parametrize("ending", ["rejected", "cancelled", "blocked", "blocks", "became public"])
def test_a_request_that_ends_is_withdrawn(alice, bob, ending):
    set_private(uid=alice.pk, is_private=True)
    follow(bob, alice)
    assert unread(alice) == 1
    if ending == "rejected":
        reject_follow_request(followee=alice.pk, follower=bob.pk)
    elif ending == "cancelled":
        unfollow_user(follower=bob.pk, followee=alice.pk)
    elif ending == "became public":
        set_private(uid=alice.pk, is_private=False)
        follow(bob, alice)
        unfollow_user(follower=bob.pk, followee=alice.pk)
    else:
        owner, other = (alice, bob) if ending == "blocked" else (bob, alice)
        block_user(owner=owner.pk, other=other.pk)
    assert (notifications_by_user(), unread(alice)) == ({}, 0)


def test_all_notifications_about_a_deleted_post_are_withdrawn(alice, bob, carol):
    post, other = publish(alice, "@carol"), publish(alice)
    comment = say(post, bob, "@carol")
    say(post, carol, parent=comment)
    like_post(post_id=post, actor=bob)
    share_post(post_id=post, actor=bob)
    like_post(post_id=other, actor=bob)
    follow_thread(uid=carol.pk, post_id=post)
    delete_post(post_id=post, actor=alice)
    assert notifications_by_user() == {"alice": [("like", "bob")]}
    assert (unread(alice), unread(bob), unread(carol)) == (1, 0, 0)
    assert not threads.is_following_thread(post=post, uid=carol.pk)


def test_notifications_about_a_deleted_comment_and_its_likes_are_withdrawn(alice, bob, carol):
    post = publish(alice)
    comment, other = say(post, bob, "@carol"), say(post, bob)
    reply = say(post, carol, parent=comment)
    like_comment(post_id=post, comment_id=comment, actor=carol)
    like_comment(post_id=post, comment_id=other, actor=carol)
    delete_comment(post_id=post, comment_id=comment, actor=bob)
    assert notifications_by_user() == {
        "alice": [("comment", "bob"), ("comment", "carol")],
        "bob": [("reply", "carol"), ("like", "carol")],
    }
    delete_comment(post_id=post, comment_id=reply, actor=carol)
    assert notifications_by_user() == {"alice": [("comment", "bob")], "bob": [("like", "carol")]}
    assert (unread(alice), unread(bob), unread(carol)) == (1, 1, 0)


@pytest.mark.parametrize("is_alice_owner", [True, False], ids=["blocks", "is blocked"])
def test_a_block_withdraws_all_notifications_between_both_users(alice, bob, carol, is_alice_owner):
    follow(alice, bob)
    follow(bob, alice)
    for author, other in ((alice, bob), (bob, alice)):
        post = publish(author)
        comment = say(post, other)
        like_comment(post_id=post, comment_id=comment, actor=author)
        like_post(post_id=post, actor=other)
        like_post(post_id=post, actor=carol)
    owner, other = (alice, bob) if is_alice_owner else (bob, alice)
    block_user(owner=owner.pk, other=other.pk)
    assert notifications_by_user() == {"alice": [("like", "carol")], "bob": [("like", "carol")]}
    assert (unread(alice), unread(bob)) == (1, 1)


@pytest.fixture
def small_boxes(monkeypatch):
    shrink_boxes(monkeypatch)


def fill_history(recipient, actors, post):
    """Deliver mentions until the box is full and both the overflow and a history bucket have rows."""
    for n in range(SIZE + BUCKET + 10):
        actor = actors[n % len(actors)]
        notify(kind="mention", actor=actor.pk, recipients=[recipient.pk], post=post, comment=n + 1)
    history.seal_overflow(recipients=boxes.sealable_boxes(limit=10))
    assert len(in_history(recipient)) == BUCKET


def test_a_block_withdraws_notifications_from_the_history(alice, bob, carol, small_boxes):
    fill_history(alice, [bob, carol], publish(alice))
    block_user(owner=bob.pk, other=alice.pk)
    left = (SIZE + BUCKET + 10) // 2
    sealed = in_history(alice)
    assert {row["actor"] for row in sealed} == {carol.pk}
    assert len(sealed) + len(notifications_by_user()["alice"]) == left
    assert set(notifications_by_user()["alice"]) == {("mention", "carol")}
    assert unread(alice) == SIZE // 2


def test_notifications_about_deleted_content_leave_the_history(alice, bob, small_boxes):
    post = publish(bob)
    oldest = say(post, bob, "@alice")
    fill_history(alice, [bob], post)
    assert in_history(alice)[0]["comment"] == oldest
    delete_comment(post_id=post, comment_id=oldest, actor=bob)
    assert len(in_history(alice)) == BUCKET - 1
    delete_post(post_id=post, actor=bob)
    assert (in_history(alice), notifications_by_user(), unread(alice)) == ([], {}, 0)


def test_restoring_dismissed_notifications_skips_withdrawn_ones(alice, bob, carol):
    posts = [publish(alice) for _ in range(3)]
    for post in posts:
        like_post(post_id=post, actor=bob)
    like_post(post_id=posts[0], actor=carol)
    box = boxes.get(recipient=alice.pk)
    dismiss(recipient=alice.pk, ids=[row.id for row in box.recent])
    unlike_post(post_id=posts[0], actor=bob)
    delete_post(post_id=posts[1], actor=alice)
    assert dismissals.restore(recipient=alice.pk)
    assert notifications_by_user() == {"alice": [("like", "bob"), ("like", "carol")]}
    assert unread(alice) == 2
