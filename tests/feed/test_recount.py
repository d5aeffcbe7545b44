"""What posts and comments tell of themselves is checked by ``recount``, and put right."""

from io import StringIO

import pytest
from django.core.management import call_command

from feed.models import Post
from feed.store import likes
from feed.store.collections import comment_buckets, like_buckets, posts
from tests.actions import like_comment, like_post, share_post
from tests.factories import people, publish, publish_many
from tests.feed.comment_helpers import held, say


def recount(*options):
    out = StringIO()
    call_command("recount", *options, stdout=out, stderr=out)
    return out.getvalue()


def like_many(post, count, prefix):
    for fan in people(count, prefix):
        like_post(post_id=post, actor=fan)


@pytest.fixture
def talked_about(alice, bob, carol):
    """A post with comments, a reply, a share, likes of all; and its first comment."""
    post = publish(alice)
    first = say(post, bob)
    say(post, carol, parent=first)
    for _ in range(3):
        say(post, carol)
    like_comment(post_id=post, comment_id=first, actor=alice)
    share_post(post_id=post, actor=bob)
    like_many(post, 5, "fan")
    return post, first


def test_wrong_likes_are_found_and_put_right(alice, monkeypatch):
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


def test_a_site_where_nothing_is_wrong_is_left_as_it_is(talked_about):
    post, _ = talked_about
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
def test_a_wrong_post_is_put_right(talked_about, wrong):
    post, _ = talked_about
    right = posts().find_one({"_id": post})
    posts().update_one({"_id": post}, {"$set": wrong})
    assert "1 of them with wrong numbers" in recount()
    assert posts().find_one({"_id": post}) == right
    held(post)


def test_wrong_comments_are_put_right(talked_about):
    _, first = talked_about
    right = list(comment_buckets().find().sort("_id"))
    wrong = {"comments.$.likes": 9, "comments.$.replies": -1, "n": 3}
    comment_buckets().update_one({"comments.id": first}, {"$set": wrong})
    assert "1 of them with wrong numbers" in recount("--dry-run")
    recount()
    assert list(comment_buckets().find().sort("_id")) == right
    assert "0 of them with wrong numbers" in recount()
