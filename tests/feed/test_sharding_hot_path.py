"""All commands of the hot path contain their shard key, so mongos sends each command to few shards.

The tests record the commands of whole requests. The rules in ``test_sharding_targets`` tell which commands
would go to all shards.
"""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import reverse

from accounts import user_cards
from accounts.infra.ids import new_id
from feed import tasks
from feed.models import Post
from feed.services.comments import unlike_comment
from feed.services.interactions import unlike_post
from feed.services.posts import delete_post
from feed.services.tags import follow_tag
from feed.store.collections import inbox_buckets, inbox_heads
from feed.store.home_states import hide_suggestions
from feed.timeline import strategies
from feed.timeline.store import seal
from socialsite.shard_keys import SHARD_KEYS
from tests.actions import (
    add_comment,
    bookmark_post,
    delete_comment,
    edit_comment,
    edit_post,
    like_comment,
    like_post,
    pin_post,
    share_post,
)
from tests.database import command_log
from tests.factories import follow, follow_many, people, publish, publish_many

from .test_sharding_targets import ShardQuery, has_values, shard_queries

ALLOWED_BROADCASTS = {
    "posts of some authors, beyond what an inbox holds": lambda query: (
        query.collection == "feed_post" and has_values(query.query, "author_id")
    ),
    "subscribers of the author of a new post": lambda query: (
        query.collection == "follow_edges" and "notify" in str(query.query)
    ),
}
"""The only queries that may go to every shard (docs/sharding.md)."""


def broadcasts(commands) -> list[tuple[str, ShardQuery]]:
    return [
        (name, query)
        for name, command in commands
        for query in shard_queries(name, command)
        if not query.is_targeted
    ]


def unexpected_broadcasts(commands) -> list[tuple[str, ShardQuery]]:
    return [
        (name, query)
        for name, query in broadcasts(commands)
        if not any(is_allowed(query) for is_allowed in ALLOWED_BROADCASTS.values())
    ]


def sharded_collections(commands) -> set[str]:
    """Return the names of the sharded collections in these commands.

    Tests check the result, so that a test without commands to sharded collections fails.
    """
    return {
        query.collection for name, command in commands for query in shard_queries(name, command)
    } & SHARD_KEYS.keys()


@pytest.fixture
def followed_bob(alice, bob, carol, client, settings):
    """Let alice and others follow bob, and alice follow carol."""
    settings.FEED_INBOX_MAX = 200
    others = people(3)
    follow_many([alice, *others], bob)
    follow(alice, carol)
    for reader in (alice, *others):
        strategies.active_strategy().build_inbox(owner=reader.pk)
    client.force_login(alice)
    assert client.get("/").status_code == 200
    return bob


@pytest.fixture
def small_buckets(monkeypatch):
    monkeypatch.setattr(seal, "BUCKET_SIZE", 5)
    monkeypatch.setattr(seal, "SEAL_AT", 10)


def test_publishing_uses_shard_keys(followed_bob, client, record_commands):
    client.force_login(followed_bob)
    with record_commands() as commands:
        response = client.post(reverse("publish_post"), {"text": "Hello"})
    assert response.status_code == 302
    assert not unexpected_broadcasts(commands)
    assert {"feed_post", "inbox_heads", "audience_buckets"} <= sharded_collections(commands)


def test_sealing_and_trimming_use_shard_keys(
    alice, followed_bob, record_commands, settings, small_buckets
):
    settings.FEED_INBOX_MAX = 20
    posts = Post.objects.bulk_create(
        Post(author=followed_bob, text="x", delivery_state=Post.DeliveryState.DONE)
        for _ in range(40)
    )
    with record_commands() as commands:
        for post in posts:
            strategies.active_strategy().deliver(
                activity=post.pk, recipients=[alice.pk, followed_bob.pk]
            )
    assert not broadcasts(commands)
    sent = {(name, command[name]) for name, command in commands}
    assert {
        ("update", "inbox_heads"),
        ("insert", "inbox_buckets"),
        ("delete", "inbox_buckets"),
    } <= sent
    assert inbox_buckets().count_documents({"owner": alice.pk}) > 0


