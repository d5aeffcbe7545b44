"""Each recipient gets one notification per event, and only about visible posts and comments."""

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
from feed.services.posts import delete_post
from notifications import receivers, tasks
from notifications.services import notifiers
from notifications.services.boxes import mark_read
from notifications.services.preferences import follow_thread, mute_thread
from tests.actions import (
    add_comment,
    edit_comment,
    edit_post,
    like_comment,
    like_post,
    publish_post,
    share_post,
)
from tests.api.api_client import Api
from tests.factories import UserFactory, follow, people, publish
from tests.feed.comment_helpers import say
from tests.feed.quote_helpers import quote, revoke

from .notification_lists import REVIEW, notifications_by_user, unread


@pytest.fixture
def dave(clean_site):
    return UserFactory(username="dave")


@pytest.fixture
def erin(clean_site):
    return UserFactory(username="erin")


def review(author):
    return publish_post(author=author.pk, text="", kind="review", details=REVIEW)


# --- Recipients ----------------------------------------------------------------------------------
def test_mentioned_users_are_notified_about_a_post(alice, bob, carol):
    follow(carol, alice)
    mark_read(recipient=alice.pk, ids=[])
    publish(alice, "@bob and @bob again, @alice and @nobody")
    assert notifications_by_user() == {
        "alice": [("follow", "carol")],
        "bob": [("mention", "alice")],
    }


def test_a_comment_notifies_each_user_once_with_the_most_specific_kind(
    alice, bob, carol, dave, erin
):
    post = publish(alice)
    for user in (alice, bob, carol, dave, erin):
        follow_thread(uid=user.pk, post_id=post)
    first = say(post, bob)
    say(post, carol, "@alice @bob @carol @dave see", parent=first)
    assert notifications_by_user() == {
        "alice": [("comment", "bob"), ("mention", "carol")],
        "bob": [("reply", "carol")],
        "carol": [("thread", "bob")],
        "dave": [("thread", "bob"), ("mention", "carol")],
        "erin": [("thread", "bob"), ("thread", "carol")],
    }


def test_a_nested_reply_notifies_the_author_it_replies_to(alice, bob, carol, dave):
    post = publish(alice)
    first = say(post, bob)
    second = say(post, carol, parent=first)
    say(post, dave, parent=second)
    assert notifications_by_user() == {
        "alice": [("comment", "bob"), ("comment", "carol"), ("comment", "dave")],
        "bob": [("reply", "carol")],
        "carol": [("reply", "dave")],
    }


def test_likes_and_shares_notify_the_authors(alice, bob, carol):
    post = publish(alice)
    comment = say(post, bob)
    like_post(post_id=post, actor=carol)
    like_comment(post_id=post, comment_id=comment, actor=carol)
    share_post(post_id=post, actor=carol)
    assert notifications_by_user() == {
        "alice": [("comment", "bob"), ("like", "carol"), ("share", "carol")],
        "bob": [("like", "carol")],
    }


def test_a_like_of_a_share_notifies_the_author_of_the_post(alice, bob, carol):
    share = share_post(post_id=publish(alice), actor=bob)
    like_post(post_id=share, actor=carol)
    assert notifications_by_user() == {"alice": [("share", "bob"), ("like", "carol")]}


def test_accepting_a_request_replaces_its_notification(alice, bob):
    set_private(uid=alice.pk, is_private=True)
    follow(bob, alice)
    assert notifications_by_user() == {"alice": [("request", "bob")]}
    accept_follow_request(followee=alice.pk, follower=bob.pk)
    assert notifications_by_user() == {"alice": [("follow", "bob")], "bob": [("accepted", "alice")]}


def test_reviewers_of_the_same_item_are_notified_once(alice, bob, carol, dave):
    review(alice)
    review(alice)
    review(bob)
    publish_post(
        author=carol.pk, text="as @alice says", kind="review", details=REVIEW | {"stars": 1}
    )
    assert notifications_by_user() == {
        "alice": [("reviewed", "bob"), ("mention", "carol")],
        "bob": [("reviewed", "carol")],
    }


def test_own_actions_notify_nobody(alice):
    post = publish(alice, "I, @alice")
    follow_thread(uid=alice.pk, post_id=post)
    comment = say(post, alice, "@alice")
    say(post, alice, "@alice", parent=comment)
    like_post(post_id=post, actor=alice)
    like_comment(post_id=post, comment_id=comment, actor=alice)
    share_post(post_id=post, actor=alice)
    review(alice)
    review(alice)
    assert notifications_by_user() == {}


