"""Each command of the hot path carries its shard key, so that a mongos need not ask every shard.

What the driver sends is recorded from whole requests; how it is judged: ``test_sharding_targets``.
"""

import pytest
from django.urls import reverse

from accounts import user_cards
from accounts.infra.ids import new_id
from feed.models import Post
from feed.services.comments import unlike_comment
from feed.services.likes import unlike_post
from feed.services.posts import edit_post
from feed.store.collections import inbox_buckets, inbox_heads
from feed.timeline import strategies
from feed.timeline.store import seal
from socialsite.sharding.keys import SHARD_KEYS
from tests.actions import (
    add_comment,
    bookmark_post,
    delete_comment,
    edit_comment,
    like_comment,
    like_post,
    pin_post,
    share_post,
)
from tests.factories import follow, follow_many, people, publish, publish_many

from .test_sharding_targets import Ask, asks, has_values

BY_NATURE = {
    "posts of some authors, beyond what an inbox holds": lambda ask: (
        ask.collection == "feed_post" and has_values(ask.query, "author_id")
    ),
}
"""All that may ask every shard: fan-out on read."""


def to_every_shard(commands) -> list[tuple[str, Ask]]:
    return [
        (name, ask)
        for name, command in commands
        for ask in asks(name, command)
        if not ask.is_targeted
    ]


def surprises(commands) -> list[tuple[str, Ask]]:
    return [
        (name, ask)
        for name, ask in to_every_shard(commands)
        if not any(is_so(ask) for is_so in BY_NATURE.values())
    ]


def sharded_among(commands) -> set[str]:
    """The sharded collections that were asked: proof that there was something to judge."""
    return {
        ask.collection for name, command in commands for ask in asks(name, command)
    } & SHARD_KEYS.keys()


@pytest.fixture
def bob_has_readers(alice, bob, carol, client, settings):
    """Bob is followed by alice, who reads, and by some others; alice follows carol too."""
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


def test_publishing_delivers_by_shard_key(bob_has_readers, client, record_commands):
    client.force_login(bob_has_readers)
    with record_commands() as commands:
        response = client.post(reverse("publish_post"), {"text": "Hello"})
    assert response.status_code == 302
    assert not surprises(commands)
    assert {"feed_post", "inbox_heads", "audience_buckets"} <= sharded_among(commands)


