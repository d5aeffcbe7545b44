"""Posts of authors who have many followers when they publish are merged into home timelines on read."""

import pytest

from accounts.infra.cursors import PageBounds
from accounts.services.follows import unfollow_user
from feed.models import Post
from feed.services.posts import delete_post
from feed.store.collections import inbox_heads
from feed.timeline.home import home_page
from feed.timeline.store import inboxes, seal
from tests.actions import edit_post
from tests.factories import follow, publish, publish_many


def home(reader, limit=40, **window):
    return [
        post.entry_id
        for post in home_page(viewer=reader.pk, bounds=PageBounds(limit=limit, **window)).posts
    ]


@pytest.fixture
def all_authors_large(settings):
    settings.FEED_PUSH_LIMIT = 0
    return settings


def test_posts_of_large_authors_are_shown_without_delivery(alice, bob, all_authors_large):
    follow(alice, bob)
    home(alice)
    post = publish(bob)
    assert inboxes.lifecycle.get_head(owner=alice.pk).ids == []
    assert Post.objects.get(pk=post).delivery_state == "done"
    assert home(alice) == [post]
    assert home(bob) == [post]
    assert home(alice, min_id=0) == [post]
    assert home_page(viewer=alice.pk, bounds=PageBounds(limit=5)).unread_count == 0


def test_crossing_the_push_limit_loses_and_repeats_nothing(alice, bob, carol, settings):
    follow(alice, bob, carol)
    home(alice)
    posts = []
    for turn in range(9):
        settings.FEED_PUSH_LIMIT = 0 if turn % 3 else 1000
        posts += [publish(bob, f"b{turn}"), publish(carol, f"c{turn}")]
    assert home(alice) == posts[::-1]
    assert home(alice, limit=5) == posts[::-1][:5]
    walked, cursor = [], None
    while True:
        page = home_page(viewer=alice.pk, bounds=PageBounds(limit=5, max_id=cursor))
        walked += [post.entry_id for post in page.posts]
        if page.older_cursor is None:
            break
        cursor = int(page.older_cursor)
    assert walked == posts[::-1]


def test_the_number_of_followers_at_publishing_counts(alice, bob, carol, settings):
    settings.FEED_PUSH_LIMIT = 1
    follow(alice, bob)
    small = publish(bob)
    follow(carol, bob)
    large = publish(bob)
    unfollow_user(follower=carol.pk, followee=bob.pk)
    small_again = publish(bob)
    pushed = dict(Post.objects.values_list("pk", "is_pushed"))
    assert pushed == {small: True, large: False, small_again: True}
    assert home(alice) == [small_again, large, small]


def test_deep_pages_contain_merged_posts(alice, bob, carol, settings, monkeypatch):
    monkeypatch.setattr(seal, "BUCKET_SIZE", 5)
    monkeypatch.setattr(seal, "SEAL_AT", 10)
    settings.FEED_INBOX_MAX = 15
    follow(alice, bob, carol)
    home(alice)
    posts = []
    for n in range(11):
        settings.FEED_PUSH_LIMIT = 0 if n % 4 == 0 else 1000
        posts += [*publish_many(bob, 1), *publish_many(carol, 1)]
    floor = inboxes.lifecycle.get_head(owner=alice.pk).floor
    assert posts[0] < floor < posts[-1]
    walked, cursor = [], None
    while True:
        page = home_page(viewer=alice.pk, bounds=PageBounds(limit=7, max_id=cursor))
        walked += [post.entry_id for post in page.posts]
        if page.older_cursor is None:
            break
        cursor = int(page.older_cursor)
    assert walked == posts[::-1]
    walked, cursor = [], 0
    while cursor is not None:
        page = home_page(viewer=alice.pk, bounds=PageBounds(limit=7, min_id=cursor))
        walked += [post.entry_id for post in reversed(page.posts)]
        cursor = page.newer_cursor and int(page.newer_cursor)
    assert walked == posts


def test_direct_posts_of_a_large_author_are_delivered(alice, bob, carol, all_authors_large):
    follow(alice, bob)
    follow(carol, bob)
    home(alice)
    home(carol)
    post = publish(bob, "@alice psst", "direct")
    assert Post.objects.get(pk=post).is_pushed
    assert home(alice) == [post]
    assert home(carol) == []


def test_unfollowing_a_large_author_hides_their_posts(alice, bob, all_authors_large):
    follow(alice, bob)
    publish_many(bob, 3)
    home(alice)
    unfollow_user(follower=alice.pk, followee=bob.pk)
    assert home(alice) == []


def test_edits_and_deletions_need_no_delivery(alice, bob, client):
    follow(alice, bob)
    remaining, deleted = publish(bob, "frist"), publish(bob, "oops")
    home(alice)
    before = inbox_heads().find_one({"_id": alice.pk})
    edit_post(post_id=remaining, actor=bob, text="first")
    delete_post(post_id=deleted, actor=bob)
    client.force_login(alice)
    text = client.get("/").content.decode()
    assert "first" in text
    assert "frist" not in text
    assert "oops" not in text
    after = inbox_heads().find_one({"_id": alice.pk})
    assert {**before, "last_seen": None} == {**after, "last_seen": None}
