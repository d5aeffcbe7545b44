"""Likes: one per viewer, unlike, counts, pages of likers, and deletion with the post."""

from functools import partial

import pytest
from django.http import Http404
from django.urls import reverse

from accounts import user_cards
from accounts.services.blocks_and_mutes import block_user
from feed import signals
from feed.models import Post
from feed.selectors.likers import likers_page
from feed.selectors.visible_posts import visible_post
from feed.services.interactions import unlike_post
from feed.services.posts import delete_post
from feed.store import likes
from feed.store.collections import like_buckets
from tests.actions import like_post, share_post
from tests.at_once import at_once
from tests.factories import add_conversation, follow, people, publish, publish_many
from tests.feed.workers import work


@pytest.fixture
def sent_signals():
    """Collect the signals of likes in the order they are sent."""
    received = []

    def record(signal, **ids):
        received.append((signal, ids["post"], ids["liker"]))

    for signal in (signals.post_liked, signals.post_unliked):
        signal.connect(record)
    yield received
    for signal in (signals.post_liked, signals.post_unliked):
        signal.disconnect(record)


def like_many(post, count, prefix="fan"):
    fans = people(count, prefix)
    for fan in fans:
        like_post(post_id=post, actor=fan)
    return fans


def stored_likers(post):
    """Check the like buckets and counters of the post. Return the uids of all likers, newest first."""
    documents = list(like_buckets().find({"post": post}).sort("seq", -1))
    assert all(document["n"] == len(document["uids"]) <= likes.CAPACITY for document in documents)
    uids = [uid for document in documents for uid in reversed(document["uids"])]
    assert len(set(uids)) == len(uids) == Post.objects.get(pk=post).likes
    return uids


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(likes, "CAPACITY", 3)


def test_a_like_is_counted_and_shown_to_the_liker(alice, bob, client):
    post = publish(bob, "worth a like")
    assert like_post(post_id=post, actor=alice) is True
    assert stored_likers(post) == [alice.pk]
    mine = visible_post(post_id=post, viewer=alice.pk)
    theirs = visible_post(post_id=post, viewer=bob.pk)
    assert (mine.is_liked, mine.row.likes) == (True, 1)
    assert (theirs.is_liked, theirs.row.likes) == (False, 1)


def test_a_second_like_changes_nothing(alice, bob, sent_signals):
    post = publish(bob)
    assert like_post(post_id=post, actor=alice) is True
    assert like_post(post_id=post, actor=alice) is False
    assert stored_likers(post) == [alice.pk]
    assert sent_signals == [(signals.post_liked, post, alice.pk)]


def test_unlike_works_once_and_like_works_again(alice, bob, sent_signals):
    post = publish(bob)
    like_post(post_id=post, actor=alice)
    assert unlike_post(post_id=post, actor=alice) is True
    assert unlike_post(post_id=post, actor=alice) is False
    assert stored_likers(post) == []
    assert like_post(post_id=post, actor=alice) is True
    assert stored_likers(post) == [alice.pk]
    assert [signal for signal, *_ in sent_signals] == [
        signals.post_liked,
        signals.post_unliked,
        signals.post_liked,
    ]


def test_two_posts_with_emptied_like_buckets_do_not_collide(alice, bob):
    """A unique index on an array treats an empty array as a value, so empty buckets could collide."""
    for post in publish_many(bob, 2):
        like_post(post_id=post, actor=alice)
        unlike_post(post_id=post, actor=alice)
        like_post(post_id=post, actor=alice)
        unlike_post(post_id=post, actor=alice)
        assert stored_likers(post) == []


def test_liking_a_share_likes_the_shared_post(alice, bob, carol):
    post = publish(bob)
    share = share_post(post_id=post, actor=carol)
    like_post(post_id=share, actor=alice)
    assert stored_likers(post) == [alice.pk]
    assert Post.objects.get(pk=share).likes == 0


def test_likes_continue_in_further_buckets(small, alice):
    post = publish(alice)
    fans = like_many(post, 8)
    assert stored_likers(post) == [fan.pk for fan in fans][::-1]
    assert [document["n"] for document in like_buckets().find({"post": post}).sort("seq")] == [
        3,
        3,
        2,
    ]


