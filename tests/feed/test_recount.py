"""The command ``recount`` checks and corrects the counters of posts and comments."""

from io import StringIO

import pytest
from django.core.management import call_command

from feed.models import Post
from feed.store import likes
from feed.store.collections import comment_buckets, like_buckets, posts
from tests.actions import like_comment, like_post, share_post, vote
from tests.factories import people, publish, publish_many
from tests.feed.comment_helpers import say, stored_comments
from tests.feed.poll_helpers import publish_poll, stored_poll


def recount(*options):
    out = StringIO()
    call_command("recount", *options, stdout=out, stderr=out)
    return out.getvalue()


def like_many(post, count, prefix):
    for fan in people(count, prefix):
        like_post(post_id=post, actor=fan)


@pytest.fixture
def discussed_post(alice, bob, carol):
    """Publish a post with comments, a reply, a share and likes.

    Return the ids of the post and of the first comment.
    """
    post = publish(alice)
    first = say(post, bob)
    say(post, carol, parent=first)
    for _ in range(3):
        say(post, carol)
    like_comment(post_id=post, comment_id=first, actor=alice)
    share_post(post_id=post, actor=bob)
    like_many(post, 5, "fan")
    return post, first


def test_wrong_votes_are_corrected(alice, bob, carol):
    poll = publish_poll(alice, is_multiple=True)
    vote(poll, bob, 0, 1)
    vote(poll, carol, 1)
    posts().update_one({"_id": poll}, {"$set": {"details.counts": [5, 0], "details.voters": 9}})
    assert "1 of them with wrong numbers" in recount()
    assert stored_poll(poll) == ([1, 2], 2)
    assert "1 of them" not in recount()


def test_wrong_likes_are_corrected(alice, monkeypatch):
    monkeypatch.setattr(likes, "CAPACITY", 3)
    right, wrong, unliked = publish_many(alice, 3)
    like_many(right, 4, "one")
    like_many(wrong, 5, "other")
    posts().update_one({"_id": wrong}, {"$set": {"likes": 99}})
    posts().update_one({"_id": unliked}, {"$set": {"likes": -2}})
    like_buckets().update_one({"post": wrong, "seq": 1}, {"$set": {"n": 1}})
    assert "3 posts, 2 of them with wrong numbers" in recount("--dry-run")
    assert Post.objects.get(pk=wrong).likes == 99
    assert "3 posts, 2 of them with wrong numbers" in recount()
    for post, number in ((right, 4), (wrong, 5), (unliked, 0)):
        assert Post.objects.get(pk=post).likes == number
        documents = list(like_buckets().find({"post": post}))
        assert (
            sum(document["n"] for document in documents)
            == sum(len(document["uids"]) for document in documents)
            == number
        )
    assert "3 posts, 0 of them with wrong numbers" in recount()


def test_correct_counters_are_not_changed(discussed_post):
    post, _ = discussed_post
    before = posts().find_one({"_id": post})
    assert "1 posts, 0 of them with wrong numbers" in recount()
    assert posts().find_one({"_id": post}) == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"shares": 7},
        {"comments": 0},
        {"likes": 4},
        {"newest_likers": []},
        {"newest_comments": []},
        {"comments": 99, "newest_comments": [{"id": 1, "uid": 2, "text": "never said"}]},
    ],
)
def test_wrong_counters_of_a_post_are_corrected(discussed_post, wrong):
    post, _ = discussed_post
    right = posts().find_one({"_id": post})
    posts().update_one({"_id": post}, {"$set": wrong})
    assert "1 of them with wrong numbers" in recount()
    assert posts().find_one({"_id": post}) == right
    stored_comments(post)


def test_wrong_counters_of_comments_are_corrected(discussed_post):
    _, first = discussed_post
    right = list(comment_buckets().find().sort("_id"))
    wrong = {"comments.$.likes": 9, "comments.$.replies": -1, "n": 3}
    comment_buckets().update_one({"comments.id": first}, {"$set": wrong})
    assert "1 of them with wrong numbers" in recount("--dry-run")
    recount()
    assert list(comment_buckets().find().sort("_id")) == right
    assert "0 of them with wrong numbers" in recount()
