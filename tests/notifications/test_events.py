"""Who is told of what: exactly the right people, each once, and nobody of what they may not see."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts import signals as accounts_signals
from accounts.selectors.follow_graph import is_following
from accounts.services.blocks_and_mutes import block_user, mute_user, unblock_user, unmute_user
from accounts.services.follow_requests import accept_follow_request
from accounts.services.follows import follow_user, unfollow_user
from accounts.services.profiles import set_private
from feed import signals
from feed.services.posts import delete_post, edit_post, publish_post
from notifications import receivers, tasks
from notifications.services.boxes import mark_read
from notifications.services.preferences import follow_thread, mute_thread
from tests.actions import add_comment, edit_comment, like_comment, like_post, share_post
from tests.factories import UserFactory, follow, people, publish
from tests.feed.comment_helpers import say

from .notification_lists import REVIEW, heard, unread


@pytest.fixture
def dave(clean_site):
    return UserFactory(username="dave")


@pytest.fixture
def erin(clean_site):
    return UserFactory(username="erin")


def review(author):
    return publish_post(author=author.pk, text="", kind="review", details=REVIEW)


# --- Who is told ---------------------------------------------------------------------------------
def test_who_is_mentioned_in_a_post_is_told_and_nobody_else(alice, bob, carol):
    follow(carol, alice)
    mark_read(recipient=alice.pk, ids=[])
    publish(alice, "@bob and @bob again, @alice and @nobody")
    assert heard() == {"alice": [("follow", "carol")], "bob": [("mention", "alice")]}


def test_each_is_told_of_a_comment_once_as_what_it_is_most(alice, bob, carol, dave, erin):
    post = publish(alice)
    for person in (alice, bob, carol, dave, erin):
        follow_thread(uid=person.pk, post_id=post)
    first = say(post, bob)
    say(post, carol, "@alice @bob @carol @dave see", parent=first)
    assert heard() == {
        "alice": [("comment", "bob"), ("mention", "carol")],
        "bob": [("reply", "carol")],
        "carol": [("thread", "bob")],
        "dave": [("thread", "bob"), ("mention", "carol")],
        "erin": [("thread", "bob"), ("thread", "carol")],
    }


def test_who_answers_an_answer_tells_its_writer_not_whoever_began(alice, bob, carol, dave):
    post = publish(alice)
    first = say(post, bob)
    second = say(post, carol, parent=first)
    say(post, dave, parent=second)
    assert heard() == {
        "alice": [("comment", "bob"), ("comment", "carol"), ("comment", "dave")],
        "bob": [("reply", "carol")],
        "carol": [("reply", "dave")],
    }


def test_likes_and_shares_are_told_to_the_authors(alice, bob, carol):
    post = publish(alice)
    comment = say(post, bob)
    like_post(post_id=post, actor=carol)
    like_comment(post_id=post, comment_id=comment, actor=carol)
    share_post(post_id=post, actor=carol)
    assert heard() == {
        "alice": [("comment", "bob"), ("like", "carol"), ("share", "carol")],
        "bob": [("like", "carol")],
    }


def test_to_like_a_share_tells_the_author_of_the_post(alice, bob, carol):
    share = share_post(post_id=publish(alice), actor=bob)
    like_post(post_id=share, actor=carol)
    assert heard() == {"alice": [("share", "bob"), ("like", "carol")]}


def test_follows_and_requests_are_told_as_they_end(alice, bob):
    set_private(uid=alice.pk, is_private=True)
    follow(bob, alice)
    assert heard() == {"alice": [("request", "bob")]}
    accept_follow_request(followee=alice.pk, follower=bob.pk)
    assert heard() == {"alice": [("follow", "bob")], "bob": [("accepted", "alice")]}


def test_who_has_reviewed_the_same_is_told_once(alice, bob, carol, dave):
    review(alice)
    review(alice)
    review(bob)
    publish_post(
        author=carol.pk, text="as @alice says", kind="review", details=REVIEW | {"stars": 1}
    )
    assert heard() == {
        "alice": [("reviewed", "bob"), ("mention", "carol")],
        "bob": [("reviewed", "carol")],
    }


def test_nobody_is_told_of_themselves(alice):
    post = publish(alice, "I, @alice")
    follow_thread(uid=alice.pk, post_id=post)
    comment = say(post, alice, "@alice")
    say(post, alice, "@alice", parent=comment)
    like_post(post_id=post, actor=alice)
    like_comment(post_id=post, comment_id=comment, actor=alice)
    share_post(post_id=post, actor=alice)
    review(alice)
    review(alice)
    assert heard() == {}


def test_an_edit_tells_only_who_is_mentioned_since(alice, bob, carol):
    post = publish(alice, "@bob")
    edit_post(post_id=post, actor=alice, text="@bob and @carol")
    edit_post(post_id=post, actor=alice, text="@carol and @bob, again")
    assert heard() == {"bob": [("mention", "alice")], "carol": [("mention", "alice")]}


def test_an_edited_review_tells_nobody_who_reviewed(alice, bob):
    review(alice)
    post = review(bob)
    edit_post(post_id=post, actor=bob, text="longer")
    assert heard() == {"alice": [("reviewed", "bob")]}


# --- Who is not ----------------------------------------------------------------------------------
def do_everything(actor, post, comment, reader):
    """All by which the actor could make the reader hear of them, who wrote the post and the comment."""
    publish(actor, f"@{reader.username}")
    say(post, actor, f"@{reader.username}")
    say(post, actor, parent=comment)
    like_post(post_id=post, actor=actor)
    like_comment(post_id=post, comment_id=comment, actor=actor)
    share_post(post_id=post, actor=actor)
    review(actor)
    follow_user(follower=actor.pk, followee=reader.pk)


def test_the_muted_tell_nothing_until_the_mute_ends(alice, bob):
    post = publish(alice)
    comment = say(post, alice)
    review(alice)
    mute_user(owner=alice.pk, other=bob.pk, until=timezone.now() + timedelta(days=1))
    do_everything(bob, post, comment, alice)
    assert heard() == {}
    mute_user(owner=alice.pk, other=bob.pk, until=timezone.now() - timedelta(seconds=1))
    say(post, bob)
    assert heard() == {"alice": [("comment", "bob")]}
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    assert unread(alice) == 0
    unmute_user(owner=alice.pk, other=bob.pk)
    like_post(post_id=publish(alice), actor=bob)
    assert heard() == {"alice": [("comment", "bob"), ("like", "bob")]}


def test_who_mutes_somebody_is_told_to_them_all_the_same(alice, bob):
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    like_post(post_id=publish(bob), actor=alice)
    assert heard() == {"bob": [("like", "alice")]}


@pytest.mark.parametrize("blocks_alice", [True, False], ids=["blocked by them", "blocks them"])
def test_people_apart_tell_each_other_nothing_where_they_meet(alice, bob, carol, blocks_alice):
    """On a post of a third, where each can speak."""
    post = publish(carol)
    follow_thread(uid=alice.pk, post_id=post)
    comment = say(post, alice)
    owner, other = (bob, alice) if blocks_alice else (alice, bob)
    block_user(owner=owner.pk, other=other.pk)
    publish(bob, "@alice")
    say(post, bob, "@alice")
    signals.comment_liked.send(None, comment=comment, post=post, liker=bob.pk)
    review(alice)
    review(bob)
    assert heard() == {"carol": [("comment", "alice"), ("comment", "bob")]}


def test_only_followers_are_told_of_a_post_for_followers(alice, bob, carol):
    follow(bob, alice)
    post = publish(alice, "@bob @carol", visibility="followers")
    follow_thread(uid=carol.pk, post_id=post)
    say(post, bob, "@carol")
    assert heard() == {
        "alice": [("follow", "bob"), ("comment", "bob")],
        "bob": [("mention", "alice")],
    }


def test_only_recipients_are_told_of_a_direct_post(alice, bob, carol):
    follow(carol, alice)
    post = publish(alice, "@bob", visibility="direct")
    say(post, bob, "@carol, look")
    assert heard() == {
        "alice": [("follow", "carol"), ("comment", "bob")],
        "bob": [("mention", "alice")],
    }


def test_who_is_added_to_a_direct_post_is_told(alice, bob, carol):
    post = publish(alice, "@bob", visibility="direct")
    edit_post(post_id=post, actor=alice, text="@bob @carol")
    assert heard() == {"bob": [("mention", "alice")], "carol": [("mention", "alice")]}


def test_only_followers_are_told_of_posts_of_somebody_private(alice, bob, carol, dave):
    follow(bob, alice)
    review(dave)
    set_private(uid=alice.pk, is_private=True)
    post = publish(alice, "@bob @carol")
    review(alice)
    say(post, bob, "@carol")
    assert heard() == {
        "alice": [("follow", "bob"), ("comment", "bob")],
        "bob": [("mention", "alice")],
    }


def test_who_is_apart_from_the_author_is_not_told_what_others_say_there(alice, bob, carol):
    post = publish(alice)
    comment = say(post, carol)
    follow_thread(uid=carol.pk, post_id=post)
    block_user(owner=alice.pk, other=carol.pk)
    say(post, bob, "@carol")
    say(post, bob, parent=comment)
    like_comment(post_id=post, comment_id=comment, actor=bob)
    assert heard() == {"alice": [("comment", "bob"), ("comment", "bob")]}


def test_who_may_not_read_a_post_any_more_is_not_told_of_likes_there(alice, bob, carol):
    for reader in (bob, carol):
        follow(reader, alice)
    post = publish(alice, visibility="followers")
    comment = say(post, bob)
    unfollow_user(follower=bob.pk, followee=alice.pk)
    like_comment(post_id=post, comment_id=comment, actor=carol)
    assert "bob" not in heard()


def test_who_mutes_a_thread_is_told_nothing_of_it(alice, bob, carol):
    post = publish(alice)
    comment = say(post, carol)
    follow_thread(uid=carol.pk, post_id=post)
    for person in (alice, carol):
        mute_thread(uid=person.pk, post_id=post)
    before = heard()
    say(post, bob, "@carol", parent=comment)
    like_post(post_id=post, actor=bob)
    like_comment(post_id=post, comment_id=comment, actor=bob)
    assert heard() == before == {"alice": [("comment", "carol")]}


# --- Twice is once -------------------------------------------------------------------------------
def test_what_is_done_twice_is_told_once(alice, bob, carol):
    set_private(uid=carol.pk, is_private=True)
    post = publish(alice)
    comment = say(post, alice)
    for _ in range(2):
        like_post(post_id=post, actor=bob)
        like_comment(post_id=post, comment_id=comment, actor=bob)
        share_post(post_id=post, actor=bob)
        follow(bob, alice)
        follow_user(follower=bob.pk, followee=carol.pk)
        add_comment(post_id=post, actor=bob, text="hi @alice", idempotency_key="once")
        publish_post(author=bob.pk, text="@alice", idempotency_key="another")
    results = ["like", "like", "share", "follow", "mention", "mention"]
    assert heard() == {"alice": [(kind, "bob") for kind in results], "carol": [("request", "bob")]}


def test_a_signal_that_comes_twice_tells_once(alice, bob, carol):
    post = publish(alice, "@carol")
    comment = say(post, bob)
    answer = say(post, carol, parent=comment)
    follow(bob, alice)
    like_post(post_id=post, actor=bob)
    like_comment(post_id=post, comment_id=comment, actor=alice)
    share_post(post_id=post, actor=bob)
    before = heard()
    pair = {"follower": bob.pk, "followee": alice.pk}
    signals.post_published.send(None, post=post, author=alice.pk)
    of_alice = {"post": post, "post_author": alice.pk}
    signals.comment_published.send(
        None, comment=comment, author=bob.pk, text="", parent=0, parent_author=0, **of_alice
    )
    signals.comment_published.send(
        None,
        comment=answer,
        author=carol.pk,
        text="",
        parent=comment,
        parent_author=bob.pk,
        **of_alice,
    )
    signals.post_liked.send(None, liker=bob.pk, **of_alice)
    signals.comment_liked.send(None, comment=comment, post=post, liker=alice.pk)
    signals.post_shared.send(None, sharer=bob.pk, **of_alice)
    accounts_signals.followed.send(None, **pair, is_restored=False)
    accounts_signals.follow_requested.send(None, **pair)
    assert heard() == before


def test_signals_of_what_is_gone_tell_nothing(alice, bob):
    post = publish(alice)
    comment = say(post, bob)
    delete_post(post_id=post, actor=alice)
    signals.post_published.send(None, post=post, author=alice.pk)
    tasks.notify_about_comment(comment_id=comment, post_id=post, parent_id=0)
    signals.comment_liked.send(None, comment=comment, post=post, liker=alice.pk)
    signals.comment_unliked.send(None, comment=comment, post=post, liker=alice.pk)
    signals.post_unliked.send(None, post=post, liker=bob.pk)
    assert heard() == {}


def test_of_many_who_follow_a_thread_a_worker_tells(alice, bob, monkeypatch):
    asked = []
    monkeypatch.setattr(
        tasks.notify_about_comment, "apply_async", lambda **sent: asked.append(sent)
    )
    monkeypatch.setattr(receivers, "MAX_THREAD_FOLLOWERS_INLINE", 2)
    post = publish(alice)
    followers = people(3)
    for follower in followers:
        follow_thread(uid=follower.pk, post_id=post)
    say(post, bob)
    assert heard() == {"alice": [("comment", "bob")]}
    (sent,) = asked
    for _ in range(2):
        tasks.notify_about_comment(**sent["kwargs"])
    assert heard() == {
        "alice": [("comment", "bob")],
        **{follower.username: [("thread", "bob")] for follower in followers},
    }


def test_a_comment_stands_though_no_worker_can_be_asked(alice, bob, monkeypatch):
    def fail(**_):
        raise OSError("no broker")

    monkeypatch.setattr(tasks.notify_about_comment, "apply_async", fail)
    monkeypatch.setattr(receivers, "MAX_THREAD_FOLLOWERS_INLINE", 0)
    post = publish(alice)
    follow_thread(uid=people(1)[0].pk, post_id=post)
    say(post, bob)
    assert heard() == {"alice": [("comment", "bob")]}


def test_who_unblocks_somebody_does_not_tell_them(alice, bob):
    follow(alice, bob)
    block_user(owner=alice.pk, other=bob.pk)
    assert heard() == {}
    unblock_user(owner=alice.pk, other=bob.pk)
    assert heard() == {}
    assert is_following(follower=alice.pk, followee=bob.pk)


def test_an_edit_of_a_comment_tells_only_who_is_mentioned_now(alice, bob, carol, dave):
    post = publish(alice)
    comment = say(post, bob, "@carol look")
    before = heard()

    def edit(text):
        edit_comment(post_id=post, comment_id=comment, actor=bob, text=text)

    edit("@carol @bob look again")
    assert heard() == before
    edit("@carol @dave @alice look")
    assert heard() == {
        "alice": [("comment", "bob")],
        "carol": [("mention", "bob")],
        "dave": [("mention", "bob")],
    }