def test_sealing_and_trimming_go_by_shard_key(
    alice, bob_has_readers, record_commands, settings, small_buckets
):
    settings.FEED_INBOX_MAX = 20
    posts = Post.objects.bulk_create(
        Post(author=bob_has_readers, text="x", delivery_state=Post.DeliveryState.DONE)
        for _ in range(40)
    )
    with record_commands() as commands:
        for post in posts:
            strategies.active_strategy().deliver(
                activity=post.pk, recipients=[alice.pk, bob_has_readers.pk]
            )
    assert not to_every_shard(commands)
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
def test_the_other_strategies_deliver_and_read_by_shard_key(
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
    assert not surprises(commands)
    assert collections <= sharded_among(commands)


def test_a_first_page_goes_by_shard_key(alice, bob_has_readers, carol, client, record_commands):
    publish_many(bob_has_readers, 12)
    publish_many(carol, 12)
    user_cards.clear_cards()
    with record_commands() as commands:
        response = client.get("/")
    assert len(response.context["page"].posts) == 20
    assert not surprises(commands)
    assert {"feed_post", "inbox_heads"} <= sharded_among(commands)


def test_a_page_with_shares_and_posts_that_are_merged_goes_by_shard_key(
    alice, bob_has_readers, carol, client, record_commands, settings
):
    settings.FEED_PUSH_LIMIT = 0
    merged = publish(bob_has_readers)
    settings.FEED_PUSH_LIMIT = 1000
    stranger, *_ = people(1, "s")
    share = share_post(post_id=publish(stranger), actor=carol)
    with record_commands() as commands:
        response = client.get("/")
    assert [post.entry_id for post in response.context["page"].posts] == [share, merged]
    assert not to_every_shard(commands)
    assert {"merged_posts", "shares", "follow_edges"} <= sharded_among(commands)


def test_a_deep_page_goes_by_shard_key(
    alice, bob_has_readers, client, record_commands, small_buckets
):
    posts = Post.objects.bulk_create(
        Post(author=bob_has_readers, text="x", delivery_state=Post.DeliveryState.DONE)
        for _ in range(40)
    )
    for post in posts:
        strategies.active_strategy().deliver(activity=post.pk, recipients=[alice.pk])
    assert inbox_heads().find_one({"_id": alice.pk})["buckets"]
    user_cards.clear_cards()
    with record_commands() as commands:
        response = client.get(f"/?max_id={posts[16].pk}")
    assert response.context["page"].posts[0].id == posts[15].pk
    assert not surprises(commands)
    assert {"feed_post", "inbox_heads", "inbox_buckets"} <= sharded_among(commands)


def test_an_inbox_is_built_by_shard_key(alice, bob, client, record_commands):
    follow(alice, bob)
    publish(bob)
    client.force_login(alice)
    with record_commands() as commands:
        assert len(client.get("/").context["page"].posts) == 1
    assert inbox_heads().count_documents({"_id": alice.pk}) == 1
    assert not surprises(commands)


def test_following_goes_by_shard_key(alice, bob, carol, client, record_commands):
    publish(bob)
    client.force_login(alice)
    client.get("/")
    with record_commands() as commands:
        response = client.post(reverse("follow", args=["bob"]))
        assert response.status_code == 302
    assert not surprises(commands)
    assert {"follow_edges", "audience_buckets"} <= sharded_among(commands)


def test_unfollowing_goes_by_shard_key(alice, bob, client, record_commands):
    follow(alice, bob)
    client.force_login(alice)
    with record_commands() as commands:
        assert client.post(reverse("unfollow", args=["bob"])).status_code == 302
    assert not surprises(commands)
    assert {"follow_edges", "audience_buckets"} <= sharded_among(commands)


def test_liking_and_taking_it_back_go_by_shard_key(alice, bob, client, record_commands):
    post = publish(bob)
    client.force_login(alice)
    for name in ("like_post", "unlike_post"):
        with record_commands() as commands:
            assert client.post(reverse(name, args=[post])).status_code == 302
        assert not surprises(commands)
        assert {"like_buckets", "feed_post"} <= sharded_among(commands)
    with record_commands() as commands:
        assert client.get(reverse("post_likers", args=["bob", post])).status_code == 200
    assert not surprises(commands)


def test_what_asks_all_shards_by_nature_is_noticed(alice, bob, client, record_commands):
    """The exceptions are seen and named, and cover nothing else."""
    publish(bob)
    with record_commands() as commands:
        assert client.get("/@bob/").status_code == 200
        inbox_heads().find_one({"n": new_id()})
    assert len(to_every_shard(commands)) == 2
    ((name, ask),) = surprises(commands)
    assert (name, ask.collection) == ("find", "inbox_heads")


def test_what_people_do_with_a_post_goes_by_shard_key(alice, bob_has_readers, record_commands):
    post, bob = publish(bob_has_readers), bob_has_readers
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
    assert not to_every_shard(commands)
    wanted = {
        "comment_buckets",
        "like_buckets",
        "bookmarks",
        "pins",
        "revisions",
        "idempotency_keys",
    }
    assert wanted <= sharded_among(commands)
    with record_commands() as commands:
        delete_comment(post_id=post, comment_id=answer, actor=bob)
    # Who was told of it is known to nobody else: deletions are few.
    results = {ask.collection for _, ask in to_every_shard(commands)}
    assert results == {"notification_boxes", "notification_history"}


def test_a_post_with_its_comments_is_read_by_shard_key(
    alice, bob_has_readers, client, record_commands
):
    post = publish(bob_has_readers)
    comment = add_comment(post_id=post, actor=alice, text="x")
    add_comment(post_id=post, actor=alice, text="y", parent_id=comment)
    with record_commands() as commands:
        for path in (f"/@bob/{post}/", f"/@bob/{post}/comments/{comment}/", "/bookmarks/"):
            assert client.get(path).status_code == 200
    assert not surprises(commands)
    assert "comment_buckets" in sharded_among(commands)