@pytest.mark.parametrize(
    ("strategy", "collections"),
    [
        ("fan_out_on_write", {"entry_heads", "inbox_entries"}),
        ("counted_buckets", {"counted_heads", "counted_buckets"}),
    ],
)
def test_the_other_strategies_use_shard_keys(
    alice, bob, client, record_commands, settings, strategy, collections, small_buckets
):
    settings.FEED_STRATEGY = strategy
    follow(alice, bob)
    client.force_login(alice)
    client.get("/")
    posts = Post.objects.bulk_create(
        Post(author=bob, text="x", delivery_state=Post.DeliveryState.DONE) for _ in range(24)
    )
    with record_commands() as commands:
        for post in posts:
            strategies.active_strategy().deliver(activity=post.pk, recipients=[alice.pk, bob.pk])
        newest, deep = client.get("/"), client.get(f"/?max_id={posts[12].pk}")
    assert newest.context["page"].posts[0].id == posts[-1].pk
    assert deep.context["page"].posts[0].id == posts[11].pk
    assert not unexpected_broadcasts(commands)
    assert collections <= sharded_collections(commands)


def test_a_first_page_uses_shard_keys(alice, followed_bob, carol, client, record_commands):
    publish_many(followed_bob, 12)
    publish_many(carol, 12)
    user_cards.clear_cards()
    with record_commands() as commands:
        response = client.get("/")
    assert len(response.context["page"].posts) == 20
    assert not unexpected_broadcasts(commands)
    assert {"feed_post", "inbox_heads"} <= sharded_collections(commands)


def test_a_page_with_shares_and_merged_posts_uses_shard_keys(
    alice, followed_bob, carol, client, record_commands, settings
):
    settings.FEED_PUSH_LIMIT = 0
    merged = publish(followed_bob)
    settings.FEED_PUSH_LIMIT = 1000
    stranger, *_ = people(1, "s")
    share = share_post(post_id=publish(stranger), actor=carol)
    with record_commands() as commands:
        response = client.get("/")
    assert [post.entry_id for post in response.context["page"].posts] == [share, merged]
    assert not broadcasts(commands)
    assert {"merged_posts", "shares", "follow_edges"} <= sharded_collections(commands)


def test_a_deep_page_uses_shard_keys(alice, followed_bob, client, record_commands, small_buckets):
    posts = Post.objects.bulk_create(
        Post(author=followed_bob, text="x", delivery_state=Post.DeliveryState.DONE)
        for _ in range(40)
    )
    for post in posts:
        strategies.active_strategy().deliver(activity=post.pk, recipients=[alice.pk])
    assert inbox_heads().find_one({"_id": alice.pk})["buckets"]
    user_cards.clear_cards()
    with record_commands() as commands:
        response = client.get(f"/?max_id={posts[16].pk}")
    assert response.context["page"].posts[0].id == posts[15].pk
    assert not unexpected_broadcasts(commands)
    assert {"feed_post", "inbox_heads", "inbox_buckets"} <= sharded_collections(commands)


def test_building_an_inbox_uses_shard_keys(alice, bob, client, record_commands):
    follow(alice, bob)
    publish(bob)
    # Only the home of new users suggests people.
    hide_suggestions(viewer=alice.pk)
    client.force_login(alice)
    with record_commands() as commands:
        assert len(client.get("/").context["page"].posts) == 1
    assert inbox_heads().count_documents({"_id": alice.pk}) == 1
    assert not unexpected_broadcasts(commands)


def test_following_uses_shard_keys(alice, bob, carol, client, record_commands):
    publish(bob)
    client.force_login(alice)
    client.get("/")
    with record_commands() as commands:
        response = client.post(reverse("follow", args=["bob"]))
        assert response.status_code == 302
    assert not unexpected_broadcasts(commands)
    assert {"follow_edges", "audience_buckets"} <= sharded_collections(commands)


def test_unfollowing_uses_shard_keys(alice, bob, client, record_commands):
    follow(alice, bob)
    client.force_login(alice)
    with record_commands() as commands:
        assert client.post(reverse("unfollow", args=["bob"])).status_code == 302
    assert not unexpected_broadcasts(commands)
    assert {"follow_edges", "audience_buckets"} <= sharded_collections(commands)


def test_liking_and_unliking_use_shard_keys(alice, bob, client, record_commands):
    post = publish(bob)
    client.force_login(alice)
    for name in ("like_post", "unlike_post"):
        with record_commands() as commands:
            assert client.post(reverse(name, args=[post])).status_code == 302
        assert not unexpected_broadcasts(commands)
        assert {"like_buckets", "feed_post"} <= sharded_collections(commands)
    with record_commands() as commands:
        assert client.get(reverse("post_likers", args=["bob", post])).status_code == 200
    assert not unexpected_broadcasts(commands)


def test_only_allowed_queries_go_to_every_shard(alice, bob, client, record_commands):
    """A query to all shards is reported unless ``ALLOWED_BROADCASTS`` allows it."""
    publish(bob)
    with record_commands() as commands:
        assert client.get("/@bob/").status_code == 200
        inbox_heads().find_one({"n": new_id()})
    assert len(broadcasts(commands)) == 2
    ((name, query),) = unexpected_broadcasts(commands)
    assert (name, query.collection) == ("find", "inbox_heads")


