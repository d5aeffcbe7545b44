"""Background jobs: dropping and filling inboxes, and cleaning up after deletions."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from accounts.models import User
from feed import task_queue, tasks
from feed.models import Post
from feed.services.posts import delete_post
from feed.store import comment_rows, comments
from feed.store.collections import inbox_buckets, inbox_heads, like_buckets, shares
from tests.actions import (
    add_comment,
    bookmark_post,
    delete_comment,
    edit_post,
    like_comment,
    like_post,
    share_post,
)
from tests.factories import add_conversation, follow, publish
from tests.feed.audiences import make_inboxes
from tests.feed.workers import work


def make_readers(*, dormant_count, active_count):
    """Insert inboxes of ``dormant_count`` dormant and ``active_count`` active users."""
    make_inboxes(range(1, dormant_count + active_count + 1), ids=[7])
    inbox_buckets().insert_many(
        {"owner": uid, "gen": 1, "seq": 0, "ids": [5]}
        for uid in range(1, dormant_count + active_count + 1)
    )
    long_ago = timezone.now() - timedelta(days=14, minutes=1)
    inbox_heads().update_many({"_id": {"$lte": dormant_count}}, {"$set": {"last_seen": long_ago}})


def owners():
    return sorted(document["_id"] for document in inbox_heads().find())


def run_drop_dormant(*options):
    out = StringIO()
    call_command("drop_dormant", *options, stdout=out)
    return out.getvalue()


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(tasks, "DROP_BATCH_SIZE", 3)


@pytest.mark.parametrize("run", [tasks.drop_dormant, run_drop_dormant], ids=["task", "command"])
def test_only_dormant_inboxes_are_dropped(small_batches, run):
    make_readers(dormant_count=10, active_count=4)
    run()
    assert owners() == [11, 12, 13, 14]
    assert sorted(document["owner"] for document in inbox_buckets().find()) == [11, 12, 13, 14]
    run()
    assert owners() == [11, 12, 13, 14]


def test_the_daily_job_yields_to_deliveries_and_continues_later(small_batches, asked, monkeypatch):
    monkeypatch.setattr(tasks, "BATCHES_SECONDS", 0.0)
    make_readers(dormant_count=10, active_count=4)
    tasks.drop_dormant()
    assert len(owners()) == 11
    assert asked == [("drop_dormant", {})]
    work(asked)
    assert owners() == [11, 12, 13, 14]


def test_a_dry_run_counts_inboxes_and_drops_none():
    make_readers(dormant_count=3, active_count=2)
    assert "3 inboxes" in run_drop_dormant("--dry-run")
    assert len(owners()) == 5


def test_inboxes_that_were_never_filled_are_counted_and_dropped():
    make_readers(dormant_count=3, active_count=2)
    long_ago = timezone.now() - timedelta(days=1)
    inbox_heads().update_one(
        {"_id": 4}, {"$set": {"built_at": None, "build_requested_at": long_ago}}
    )
    assert "4 inboxes" in run_drop_dormant("--dry-run")
    assert "4 inboxes dropped" in run_drop_dormant()
    assert owners() == [5]


def test_the_command_can_be_stopped_and_run_again(small_batches, monkeypatch):
    make_readers(dormant_count=10, active_count=4)
    original, calls = tasks.drop_dormant_batch, []

    def stopped_at_third():
        calls.append(None)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return original()

    with monkeypatch.context() as stopping:
        stopping.setattr(tasks, "drop_dormant_batch", stopped_at_third)
        with pytest.raises(CommandError, match="6 inboxes dropped"):
            run_drop_dormant()
    assert "4 inboxes dropped" in run_drop_dormant()
    assert owners() == [11, 12, 13, 14]


def test_a_worker_fills_a_new_inbox(alice, bob, asked):
    follow(bob, alice)
    post_id = publish(alice)
    task_queue.enqueue(tasks.build_inbox, owner=bob.pk)
    assert asked == [("build_inbox", {"owner": bob.pk})]
    work(asked)
    assert inbox_heads().find_one({"_id": bob.pk})["ids"] == [post_id]
    tasks.build_inbox(owner=bob.pk)
    assert inbox_heads().find_one({"_id": bob.pk})["ids"] == [post_id]


def test_deleting_a_post_deletes_its_shares(alice, bob, carol, asked):
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


def test_likes_of_many_comments_are_deleted_in_batches(alice, bob, monkeypatch):
    monkeypatch.setattr(comment_rows, "CAPACITY", 2)
    monkeypatch.setattr(comments, "BATCH_SIZE", 3)
    post, remaining = publish(alice, "words"), publish(alice, "others")
    for post_id, count in ((post, 7), (remaining, 1)):
        for comment in add_conversation(post_id, comments=[(bob, "said")] * count):
            like_comment(post_id=post_id, comment_id=comment, actor=alice)
    tasks.clean_up_post(post_id=post)
    assert [document["post"] for document in like_buckets().find()] == [comment]


# --- Cleanup after deletions -------------------------------------------------------------------
@pytest.fixture
def referenced_post(alice, bob):
    """Publish a post and a comment, and create every kind of document that refers to one of the two."""
    post = publish(alice, "words")
    comment = add_comment(post_id=post, actor=bob, text="said")
    like_comment(post_id=post, comment_id=comment, actor=alice)
    like_post(post_id=post, actor=bob)
    bookmark_post(post_id=post, actor=bob)
    share_post(post_id=post, actor=bob)
    edit_post(post_id=post, actor=alice, text="other words")
    return post, comment


REFERENCING_COLLECTIONS = (
    "comment_buckets",
    "like_buckets",
    "bookmarks",
    "shares",
    "revisions",
    "pending_cleanups",
)


def remaining_collections():
    return {
        name for name in REFERENCING_COLLECTIONS if connection.database[name].count_documents({})
    }


def test_the_sweeper_finishes_a_lost_cleanup_of_a_post(alice, referenced_post, settings, asked):
    settings.FEED_STALLED_SECONDS = 0
    delete_post(post_id=referenced_post[0], actor=alice)
    asked.clear()  # lose the task, as in a crash of the process or the broker
    assert remaining_collections() == set(REFERENCING_COLLECTIONS)
    tasks.sweep()
    work(asked)
    assert remaining_collections() == set()
    assert not Post.objects.exists()


def test_the_sweeper_finishes_a_lost_cleanup_of_a_comment(bob, referenced_post, settings, asked):
    settings.FEED_STALLED_SECONDS = 0
    post, comment = referenced_post
    delete_comment(post_id=post, comment_id=comment, actor=bob)
    asked.clear()
    likes = connection.database["like_buckets"]
    assert {document["post"] for document in likes.find()} == {post, comment}
    tasks.sweep()
    work(asked)
    assert {document["post"] for document in likes.find()} == {post}


def test_a_failed_deletion_deletes_nothing(alice, referenced_post, settings, monkeypatch, asked):
    settings.FEED_STALLED_SECONDS = 0
    post, _ = referenced_post
    with monkeypatch.context() as patch:
        patch.setattr(Post, "delete", lambda *_: (_ for _ in ()).throw(RuntimeError))
        with pytest.raises(RuntimeError):
            delete_post(post_id=post, actor=alice)
    tasks.sweep()
    work(asked)
    assert remaining_collections() == {*REFERENCING_COLLECTIONS} - {"pending_cleanups"}
    assert Post.objects.filter(pk=post).exists()