def test_an_edit_notifies_only_newly_mentioned_users(alice, bob, carol):
    post = publish(alice, "@bob")
    edit_post(post_id=post, actor=alice, text="@bob and @carol")
    edit_post(post_id=post, actor=alice, text="@carol and @bob, again")
    assert notifications_by_user() == {
        "bob": [("mention", "alice")],
        "carol": [("mention", "alice")],
    }


def test_an_edited_review_notifies_no_other_reviewer(alice, bob):
    review(alice)
    post = review(bob)
    edit_post(post_id=post, actor=bob, text="longer")
    assert notifications_by_user() == {"alice": [("reviewed", "bob")]}


# --- No recipients -------------------------------------------------------------------------------
def do_everything(actor, post, comment, recipient):
    """Trigger every event that could notify the recipient, the author of the post and the comment."""
    publish(actor, f"@{recipient.username}")
    say(post, actor, f"@{recipient.username}")
    say(post, actor, parent=comment)
    like_post(post_id=post, actor=actor)
    like_comment(post_id=post, comment_id=comment, actor=actor)
    share_post(post_id=post, actor=actor)
    review(actor)
    follow_user(follower=actor.pk, followee=recipient.pk)


def test_muted_users_cause_no_notifications_until_the_mute_ends(alice, bob):
    post = publish(alice)
    comment = say(post, alice)
    review(alice)
    mute_user(owner=alice.pk, other=bob.pk, until=timezone.now() + timedelta(days=1))
    do_everything(bob, post, comment, alice)
    assert notifications_by_user() == {}
    mute_user(owner=alice.pk, other=bob.pk, until=timezone.now() - timedelta(seconds=1))
    say(post, bob)
    assert notifications_by_user() == {"alice": [("comment", "bob")]}
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    assert unread(alice) == 0
    unmute_user(owner=alice.pk, other=bob.pk)
    like_post(post_id=publish(alice), actor=bob)
    assert notifications_by_user() == {"alice": [("comment", "bob"), ("like", "bob")]}


def test_a_mute_can_leave_notifications_on(alice, bob, client):
    client.force_login(alice)
    post = publish(alice)
    say(post, bob)
    mute_user(owner=alice.pk, other=bob.pk, until=None, shows_notifications=True)
    assert unread(alice) == 1
    like_post(post_id=post, actor=bob)
    assert notifications_by_user() == {"alice": [("comment", "bob"), ("like", "bob")]}
    assert client.get("/notifications/").content.decode().count("Bob Brown") >= 2
    assert len(Api(alice).get("notifications").json()) == 2
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    assert unread(alice) == 0
    assert Api(alice).get("notifications").json() == []
    unmute_user(owner=alice.pk, other=bob.pk)
    assert len(Api(alice).get("notifications").json()) == 2


def test_muted_users_are_still_notified(alice, bob):
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    like_post(post_id=publish(bob), actor=alice)
    assert notifications_by_user() == {"bob": [("like", "alice")]}


@pytest.mark.parametrize(
    "blocks_alice", [True, False], ids=["bob blocks alice", "alice blocks bob"]
)
def test_users_with_a_block_do_not_notify_each_other(alice, bob, carol, blocks_alice):
    """Both can comment on a post of carol."""
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
    assert notifications_by_user() == {"carol": [("comment", "alice"), ("comment", "bob")]}


def test_a_post_for_followers_notifies_followers_only(alice, bob, carol):
    follow(bob, alice)
    post = publish(alice, "@bob @carol", visibility="followers")
    follow_thread(uid=carol.pk, post_id=post)
    say(post, bob, "@carol")
    assert notifications_by_user() == {
        "alice": [("follow", "bob"), ("comment", "bob")],
        "bob": [("mention", "alice")],
    }


def test_a_direct_post_notifies_its_recipients_only(alice, bob, carol):
    follow(carol, alice)
    post = publish(alice, "@bob", visibility="direct")
    say(post, bob, "@carol, look")
    assert notifications_by_user() == {
        "alice": [("follow", "carol"), ("comment", "bob")],
        "bob": [("mention", "alice")],
    }


def test_recipients_added_to_a_direct_post_are_notified(alice, bob, carol):
    post = publish(alice, "@bob", visibility="direct")
    edit_post(post_id=post, actor=alice, text="@bob @carol")
    assert notifications_by_user() == {
        "bob": [("mention", "alice")],
        "carol": [("mention", "alice")],
    }