@pytest.mark.parametrize(
    ("people_at_once", "rounds"), [(3, 2), pytest.param(8, 6, marks=pytest.mark.slow)]
)
def test_concurrent_likes_and_unlikes_keep_the_count_correct(small, alice, people_at_once, rounds):
    post = publish(alice)
    fans = people(people_at_once, "fan")

    def click(fan, number):
        for n in range(rounds):
            like_post(post_id=post, actor=fan)
            like_post(post_id=post, actor=fan)
            if n < rounds - 1 or number % 2:
                unlike_post(post_id=post, actor=fan)

    at_once(*(partial(click, fan, n) for n, fan in enumerate(fans)))
    assert set(stored_likers(post)) == {fan.pk for n, fan in enumerate(fans) if not n % 2}


def test_concurrent_likes_of_one_user_count_once(alice, bob):
    post = publish(bob)

    at_once(*[lambda: like_post(post_id=post, actor=alice)] * 6)
    assert stored_likers(post) == [alice.pk]


def test_invisible_posts_cannot_be_liked(alice, bob, carol):
    followers_only = publish(bob, "for followers", "followers")
    direct = publish(bob, "@carol hello", "direct")
    block_user(owner=carol.pk, other=alice.pk)
    blocked = publish(carol)
    for post in (followers_only, direct, blocked, 404):
        with pytest.raises(Http404):
            like_post(post_id=post, actor=alice)
    assert like_buckets().count_documents({}) == 0


def test_posts_that_became_invisible_can_be_unliked(alice, bob):
    post = publish(bob)
    like_post(post_id=post, actor=alice)
    block_user(owner=bob.pk, other=alice.pk)
    assert unlike_post(post_id=post, actor=alice) is True
    assert stored_likers(post) == []


def test_a_concurrently_deleted_post_gets_no_like(alice, bob, monkeypatch):
    post = publish(bob)
    view = visible_post(post_id=post, viewer=alice.pk)
    delete_post(post_id=post, actor=bob)
    monkeypatch.setattr("tests.actions.visible_post", lambda **_: view)
    with pytest.raises(Http404):
        like_post(post_id=post, actor=alice)
    assert like_buckets().count_documents({}) == 0
    assert unlike_post(post_id=post, actor=alice) is False


def test_deleting_a_post_deletes_its_likes(alice, bob, asked):
    post, other = publish_many(bob, 2)
    for post_id in (post, other):
        like_post(post_id=post_id, actor=alice)
    delete_post(post_id=post, actor=bob)
    work(asked)
    assert [document["post"] for document in like_buckets().find()] == [other]


@pytest.mark.parametrize("unliked_fans", [[], [0], [6], [7], [2, 9]])
def test_the_list_of_likers_is_complete(small, alice, monkeypatch, unliked_fans):
    monkeypatch.setattr("feed.selectors.likers.PAGE_SIZE", 4)
    post = publish(alice)
    fans = like_many(post, 11)
    page = likers_page(post_id=post, viewer=alice.pk)
    seen = [row.card.uid for row in page.rows]
    assert seen == [fan.pk for fan in fans[:-5:-1]]
    for n in unliked_fans:
        unlike_post(post_id=post, actor=fans[n])
    while page.older_cursor:
        page = likers_page(post_id=post, viewer=alice.pk, max_id=int(page.older_cursor))
        seen += [row.card.uid for row in page.rows]
    assert set(stored_likers(post)) <= set(seen)
    if not unliked_fans:
        assert seen == [fan.pk for fan in reversed(fans)]


def test_the_list_of_likers_hides_blocked_users(alice, bob, carol):
    post = publish(alice)
    for fan in (bob, carol):
        like_post(post_id=post, actor=fan)
    block_user(owner=carol.pk, other=bob.pk)
    page = likers_page(post_id=post, viewer=carol.pk)
    assert [row.card.username for row in page.rows] == ["carol"]