def test_actions_on_a_post_use_shard_keys(alice, followed_bob, record_commands):
    post, bob = publish(followed_bob), followed_bob
    with record_commands() as commands:
        comment = add_comment(post_id=post, actor=alice, text="x", idempotency_key="k")
        answer = add_comment(post_id=post, actor=bob, text="y", parent_id=comment)
        like_comment(post_id=post, comment_id=answer, actor=alice)
        unlike_comment(post_id=post, comment_id=answer, actor=alice)
        edit_comment(post_id=post, comment_id=answer, actor=bob, text="z")
        like_post(post_id=post, actor=alice)
        unlike_post(post_id=post, actor=alice)
        bookmark_post(post_id=post, actor=alice)
        edit_post(post_id=post, actor=bob, text="changed")
        pin_post(post_id=post, actor=bob)
    assert not broadcasts(commands)
    expected = {
        "comment_buckets",
        "like_buckets",
        "bookmarks",
        "pins",
        "revisions",
        "idempotency_keys",
    }
    assert expected <= sharded_collections(commands)
    with record_commands() as commands:
        delete_comment(post_id=post, comment_id=answer, actor=bob)
    # Only the notification collections know the recipients of a notification, so a deletion must ask all
    # shards. That is acceptable, because deletions are rare.
    broadcast_collections = {query.collection for _, query in broadcasts(commands)}
    assert broadcast_collections == {"notification_boxes", "notification_history"}


def test_reading_a_post_with_comments_uses_shard_keys(alice, followed_bob, client, record_commands):
    post = publish(followed_bob)
    comment = add_comment(post_id=post, actor=alice, text="x")
    add_comment(post_id=post, actor=alice, text="y", parent_id=comment)
    with record_commands() as commands:
        for path in (f"/@bob/{post}/", f"/@bob/{post}/comments/{comment}/", "/bookmarks/"):
            assert client.get(path).status_code == 200
    assert not unexpected_broadcasts(commands)
    assert "comment_buckets" in sharded_collections(commands)


def home_with_a_hashtag(client, alice, bob):
    follow_tag(uid=alice.pk, tag="tea")
    client.get("/")


def publish_with_a_mention(client, alice, bob):
    client.post(reverse("publish_post"), {"text": "@bob #tea"})


def delete(client, alice, bob):
    post = Post.objects.filter(author=alice).latest("pk")
    delete_post(post_id=post.pk, actor=alice)
    tasks.clean_up_post(post_id=post.pk)


def delete_a_comment(client, alice, bob):
    post = Post.objects.filter(author=bob).latest("pk").pk
    comment = add_comment(post_id=post, actor=alice, text="x")
    delete_comment(post_id=post, comment_id=comment, actor=alice)
    tasks.clean_up_comment(comment_id=comment)


def visit(*paths):
    def ask(client, alice, bob):
        for path in paths:
            assert client.get(path).status_code == 200

    return ask


ACTIONS = {
    "home of somebody who follows a hashtag": home_with_a_hashtag,
    "public timeline, page of a hashtag": visit("/public/", "/tags/tea/"),
    "profile": visit("/@bob/"),
    "comments on a profile": visit("/@bob/comments/"),
    "explore": visit("/explore/", "/explore/people/"),
    "search": visit("/search/?q=hello"),
    "notifications, messages, bookmarks, lists": visit(
        "/notifications/", "/messages/", "/bookmarks/", "/lists/"
    ),
    "new post": publish_with_a_mention,
    "follow": lambda client, alice, bob: client.post(reverse("follow", args=["bob"])),
    "deleted post": delete,
    "deleted comment": delete_a_comment,
    "sweeper, every minute": lambda client, alice, bob: tasks.sweep(),
}


def table_of_broadcasts():
    """Return the collections in the table of ``docs/sharding.md``, by action."""
    text = Path(settings.BASE_DIR, "docs/sharding.md").read_text()
    rows = re.findall(r"^\| ([^|]+) \| ((?:`\w+`(?:, )?)+|none) \| [^|]+ \|$", text, re.MULTILINE)
    return {action: set(re.findall(r"`(\w+)`", names)) for action, names in rows}


def test_the_guide_lists_what_goes_to_every_shard(alice, bob, client, record_commands):
    publish(bob, "hello #tea")
    publish(alice, "bye")
    client.force_login(alice)
    client.get("/")
    collections = {}
    with command_log.uncounted():
        for name, act in ACTIONS.items():
            with record_commands() as commands:
                act(client, alice, bob)
            collections[name] = {query.collection for _name, query in broadcasts(commands)}
    assert table_of_broadcasts() == collections