def test_posts_of_a_private_account_notify_followers_only(alice, bob, carol, dave):
    follow(bob, alice)
    review(dave)
    set_private(uid=alice.pk, is_private=True)
    post = publish(alice, "@bob @carol")
    review(alice)
    say(post, bob, "@carol")
    assert notifications_by_user() == {
        "alice": [("follow", "bob"), ("comment", "bob")],
        "bob": [("mention", "alice")],
    }


def test_users_blocked_by_the_author_are_not_notified_about_comments(alice, bob, carol):
    post = publish(alice)
    comment = say(post, carol)
    follow_thread(uid=carol.pk, post_id=post)
    block_user(owner=alice.pk, other=carol.pk)
    say(post, bob, "@carol")
    say(post, bob, parent=comment)
    like_comment(post_id=post, comment_id=comment, actor=bob)
    assert notifications_by_user() == {"alice": [("comment", "bob"), ("comment", "bob")]}


def test_likes_of_comments_on_invisible_posts_notify_nobody(alice, bob, carol):
    for follower in (bob, carol):
        follow(follower, alice)
    post = publish(alice, visibility="followers")
    comment = say(post, bob)
    unfollow_user(follower=bob.pk, followee=alice.pk)
    like_comment(post_id=post, comment_id=comment, actor=carol)
    assert "bob" not in notifications_by_user()


def test_a_muted_thread_causes_no_notifications(alice, bob, carol):
    post = publish(alice)
    comment = say(post, carol)
    follow_thread(uid=carol.pk, post_id=post)
    for user in (alice, carol):
        mute_thread(uid=user.pk, post_id=post)
    before = notifications_by_user()
    say(post, bob, "@carol", parent=comment)
    like_post(post_id=post, actor=bob)
    like_comment(post_id=post, comment_id=comment, actor=bob)
    assert notifications_by_user() == before == {"alice": [("comment", "carol")]}


# --- Repetitions and edits -----------------------------------------------------------------------
def test_repeated_actions_notify_once(alice, bob, carol):
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
    kinds = ["like", "like", "share", "follow", "mention", "mention"]
    assert notifications_by_user() == {
        "alice": [(kind, "bob") for kind in kinds],
        "carol": [("request", "bob")],
    }


