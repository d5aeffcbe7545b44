"""What limited and inactive users do is in no number that everybody sees (decision 0030).

``test_hidden_actions`` compares what strangers can observe.
"""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import combinations

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.models import User
from accounts.services.account_status import (
    deactivate_account,
    reactivate_account,
    suspend_user,
    unsuspend_user,
)
from accounts.services.moderation import set_limited
from feed import tasks
from feed.models import Post
from feed.selectors import likers
from feed.selectors.visible_posts import visible_post
from feed.services import availability
from feed.services.comments import unlike_comment
from feed.services.erasure import erase_user_data
from feed.services.interactions import unlike_post
from feed.services.moderation import hide_comment, restore_comment
from feed.store import pending_cleanups, recount
from feed.store.collections import answer_buckets, comment_buckets, like_buckets
from feed.store.collections import pending_cleanups as stored_cleanups
from tests.actions import like_comment, like_post, share_post, vote
from tests.api.api_client import Api
from tests.at_once import at_once
from tests.factories import add_conversation, follow, people, publish
from tests.feed.comment_helpers import ids, page, say
from tests.feed.poll_helpers import publish_poll
from tests.feed.quote_helpers import quote
from tests.feed.workers import correct_numbers, work
from tests.worlds import world

limit = partial(set_limited, is_limited=True)
lift = partial(set_limited, is_limited=False)
STATUSES = [(limit, lift), (suspend_user, unsuspend_user), (deactivate_account, reactivate_account)]


def numbers(post, root):
    """Return all numbers of the post and of a comment on it. Check that a recount agrees."""
    assert recount.miscounted_posts(ids=[post]) == recount.miscounted_comments(ids=[post]) == []
    row = Post.objects.get(pk=post)
    (bucket,) = comment_buckets().find({"comments.id": root})
    comment = next(comment for comment in bucket["comments"] if comment["id"] == root)
    return {
        "post": (row.likes, row.shares, row.comments, row.quotes),
        "poll": (row.details.get("counts"), row.details.get("voters")),
        "newest": (row.newest_likers, [newest["uid"] for newest in row.newest_comments]),
        "comment": (comment["likes"], comment["replies"]),
    }


def act(user, post, root):
    """Let a user do everything that is counted."""
    user.refresh_from_db()
    like_post(post_id=post, actor=user)
    like_comment(post_id=post, comment_id=root, actor=user)
    vote(post, user, 1)
    say(post, user)
    say(post, user, parent=root)
    share_post(post_id=post, actor=user)
    quote(post, user)


@dataclass
class Discussion:
    """A poll with a comment, and its numbers before and after Bob acted on both."""

    bob: User
    post: int
    root: int
    before: dict
    counted: dict


@world
def discussion():
    alice, bob, carol = people(3)
    post = publish_poll(alice)
    root = say(post, carol)
    before = numbers(post, root)
    act(bob, post, root)
    return Discussion(bob, post, root, before, numbers(post, root))


def likes_of(post):
    return Post.objects.get(pk=post).likes


@pytest.mark.parametrize(("hide", "show"), STATUSES)
def test_all_numbers_follow_the_status(clean_site, hide, show):
    site = discussion.restore()
    assert site.counted == {
        "post": (1, 1, 3, 1),
        "poll": ([0, 1], 1),
        "newest": ([site.bob.pk], [*site.before["newest"][1], site.bob.pk]),
        "comment": (1, 1),
    }
    hide(uid=site.bob.pk)
    correct_numbers()
    assert numbers(site.post, site.root) == site.before
    show(uid=site.bob.pk)
    correct_numbers()
    assert numbers(site.post, site.root) == site.counted
    assert stored_cleanups().count_documents({}) == 0


def test_what_a_limited_user_does_is_not_counted(alice, bob, carol):
    post = publish_poll(alice)
    root = say(post, carol)
    before = numbers(post, root)
    limit(uid=bob.pk)
    act(bob, post, root)
    assert numbers(post, root) == before
    own = visible_post(post_id=post, viewer=bob.pk)
    assert own.is_liked
    assert own.answer_card.own_choices == (1,)
    vote(post, carol, 1)
    like_comment(post_id=post, comment_id=root, actor=alice)
    assert numbers(post, root) == before | {"poll": ([0, 1], 1), "comment": (1, 0)}
    lift(uid=bob.pk)
    correct_numbers()
    after = numbers(post, root)
    assert (after["post"], after["poll"], after["comment"]) == ((1, 1, 3, 1), ([0, 2], 2), (2, 1))