# --- Over HTTP ---------------------------------------------------------------------------------
def test_like_forms_redirect_to_the_same_page(alice, bob, client):
    post = publish(bob)
    client.force_login(alice)
    answer = client.post(reverse("like_post", args=[post]), {"next": "/public/#post-1"})
    assert (answer.status_code, answer["Location"]) == (302, "/public/#post-1")
    assert stored_likers(post) == [alice.pk]
    page = client.get("/public/").content.decode()
    assert reverse("unlike_post", args=[post]) in page
    answer = client.post(reverse("unlike_post", args=[post]), {"next": "https://evil.example/"})
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert stored_likers(post) == []


def test_visitors_see_likes_and_are_asked_to_log_in(alice, bob, client):
    post = publish(bob)
    like_post(post_id=post, actor=alice)
    answer = client.post(reverse("like_post", args=[post]))
    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("account_login"))
    assert client.post(reverse("unlike_post", args=[post])).status_code == 302
    for path in ("/public/", f"/@bob/{post}/"):
        assert "1 like" in client.get(path).content.decode()
    assert "Alice Adams" in client.get(f"/@bob/{post}/likes/").content.decode()


@pytest.mark.parametrize("method", ["get", "put", "delete"])
def test_other_methods_than_post_are_refused(alice, bob, client, method):
    post = publish(bob)
    client.force_login(alice)
    assert getattr(client, method)(reverse("like_post", args=[post])).status_code == 405
    assert stored_likers(post) == []


def test_invalid_ids_and_cursors_cause_no_errors(alice, bob, client):
    client.force_login(alice)
    hidden = publish(bob, "for followers", "followers")
    for post in (404, hidden, 2**63 - 1):
        assert client.post(f"/posts/{post}/like/").status_code == 404
        assert client.get(f"/@bob/{post}/likes/").status_code == 404
    assert client.post(f"/posts/{2**64}/like/").status_code == 404
    assert client.post("/posts/404/unlike/").status_code == 302
    post = publish(bob)
    for cursor in ("-1", "x", "0", str(2**63 - 1), "9" * 40):
        assert client.get(f"/@bob/{post}/likes/?max_id={cursor}").status_code == 200


def test_the_list_of_likers_redirects_to_the_current_user_name(alice, bob, client):
    post = publish(bob)
    share = share_post(post_id=post, actor=alice)
    for path in (f"/@carol/{post}/likes/", f"/@bob/{share}/likes/"):
        assert client.get(path)["Location"] == f"/@bob/{post}/likes/"


def test_likes_of_the_viewer_cost_no_extra_command(alice, bob, client, record_commands):
    follow(alice, bob)
    client.force_login(alice)
    client.get("/")
    many = publish_many(bob, 20)
    client.get("/")
    user_cards.clear_cards()
    with record_commands() as before:
        client.get("/")
    for post in many[::4]:
        like_post(post_id=post, actor=alice)
    add_conversation(many[3], likers=people(30))
    user_cards.clear_cards()
    with record_commands() as after:
        posts = client.get("/").context["page"].posts
    assert [name for name, _ in after] == [name for name, _ in before]
    assert {post.id for post in posts if post.is_liked} == set(many[::4])
    assert next(post.row.likes for post in posts if post.id == many[3]) == 30


def test_the_list_of_likers_costs_the_same_for_five_and_for_twenty(
    alice, bob, client, record_commands
):
    five, twenty = publish_many(bob, 2)
    like_many(five, 5, "first")  # more likers than the post document stores
    add_conversation(twenty, likers=people(20))
    client.force_login(alice)
    costs = []
    for post in (five, twenty):
        client.get(f"/@bob/{post}/likes/")
        user_cards.clear_cards()
        with record_commands() as commands:
            client.get(f"/@bob/{post}/likes/")
        costs.append([name for name, _ in commands])
    assert costs[0] == costs[1]


def test_likes_are_found_by_an_index(alice, bob):
    post = publish(bob)
    add_conversation(post, likers=people(40))
    plan = (
        like_buckets()
        .find({"post": {"$in": [post, 1]}, "uids": alice.pk, **likes.NON_EMPTY})
        .explain()
    )
    assert "COLLSCAN" not in str(plan["queryPlanner"]["winningPlan"])
    assert plan["executionStats"]["totalDocsExamined"] == 0
