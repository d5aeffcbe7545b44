"""The bulk helpers of tests store the same documents as the site's services."""

from accounts.store.collections import audience_buckets, follow_edges
from feed.store.collections import comment_buckets, like_buckets, posts
from tests.actions import add_comment, like_post
from tests.factories import add_conversation, follow, follow_many, people, publish


def without(documents, *names):
    return [
        {key: value for key, value in document.items() if key not in names}
        for document in documents
    ]


def graph_of(followee):
    edges = follow_edges().find({"followee": followee.pk}).sort("_id")
    buckets = audience_buckets().find({"author": followee.pk}).sort("seq")
    return without(edges, "_id", "followee", "since", "at"), without(buckets, "_id", "author")


def test_follow_many_stores_the_same_graph_as_single_follows(alice, bob):
    fans = people(3)
    for fan in fans:
        follow(fan, alice)
    follow_many(fans, bob)
    assert graph_of(bob) == graph_of(alice)


def test_a_bulk_conversation_equals_single_likes_and_comments(alice, bob):
    fans = people(7)
    single, bulk = publish(alice, "one by one"), publish(alice, "at once")
    for fan in fans:
        like_post(post_id=single, actor=fan)
        add_comment(post_id=single, actor=fan, text=f"from {fan.username}")
    add_conversation(bulk, likers=fans, comments=[(fan, f"from {fan.username}") for fan in fans])

    def counters_of(post):
        row = posts().find_one({"_id": post})
        names = ("likes", "comments", "newest_likers", "newest_comments")
        return {name: without(row[name], "id") if name == names[3] else row[name] for name in names}

    assert counters_of(bulk) == counters_of(single)
    likes = [without(like_buckets().find({"post": post}), "_id", "post") for post in (bulk, single)]
    assert likes[0] == likes[1]
    comments = [list(comment_buckets().find({"post": post})) for post in (bulk, single)]
    assert [without(bucket["comments"], "id", "at") for bucket in comments[0]] == [
        without(bucket["comments"], "id", "at") for bucket in comments[1]
    ]