def test_repeated_signals_notify_once(alice, bob, carol):
    post = publish(alice, "@carol")
    comment = say(post, bob)
    reply = say(post, carol, parent=comment)
    follow(bob, alice)
    like_post(post_id=post, actor=bob)
    like_comment(post_id=post, comment_id=comment, actor=alice)
    share_post(post_id=post, actor=bob)
    before = notifications_by_user()
    pair = {"follower": bob.pk, "followee": alice.pk}
    signals.post_published.send(None, post=post, author=alice.pk)
    of_alice = {"post": post, "post_author": alice.pk}
    signals.comment_published.send(
        None, comment=comment, author=bob.pk, text="", parent=0, parent_author=0, **of_alice
    )
    signals.comment_published.send(
        None,
        comment=reply,
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
    assert notifications_by_user() == before


def test_signals_about_deleted_content_notify_nobody(alice, bob):
    post = publish(alice)
    comment = say(post, bob)
    delete_post(post_id=post, actor=alice)
    signals.post_published.send(None, post=post, author=alice.pk)
    tasks.notify_about_comment(comment_id=comment, post_id=post, parent_id=0)
    signals.comment_liked.send(None, comment=comment, post=post, liker=alice.pk)
    signals.comment_unliked.send(None, comment=comment, post=post, liker=alice.pk)
    signals.post_unliked.send(None, post=post, liker=bob.pk)
    assert notifications_by_user() == {}


def test_a_worker_notifies_many_followers_of_a_thread(alice, bob, monkeypatch):
    task_calls = []
    monkeypatch.setattr(
        tasks.notify_about_comment, "apply_async", lambda **call: task_calls.append(call)
    )
    monkeypatch.setattr(receivers, "MAX_THREAD_FOLLOWERS_INLINE", 2)
    post = publish(alice)
    followers = people(3)
    for follower in followers:
        follow_thread(uid=follower.pk, post_id=post)
    say(post, bob)
    assert notifications_by_user() == {"alice": [("comment", "bob")]}
    (call,) = task_calls
    for _ in range(2):
        tasks.notify_about_comment(**call["kwargs"])
    assert notifications_by_user() == {
        "alice": [("comment", "bob")],
        **{follower.username: [("thread", "bob")] for follower in followers},
    }


def test_a_comment_is_stored_without_a_broker(alice, bob, monkeypatch):
    def fail(**_):
        raise OSError("no broker")

    monkeypatch.setattr(tasks.notify_about_comment, "apply_async", fail)
    monkeypatch.setattr(receivers, "MAX_THREAD_FOLLOWERS_INLINE", 0)
    post = publish(alice)
    follow_thread(uid=people(1)[0].pk, post_id=post)
    say(post, bob)
    assert notifications_by_user() == {"alice": [("comment", "bob")]}


def test_unblocking_notifies_nobody(alice, bob):
    follow(alice, bob)
    block_user(owner=alice.pk, other=bob.pk)
    assert notifications_by_user() == {}
    unblock_user(owner=alice.pk, other=bob.pk)
    assert notifications_by_user() == {}
    assert is_following(follower=alice.pk, followee=bob.pk)


def test_an_edited_comment_notifies_only_newly_mentioned_users(alice, bob, carol, dave):
    post = publish(alice)
    comment = say(post, bob, "@carol look")
    before = notifications_by_user()

    def edit(text):
        edit_comment(post_id=post, comment_id=comment, actor=bob, text=text)

    edit("@carol @bob look again")
    assert notifications_by_user() == before
    edit("@carol @dave @alice look")
    assert notifications_by_user() == {
        "alice": [("comment", "bob")],
        "carol": [("mention", "bob")],
        "dave": [("mention", "bob")],
    }


# --- Edited posts ----------------------------------------------------------------------------------
@pytest.fixture
def run_edit_tasks(monkeypatch):
    """Run the task about an edit at once, like a worker."""
    monkeypatch.setattr(
        tasks.notify_about_edit,
        "apply_async",
        lambda *, kwargs, retry: tasks.notify_about_edit(**kwargs),
    )


def edit(post, author, text="Changed"):
    edit_post(post_id=post, actor=author, text=text)


@pytest.mark.usefixtures("run_edit_tasks")
def test_an_edit_notifies_those_who_quoted_or_shared_the_post(alice, bob, carol, client):
    post = publish(alice, "Rain")
    quoting = quote(post, bob)
    share_post(post_id=post, actor=carol)
    quote(post, alice)
    edit(post, alice)
    assert notifications_by_user() == {
        "alice": [("quote", "bob"), ("share", "carol")],
        "bob": [("quoted_edit", "alice")],
        "carol": [("shared_edit", "alice")],
    }
    for user, text, target in (
        (bob, "edited a post that you quoted", f"/@bob/{quoting}/"),
        (carol, "edited a post that you shared", f"/@alice/{post}/"),
    ):
        client.force_login(user)
        page = client.get("/notifications/").content.decode()
        assert text in page
        assert f'href="{target}"' in page
    edit(post, alice, "Changed again")
    tasks.notify_about_edit(post_id=post)
    assert len(notifications_by_user()["bob"]) == 1


@pytest.mark.usefixtures("run_edit_tasks")
def test_an_edit_that_changes_nothing_notifies_nobody(alice, bob):
    post = publish(alice, "Rain")
    quote(post, bob)
    edit_post(post_id=post, actor=alice, text="Rain", reply_policy="nobody")
    assert notifications_by_user() == {"alice": [("quote", "bob")]}


@pytest.mark.usefixtures("run_edit_tasks")
def test_an_edit_notifies_nobody_without_access_or_with_a_revoked_quote(alice, bob, carol, dave):
    post = publish(alice, "Rain")
    quote(post, bob)
    block_user(owner=alice.pk, other=bob.pk)
    revoke(post, quote(post, carol), alice)
    share_post(post_id=post, actor=dave)
    mute_user(owner=dave.pk, other=alice.pk, until=None)
    edit(post, alice)
    assert {"bob", "carol", "dave"}.isdisjoint(notifications_by_user())


@pytest.mark.usefixtures("run_edit_tasks")
def test_an_edit_notifies_many_in_batches(alice, bob, carol, dave, monkeypatch):
    monkeypatch.setattr(notifiers, "BATCH_SIZE", 1)
    post = publish(alice, "Rain")
    for user in (bob, carol, dave):
        quote(post, user)
        share_post(post_id=post, actor=user)
    edit(post, alice)
    both = [("quoted_edit", "alice"), ("shared_edit", "alice")]
    rows = notifications_by_user()
    assert [sorted(rows[name]) for name in ("bob", "carol", "dave")] == [both] * 3
