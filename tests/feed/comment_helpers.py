"""What tests of comments say and look at."""

from feed.models import Post
from feed.selectors.comments import comments_page
from feed.selectors.lists import visible_post
from feed.store import comments, post_counters
from feed.store.collections import comment_buckets
from tests.actions import add_comment


def say(post, actor, text="something", parent=0):
    return add_comment(post_id=post, actor=actor, text=text, parent_id=parent)


def page(post, viewer, **where):
    view = visible_post(post_id=post, viewer=viewer.pk)
    return comments_page(post=view, viewer=viewer.pk, **where)


def ids(result):
    return [comment.id for comment in result.comments]


def held(post):
    """All that is there, with the promises of the buckets and the numbers kept: {thread: [id]}."""
    threads = {}
    for bucket in comment_buckets().find({"post": post}).sort([("thread", 1), ("seq", 1)]):
        existing = threads.setdefault(bucket["thread"], [])
        assert bucket["n"] == len(bucket["comments"]) <= comments.CAPACITY
        assert len(existing) == bucket["seq"] * comments.CAPACITY  # only the last has room
        existing += bucket["comments"]
    seen = {
        thread: [comment["id"] for comment in existing if not comment["is_deleted"]]
        for thread, existing in threads.items()
    }
    for new_row in threads.get(0, ()):
        assert new_row["replies"] == len(seen.get(new_row["id"], ()))
    row = Post.objects.get(pk=post)
    assert row.comments == sum(map(len, seen.values()))
    newest = [(comment["id"], comment["uid"], comment["text"]) for comment in row.newest_comments]
    last = [post for post in threads.get(0, ()) if not post["is_deleted"]][
        -post_counters.NEWEST_COUNT :
    ]
    assert newest == [(post["id"], post["uid"], post["text"][:160]) for post in last]
    return seen
