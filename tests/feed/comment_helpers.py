"""Helpers to write and read comments."""

from feed.models import Post
from feed.selectors.comments import CommentBounds, comments_page
from feed.selectors.visible_posts import visible_post
from feed.store import comment_rows, post_counters
from feed.store.collections import comment_buckets
from tests.actions import add_comment


def say(post, actor, text="something", parent=0):
    return add_comment(post_id=post, actor=actor, text=text, parent_id=parent)


def page(post, viewer, thread_id=0, **bounds):
    view = visible_post(post_id=post, viewer=viewer.pk)
    return comments_page(
        post=view, viewer=viewer.pk, bounds=CommentBounds(**bounds), thread_id=thread_id
    )


def ids(result):
    return [comment.id for comment in result.comments]


def stored_comments(post):
    """Check the comment buckets and counters of the post.

    Return ``{thread: [ids of comments that are not deleted]}``. Thread 0 has the top-level comments.
    """
    threads = {}
    for bucket in comment_buckets().find({"post": post}).sort([("thread", 1), ("seq", 1)]):
        thread_comments = threads.setdefault(bucket["thread"], [])
        assert bucket["n"] == len(bucket["comments"]) <= comment_rows.CAPACITY
        # All earlier buckets of the thread must be full.
        assert len(thread_comments) == bucket["seq"] * comment_rows.CAPACITY
        thread_comments += bucket["comments"]
    seen = {
        thread: [comment["id"] for comment in thread_comments if not comment["is_deleted"]]
        for thread, thread_comments in threads.items()
    }
    for comment in threads.get(0, ()):
        assert comment["replies"] == len(seen.get(comment["id"], ()))
    row = Post.objects.get(pk=post)
    assert row.comments == sum(map(len, seen.values()))
    newest = [(comment["id"], comment["uid"], comment["text"]) for comment in row.newest_comments]
    last = [comment for comment in threads.get(0, ()) if not comment["is_deleted"]][
        -post_counters.NEWEST_COUNT :
    ]
    assert newest == [(comment["id"], comment["uid"], comment["text"][:160]) for comment in last]
    return seen