def test_apps_of_a_limited_user_get_the_number_of_all(alice, bob, carol):
    post = publish(alice)
    comment = say(post, carol)
    limit(uid=bob.pk)
    bob.refresh_from_db()
    for status in (post, comment):
        liked = Api(bob).post(f"statuses/{status}/favourite").json()
        assert (liked["favourited"], liked["favourites_count"]) == (True, 0)
        unliked = Api(bob).post(f"statuses/{status}/unfavourite").json()
        assert (unliked["favourited"], unliked["favourites_count"]) == (False, 0)


@pytest.mark.parametrize(("liked_at", "unliked_at"), list(combinations(range(6), 2)))
def test_a_like_and_its_end_leave_the_number_unchanged(alice, bob, carol, liked_at, unliked_at):
    """The status changes twice meanwhile, each time with its job, in all orders."""
    post = publish(alice)
    comment = say(post, carol)

    def like():
        bob.refresh_from_db()
        like_post(post_id=post, actor=bob)
        like_comment(post_id=post, comment_id=comment, actor=bob)

    def unlike():
        bob.refresh_from_db()
        unlike_post(post_id=post, actor=bob)
        unlike_comment(post_id=post, comment_id=comment, actor=bob)

    changes = [partial(limit, uid=bob.pk), correct_numbers]
    changes += [partial(lift, uid=bob.pk), correct_numbers]
    steps = iter(changes)
    for at in range(6):
        step = like if at == liked_at else unlike if at == unliked_at else next(steps)
        step()
        assert likes_of(post) in (0, 1)
    correct_numbers()
    assert numbers(post, comment)["post"][0] == numbers(post, comment)["comment"][0] == 0
    assert like_buckets().count_documents({"post": {"$in": [post, comment]}, "n": {"$gt": 0}}) == 0


@pytest.mark.slow
def test_users_act_while_their_status_changes(alice, bob, carol):
    post = publish(alice)
    comment = say(post, carol)

    def toggle_likes():
        for _ in range(20):
            bob.refresh_from_db()
            like_post(post_id=post, actor=bob)
            like_comment(post_id=post, comment_id=comment, actor=bob)
            unlike_post(post_id=post, actor=bob)
            unlike_comment(post_id=post, comment_id=comment, actor=bob)

    def change_status():
        for change in (limit, lift) * 10:
            change(uid=bob.pk)
            correct_numbers()

    at_once(toggle_likes, change_status, change_status)
    after = numbers(post, comment)
    assert (after["post"][0], after["newest"][0], after["comment"][0]) == (0, [], 0)


def test_a_job_that_dies_is_repeated(clean_site, monkeypatch):
    site = discussion.restore()
    suspend_user(uid=site.bob.pk)
    done = []
    correct = availability._in_transaction

    def die_after_three(*arguments, **options):
        if len(done) == 3:
            raise SystemExit
        done.append(correct(*arguments, **options))

    monkeypatch.setattr(availability, "_in_transaction", die_after_three)
    with pytest.raises(SystemExit):
        correct_numbers()
    assert numbers(site.post, site.root) not in (site.before, site.counted)
    monkeypatch.undo()
    at_once(correct_numbers, correct_numbers)
    assert numbers(site.post, site.root) == site.before
    assert stored_cleanups().count_documents({}) == 0


