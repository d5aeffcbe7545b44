"""What happens beside requests: inboxes come and go, and nothing is left of posts that are gone."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from accounts.models import User
from feed import signals, tasks
from feed.models import Post
from feed.services.posts import delete_post, edit_post
from feed.store import comments
from feed.store.collections import inbox_buckets, inbox_heads, like_buckets, shares
from tests.actions import (
    add_comment,
    bookmark_post,
    delete_comment,
    like_comment,
    like_post,
    share_post,
)
from tests.factories import add_conversation, follow, publish
from tests.feed.audiences import make_inboxes
from tests.feed.workers import work


def make_readers(*, away, here):
    """Inboxes of so many readers who stay away, and of so many who do not."""
    make_inboxes(range(1, away + here + 1), ids=[7])
    inbox_buckets().insert_many(
        {"owner": uid, "gen": 1, "seq": 0, "ids": [5]} for uid in range(1, away + here + 1)
    )
    long_ago = timezone.now() - timedelta(days=14, minutes=1)
    inbox_heads().update_many({"_id": {"$lte": away}}, {"$set": {"last_seen": long_ago}})


def owners():
    return sorted(document["_id"] for document in inbox_heads().find())


def drop(*options):
    out = StringIO()
    call_command("drop_dormant", *options, stdout=out)
    return out.getvalue()


@pytest.fixture
def few_at_once(monkeypatch):
    monkeypatch.setattr(tasks, "DROP_BATCH_SIZE", 3)


@pytest.mark.parametrize("run", [tasks.drop_dormant, drop], ids=["task", "command"])
def test_inboxes_of_who_stays_away_are_dropped_and_no_others(few_at_once, run):
    make_readers(away=10, here=4)
    run()
    assert owners() == [11, 12, 13, 14]
    assert sorted(document["owner"] for document in inbox_buckets().find()) == [11, 12, 13, 14]
    run()
    assert owners() == [11, 12, 13, 14]


def test_the_daily_job_makes_way_for_deliveries_and_goes_on_after_them(
    few_at_once, asked, monkeypatch
):
    monkeypatch.setattr(tasks, "DROP_SECONDS", 0.0)
    make_readers(away=10, here=4)
    tasks.drop_dormant()
    assert len(owners()) == 11
    assert asked == [("drop_dormant", {})]
    work(asked)
    assert owners() == [11, 12, 13, 14]


def test_a_dry_run_tells_how_many_and_drops_none():
    make_readers(away=3, here=2)
    assert "3 inboxes" in drop("--dry-run")
    assert len(owners()) == 5


def test_a_dry_run_counts_what_was_begun_and_never_filled_too():
    make_readers(away=3, here=2)
    long_ago = timezone.now() - timedelta(days=1)
    inbox_heads().update_one(
        {"_id": 4}, {"$set": {"built_at": None, "build_requested_at": long_ago}}
    )
    assert "4 inboxes" in drop("--dry-run")
    assert "4 inboxes dropped" in drop()
    assert owners() == [5]


def test_the_command_can_be_stopped_and_run_again(few_at_once, monkeypatch):
    make_readers(away=10, here=4)
    original, calls = tasks.drop_dormant_batch, []

    def stopped_at_third():
        calls.append(None)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return original()

    with monkeypatch.context() as stopping:
        stopping.setattr(tasks, "drop_dormant_batch", stopped_at_third)
        with pytest.raises(CommandError, match="6 inboxes dropped"):
            drop()
    assert "4 inboxes dropped" in drop()
    assert owners() == [11, 12, 13, 14]


def test_a_begun_inbox_is_filled_by_a_worker(alice, bob, asked):
    follow(bob, alice)
    post_id = publish(alice)
    signals.inbox_begun.send(sender=None, owner=bob.pk)
    assert asked == [("build_inbox", {"owner": bob.pk})]
    work(asked)
    assert inbox_heads().find_one({"_id": bob.pk})["ids"] == [post_id]
    tasks.build_inbox(owner=bob.pk)
    assert inbox_heads().find_one({"_id": bob.pk})["ids"] == [post_id]


def test_of_a_deleted_post_no_share_is_left(alice, bob, carol, asked):
    remaining, deleted = publish(alice, "kept"), publish(alice, "gone")
    for sharer in (bob, carol):
        for post in (remaining, deleted):
            share_post(post_id=post, actor=sharer)
    delete_post(post_id=deleted, actor=User.objects.get(pk=alice.pk))
    assert ("clean_up_post", {"post_id": deleted}) in asked
    work(asked)
    tasks.clean_up_post(post_id=deleted)
    assert {document["post"] for document in shares().find()} == {remaining}
    assert set(Post.objects.values_list("share_of", flat=True)) == {None, remaining}
    assert Post.objects.count() == 3


def test_the_likes_of_very_many_comments_go_some_at_a_time(alice, bob, monkeypatch):
    monkeypatch.setattr(comments, "CAPACITY", 2)
    monkeypatch.setattr(comments, "BATCH_SIZE", 3)
    post, remaining = publish(alice, "words"), publish(alice, "others")
    for talk, count in ((post, 7), (remaining, 1)):
        for comment in add_conversation(talk, comments=[(bob, "said")] * count):
            like_comment(post_id=talk, comment_id=comment, actor=alice)
    tasks.clean_up_post(post_id=post)
    assert [document["post"] for document in like_buckets().find()] == [comment]


# --- What deletions leave behind ---------------------------------------------------------------
@pytest.fixture
def talked_about(alice, bob):
    """A post with everything that can point to one; and its comment."""
    post = publish(alice, "words")
    comment = add_comment(post_id=post, actor=bob, text="said")
    like_comment(post_id=post, comment_id=comment, actor=alice)
    like_post(post_id=post, actor=bob)
    bookmark_post(post_id=post, actor=bob)
    share_post(post_id=post, actor=bob)
    edit_post(post_id=post, actor=alice, text="other words")
    return post, comment


LEFT = ("comment_buckets", "like_buckets", "bookmarks", "shares", "revisions", "pending_cleanups")


def left_behind():
    return {post for post in LEFT if connection.database[post].count_documents({})}


def test_what_nobody_was_asked_for_after_a_deletion_is_found_by_the_sweeper(
    alice, talked_about, settings, asked
):
    settings.FEED_STALLED_SECONDS = 0
    delete_post(post_id=talked_about[0], actor=alice)
    asked.clear()  # the process died, or the broker
    assert left_behind() == set(LEFT)
    tasks.sweep()
    work(asked)
    assert left_behind() == set()
    assert not Post.objects.exists()


def test_likes_of_a_comment_go_also_if_nobody_was_asked(bob, talked_about, settings, asked):
    settings.FEED_STALLED_SECONDS = 0
    post, comment = talked_about
    delete_comment(post_id=post, comment_id=comment, actor=bob)
    asked.clear()
    likes = connection.database["like_buckets"]
    assert {document["post"] for document in likes.find()} == {post, comment}
    tasks.sweep()
    work(asked)
    assert {document["post"] for document in likes.find()} == {post}


def test_a_deletion_that_did_not_come_about_takes_nothing_away(
    alice, talked_about, settings, monkeypatch, asked
):
    settings.FEED_STALLED_SECONDS = 0
    post, _ = talked_about
    with monkeypatch.context() as patch:
        patch.setattr(Post, "delete", lambda *_: (_ for _ in ()).throw(RuntimeError))
        with pytest.raises(RuntimeError):
            delete_post(post_id=post, actor=alice)
    tasks.sweep()
    work(asked)
    assert left_behind() == {*LEFT} - {"pending_cleanups"}
    assert Post.objects.filter(pk=post).exists()
