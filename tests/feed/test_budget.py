"""What a page costs the database, over HTTP: the same for few and for many."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts import user_cards
from feed.models import Post
from feed.store import inboxes
from feed.store.collections import inbox_heads
from tests.factories import follow, follow_in_bulk, people, publish_many

OF_SESSION_AND_USER = 2


@pytest.fixture
def commands_of(client, record_commands):
    def ask(path, user=None, *, warm_up=True):
        if user is not None:
            client.force_login(user)
        if warm_up:
            assert client.get(path).status_code == 200
        user_cards.forget_all()
        with record_commands() as commands:
            response = client.get(path)
        assert response.status_code == 200
        return [name for name, _ in commands], response

    return ask


@pytest.mark.parametrize("size", [20, 40])
@pytest.mark.parametrize("followed", [10, 1000])
def test_home_costs_at_most_six_commands_after_session_and_user(
    alice, commands_of, settings, followed, size
):
    settings.FEED_PAGE_SIZE = size
    settings.FEED_INBOX_MAX = 200
    authors = people(followed)
    follow_in_bulk(alice, authors)
    inbox = "/"
    commands_of(inbox, alice)
    posts = [one for author in authors[:5] for one in publish_many(author, 60)]
    floor = inboxes.head(owner=alice.pk).floor
    assert posts[0] < floor < posts[-1]
    last_held = next(one for one in posts if one > floor)
    costs = {}
    for name, path in {
        "first": inbox,
        "deep": f"/?max_id={posts[-70]}",
        "at the floor": f"/?max_id={last_held}",
        "past the inbox": f"/?max_id={posts[50]}",
        "upwards": f"/?min_id={posts[-70]}",
    }.items():
        commands, response = commands_of(path, alice)
        assert len(response.context["page"].posts) == size
        costs[name] = len(commands) - OF_SESSION_AND_USER
    assert max(costs.values()) <= 6, costs
    assert costs == {
        "first": 4,
        "deep": 5,
        "at the floor": 5,
        "past the inbox": 4,
        "upwards": 5,
    }


def test_a_full_inbox_of_the_default_size_read_once_an_hour_stays_within_six(
    alice, commands_of, client
):
    """Many entries are examined at once, by many authors, and the visit is noted."""
    authors = people(300)
    follow_in_bulk(alice, authors)
    posts = Post.objects.bulk_create(
        Post(author=authors[n % 300], text="x", delivery_state=Post.Delivery.DONE)
        for n in range(1200)
    )
    commands_of("/", alice)
    assert len(inboxes.head(owner=alice.pk).kept) > 10
    for path in ("/", f"/?max_id={posts[-100].pk}", f"/?min_id={posts[-500].pk}"):
        an_hour_ago = timezone.now() - timedelta(hours=2)
        inbox_heads().update_one({"_id": alice.pk}, {"$set": {"last_seen": an_hour_ago}})
        user_cards.forget_all()
        commands, response = commands_of(path, alice, warm_up=False)
        assert len(response.context["page"].posts) == 20
        assert "getMore" not in commands
        assert "update" in commands
        assert len(commands) - OF_SESSION_AND_USER <= 6, path


@pytest.mark.parametrize("path", ["/public/", "/@bob/", "/@bob/followers/", "/people/"])
def test_other_lists_cost_the_same_for_one_row_as_for_twenty(alice, bob, commands_of, path):
    follow(alice, bob)
    publish_many(bob, 1)
    few, _ = commands_of(path, alice)
    for fan in people(19):
        follow(fan, bob)
        publish_many(fan, 1)
    publish_many(bob, 19)
    many, _ = commands_of(path, alice)
    assert few == many
    assert len(many) <= 7 + OF_SESSION_AND_USER


def test_a_page_for_nobody_asks_for_no_session(commands_of, bob):
    publish_many(bob, 3)
    commands, _ = commands_of("/")
    assert commands == ["find", "aggregate"]


def test_no_page_needs_a_join(alice, bob, client, record_commands):
    follow(alice, bob)
    (post,) = publish_many(bob, 1)
    client.force_login(alice)
    paths = ["/", "/public/", "/people/", "/@bob/", f"/@bob/{post}/"]
    paths += ["/@bob/followers/", "/@alice/following/"]
    with record_commands() as commands:
        for path in paths:
            assert client.get(path).status_code == 200
    assert not [one for _, one in commands if "$lookup" in str(one.get("pipeline", ""))]