@pytest.mark.parametrize("is_at_end", [False, True])
def test_a_job_leaves_a_newer_change_to_the_next(clean_site, monkeypatch, is_at_end):
    site = discussion.restore()
    suspend_user(uid=site.bob.pk)
    where, name = (
        (pending_cleanups, "remove_cleanup") if is_at_end else (availability, "_in_transaction")
    )
    original = getattr(where, name)

    def unsuspend_first(*arguments, **options):
        monkeypatch.undo()
        unsuspend_user(uid=site.bob.pk)
        return original(*arguments, **options)

    monkeypatch.setattr(where, name, unsuspend_first)
    correct_numbers()
    assert stored_cleanups().count_documents({"_id": site.bob.pk}) == 1
    correct_numbers()
    assert numbers(site.post, site.root) == site.counted
    assert stored_cleanups().count_documents({}) == 0


def test_the_sweeper_starts_a_job_late_and_not_twice(alice, bob, asked):
    post = publish(alice)
    like_post(post_id=post, actor=bob)
    suspend_user(uid=bob.pk)
    tasks.sweep()
    assert asked == []
    long_ago = timezone.now() - timedelta(minutes=1)
    stored_cleanups().update_one({"_id": bob.pk}, {"$set": {"noted_at": long_ago}})
    tasks.sweep()
    tasks.sweep()
    assert [name for name, _ in asked] == ["correct_numbers"]
    work(asked)
    assert likes_of(post) == stored_cleanups().count_documents({}) == 0


def test_pages_of_likers_have_as_many_names_as_the_number(alice, monkeypatch):
    monkeypatch.setattr(likers, "PAGE_SIZE", 2)
    post, other = publish(alice), publish(alice)
    fans = people(6, "fan")
    add_conversation(post, likers=fans)
    add_conversation(other, likers=fans[:2])
    for fan in (fans[1], fans[4]):
        suspend_user(uid=fan.pk)
    correct_numbers()
    names, cursor = [], None
    for _ in range(2):
        shown = likers.likers_page(post_id=post, viewer=alice.pk, max_id=cursor)
        names.append([row.card.username for row in shown.rows])
        cursor = shown.older_cursor and int(shown.older_cursor)
    assert names == [["fan5", "fan3"], ["fan2", "fan0"]]
    assert cursor is None
    assert likes_of(post) == 4
    recount.recount_post(post=other)
    assert Post.objects.get(pk=other).newest_likers == [fans[0].pk]


def test_threads_of_an_unavailable_user(alice, bob, carol):
    """Replies by others stay below a placeholder. Followers of a limited user see all."""
    post = publish(alice)
    follow(alice, bob)
    answered, alone = say(post, bob), say(post, bob)
    reply = say(post, carol, parent=answered)
    more = say(post, bob, parent=answered)
    last = say(post, carol)
    limit(uid=bob.pk)
    correct_numbers()
    assert ids(page(post, alice)) == [answered, alone, last]
    assert [shown.id for shown in page(post, alice).comments[0].first_replies] == [reply, more]
    assert ids(page(post, carol)) == [answered, last]
    placeholder = page(post, carol).comments[0]
    assert placeholder.author is None
    assert [shown.id for shown in placeholder.first_replies] == [reply]
    assert placeholder.reply_count == 1
    assert Post.objects.get(pk=post).comments == 2


def test_a_restored_comment_follows_the_present_status(alice, bob):
    post = publish(alice)
    comment = say(post, bob)
    hide_comment(post_id=post, comment_id=comment)
    limit(uid=bob.pk)
    correct_numbers()
    restore_comment(post_id=post, comment_id=comment)
    correct_numbers()
    assert numbers(post, comment)["post"][2] == 0


def test_erasure_deletes_what_is_not_counted(clean_site):
    site = discussion.restore()
    limit(uid=site.bob.pk)
    correct_numbers()
    suspend_user(uid=site.bob.pk)
    erase_user_data(uid=site.bob.pk)
    assert numbers(site.post, site.root) == site.before
    for collection in (like_buckets, answer_buckets):
        assert collection().count_documents({"uids": site.bob.pk}) == 0
    assert stored_cleanups().count_documents({"_id": site.bob.pk}) == 0


def test_recount_includes_users_who_became_unavailable_before_an_update(alice, bob):
    post = publish(alice)
    like_post(post_id=post, actor=bob)
    User.objects.filter(pk=bob.pk).update(is_limited=True)
    call_command("recount", stdout=None)
    correct_numbers()
    assert likes_of(post) == 0
