"""What is undone is not told any more, wherever it lies, and does not count as unread."""

import pytest

from accounts.services.blocks_and_mutes import block_user
from accounts.services.follow_requests import accept_follow_request, reject_follow_request
from accounts.services.follows import remove_follower, unfollow_user
from accounts.services.profiles import set_private
from feed.services.comments import unlike_comment
from feed.services.likes import unlike_post
from feed.services.posts import delete_post
from feed.services.shares import unshare_post
from notifications.services.boxes import dismiss, restore
from notifications.services.delivery import notify
from notifications.services.preferences import follow_thread
from notifications.store import boxes, history
from tests.actions import delete_comment, like_comment, like_post, share_post
from tests.factories import follow, publish
from tests.feed.comment_helpers import say

from .notification_lists import heard, in_history, unread
from .small_boxes import BUCKET, SIZE, shrink_boxes


def test_likes_and_shares_that_are_taken_back_are(alice, bob, carol):
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
    assert heard() == {"alice": [("like", "carol"), ("like", "carol"), ("share", "carol")]}
    assert unread(alice) == 3
    like_post(post_id=post, actor=bob)
    assert unread(alice) == 4


def test_a_share_that_is_deleted_as_a_post_is_taken_back(alice, bob):
    share = share_post(post_id=publish(alice), actor=bob)
    delete_post(post_id=share, actor=bob)
    assert (heard(), unread(alice)) == ({}, 0)


@pytest.mark.parametrize("who", ["follower", "followee"])
def test_a_follow_that_ends_is(alice, bob, who):
    follow(bob, alice)
    if who == "follower":
        unfollow_user(follower=bob.pk, followee=alice.pk)
    else:
        remove_follower(uid=alice.pk, follower=bob.pk)
    assert (heard(), unread(alice)) == ({}, 0)


def test_an_accepted_request_is_with_the_follow(alice, bob):
    set_private(uid=alice.pk, is_private=True)
    follow(bob, alice)
    accept_follow_request(followee=alice.pk, follower=bob.pk)
    unfollow_user(follower=bob.pk, followee=alice.pk)
    assert heard() == {}


@pytest.mark.parametrize("how", ["refused", "taken back", "blocked", "blocks", "became public"])
def test_a_request_that_ended_is(alice, bob, how):
    set_private(uid=alice.pk, is_private=True)
    follow(bob, alice)
    assert unread(alice) == 1
    if how == "refused":
        reject_follow_request(followee=alice.pk, follower=bob.pk)
    elif how == "taken back":
        unfollow_user(follower=bob.pk, followee=alice.pk)
    elif how == "became public":
        set_private(uid=alice.pk, is_private=False)
        follow(bob, alice)
        unfollow_user(follower=bob.pk, followee=alice.pk)
    else:
        owner, other = (alice, bob) if how == "blocked" else (bob, alice)
        block_user(owner=owner.pk, other=other.pk)
    assert (heard(), unread(alice)) == ({}, 0)


def test_all_of_a_deleted_post_is(alice, bob, carol):
    post, other = publish(alice, "@carol"), publish(alice)
    comment = say(post, bob, "@carol")
    say(post, carol, parent=comment)
    like_post(post_id=post, actor=bob)
    share_post(post_id=post, actor=bob)
    like_post(post_id=other, actor=bob)
    follow_thread(uid=carol.pk, post_id=post)
    delete_post(post_id=post, actor=alice)
    assert heard() == {"alice": [("like", "bob")]}
    assert (unread(alice), unread(bob), unread(carol)) == (1, 0, 0)


def test_a_deleted_comment_is_and_its_likes_and_nothing_else(alice, bob, carol):
    post = publish(alice)
    comment, other = say(post, bob, "@carol"), say(post, bob)
    answer = say(post, carol, parent=comment)
    like_comment(post_id=post, comment_id=comment, actor=carol)
    like_comment(post_id=post, comment_id=other, actor=carol)
    delete_comment(post_id=post, comment_id=comment, actor=bob)
    assert heard() == {
        "alice": [("comment", "bob"), ("comment", "carol")],
        "bob": [("reply", "carol"), ("like", "carol")],
    }
    delete_comment(post_id=post, comment_id=answer, actor=carol)
    assert heard() == {"alice": [("comment", "bob")], "bob": [("like", "carol")]}
    assert (unread(alice), unread(bob), unread(carol)) == (1, 1, 0)


@pytest.mark.parametrize("owner_is_reader", [True, False], ids=["blocks", "is blocked"])
def test_what_people_told_each_other_is_when_they_part(alice, bob, carol, owner_is_reader):
    follow(alice, bob)
    follow(bob, alice)
    for author, other in ((alice, bob), (bob, alice)):
        post = publish(author)
        comment = say(post, other)
        like_comment(post_id=post, comment_id=comment, actor=author)
        like_post(post_id=post, actor=other)
        like_post(post_id=post, actor=carol)
    owner, other = (alice, bob) if owner_is_reader else (bob, alice)
    block_user(owner=owner.pk, other=other.pk)
    assert heard() == {"alice": [("like", "carol")], "bob": [("like", "carol")]}
    assert (unread(alice), unread(bob)) == (1, 1)


@pytest.fixture
def small_boxes(monkeypatch):
    shrink_boxes(monkeypatch)


def full_history(reader, actors, post):
    """So much that there is a bucket, something kept, and a full box."""
    for n in range(SIZE + BUCKET + 10):
        actor = actors[n % len(actors)]
        notify(kind="mention", actor=actor.pk, recipients=[reader.pk], post=post, comment=n + 1)
    history.seal_overflow(recipients=boxes.sealable_boxes(limit=10))
    assert len(in_history(reader)) == BUCKET


def test_a_block_reaches_into_the_history(alice, bob, carol, small_boxes):
    full_history(alice, [bob, carol], publish(alice))
    block_user(owner=bob.pk, other=alice.pk)
    left = (SIZE + BUCKET + 10) // 2
    sealed = in_history(alice)
    assert {row["actor"] for row in sealed} == {carol.pk}
    assert len(sealed) + len(heard()["alice"]) == left
    assert set(heard()["alice"]) == {("mention", "carol")}
    assert unread(alice) == SIZE // 2


def test_what_is_deleted_is_taken_out_of_the_history(alice, bob, small_boxes):
    post = publish(bob)
    oldest = say(post, bob, "@alice")
    full_history(alice, [bob], post)
    assert in_history(alice)[0]["comment"] == oldest
    delete_comment(post_id=post, comment_id=oldest, actor=bob)
    assert len(in_history(alice)) == BUCKET - 1
    delete_post(post_id=post, actor=bob)
    assert (in_history(alice), heard(), unread(alice)) == ([], {}, 0)


def test_undo_brings_nothing_back_that_is_not_so_any_more(alice, bob, carol):
    posts = [publish(alice) for _ in range(3)]
    for post in posts:
        like_post(post_id=post, actor=bob)
    like_post(post_id=posts[0], actor=carol)
    box = boxes.get(recipient=alice.pk)
    dismiss(recipient=alice.pk, ids=[row.id for row in box.recent])
    unlike_post(post_id=posts[0], actor=bob)
    delete_post(post_id=posts[1], actor=alice)
    assert restore(recipient=alice.pk)
    assert heard() == {"alice": [("like", "bob"), ("like", "carol")]}
    assert unread(alice) == 2
