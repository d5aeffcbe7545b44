"""What people keep: bookmarks for themselves, pins for everybody who comes to their profile."""

import re

import pytest
from django.http import Http404
from django.urls import reverse

from accounts import user_cards
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.follows import follow_user
from feed.selectors.comments import CommentWithPost
from feed.selectors.content import bookmarks_page
from feed.selectors.lists import visible_post
from feed.selectors.posts import pinned_posts
from feed.services.comments import delete_comment
from feed.services.keeping import (
    CannotPin,
    bookmark_comment,
    bookmark_post,
    pin_post,
    unbookmark_post,
    unpin_post,
)
from feed.services.posts import delete_post
from feed.services.shares import share_post
from feed.store import pins
from feed.store.collections import bookmarks
from tests.at_once import at_once
from tests.factories import publish, publish_many
from tests.feed.workers import work

from .reading_html import send, words
from .talking import say


def kept(owner, **window):
    page = bookmarks_page(owner=owner.pk, limit=4, **window)
    return [
        one.comment.id if isinstance(one, CommentWithPost) else one.id for one in page.contents
    ], page


def pinned(author, viewer=None):
    found = pinned_posts(author=author.pk, viewer=viewer and viewer.pk)
    return [one.id for one in found]


def test_a_post_is_kept_once_and_found_again_by_its_owner_alone(alice, bob):
    post = publish(bob)
    keep = [bookmark_post(post_id=post, actor=alice) for _ in range(2)]
    assert keep == [True, False]
    assert kept(alice)[0] == [post]
    assert kept(bob)[0] == []
    assert visible_post(post_id=post, viewer=alice.pk).is_bookmarked
    assert not visible_post(post_id=post, viewer=bob.pk).is_bookmarked
    assert unbookmark_post(post_id=post, actor=alice)
    assert not unbookmark_post(post_id=post, actor=alice)
    assert kept(alice)[0] == []


def test_bookmarks_page_for_ever_in_the_order_of_keeping(alice, bob):
    posts = publish_many(bob, 11)
    order = posts[::2] + posts[1::2]
    for post in order:
        bookmark_post(post_id=post, actor=alice)
    seen, (ids, page) = [], kept(alice)
    assert page.newer_cursor is None
    while True:
        seen += ids
        if page.older_cursor is None:
            break
        newest = page
        ids, page = kept(alice, max_id=int(page.older_cursor))
        back, _ = kept(alice, min_id=int(page.newer_cursor))
        assert back == [one.id for one in newest.contents]
    assert seen == order[::-1]


def test_what_may_not_be_read_any_more_is_passed_over_and_comes_back(alice, bob, carol):
    mine, theirs = publish(bob), publish(carol)
    for post in (mine, theirs):
        bookmark_post(post_id=post, actor=alice)
    block_user(owner=carol.pk, other=alice.pk)
    assert kept(alice)[0] == [mine]
    assert unbookmark_post(post_id=theirs, actor=alice)
    delete_post(post_id=mine, actor=bob)
    assert kept(alice)[0] == []
    for post in (mine, theirs, 404):
        with pytest.raises(Http404):
            bookmark_post(post_id=post, actor=alice)


def test_with_a_post_its_bookmarks_go(alice, bob, asked):
    post, other = publish_many(bob, 2)
    for one in (post, other):
        bookmark_post(post_id=one, actor=alice)
    delete_post(post_id=post, actor=bob)
    work(asked)
    assert [one["post"] for one in bookmarks().find()] == [other]


def test_a_comment_is_kept_as_a_post_is(alice, bob, carol, client, asked):
    post = publish(bob)
    said, answer = say(post, carol, "worth keeping"), say(post, bob, "not so much")
    bookmark_post(post_id=post, actor=alice)
    client.force_login(alice)
    page = client.get(f"/@bob/{post}/").content.decode()
    send(client, page, reverse("bookmark_comment", args=[post, said]))
    bookmark_comment(post_id=post, comment_id=answer, actor=alice)
    assert kept(alice)[0] == [answer, said, post]
    mute_user(owner=alice.pk, other=carol.pk, until=None)
    page = client.get("/bookmarks/").content.decode()
    assert "worth keeping" in page
    send(client, page, reverse("unbookmark_comment", args=[post, said]))
    assert kept(alice)[0] == [answer, post]
    delete_comment(post_id=post, comment_id=answer, actor=bob)
    assert kept(alice)[0] == [post]
    bookmark_comment(post_id=post, comment_id=said, actor=alice)
    delete_post(post_id=post, actor=bob)
    work(asked)
    assert not bookmarks().count_documents({})


def test_bookmarks_are_forms_that_come_back(alice, bob, client):
    post = publish(bob, "worth keeping")
    add, remove = (reverse(name, args=[post]) for name in ("bookmark", "unbookmark"))
    for url in (add, remove):
        assert client.post(url).status_code == 302
    assert client.get(reverse("bookmarks"))["Location"].startswith(reverse("account_login"))
    client.force_login(alice)
    assert "Nothing kept yet" in client.get(reverse("bookmarks")).content.decode()
    answer = send(client, client.get("/public/").content.decode(), add)
    assert answer["Location"] == f"/public/#post-{post}"
    page = client.get(reverse("bookmarks")).content.decode()
    assert "worth keeping" in page
    assert send(client, page, remove)["Location"] == f"/bookmarks/#post-{post}"
    assert client.post(reverse("bookmark", args=[404])).status_code == 404
    assert client.get("/bookmarks/?max_id=x&min_id=9999999999999999999999").status_code == 200


def test_bookmarks_cost_the_same_for_one_and_for_twenty(alice, bob, client, record_commands):
    posts = publish_many(bob, 20)
    client.force_login(alice)
    costs = []
    for some in (posts[:1], posts):
        for post in some:
            bookmark_post(post_id=post, actor=alice)
        client.get("/bookmarks/")
        user_cards.clear_cards()
        with record_commands() as commands:
            assert len(client.get("/bookmarks/").context["page"].items) == len(some)
        costs.append([name for name, _ in commands])
    assert costs[0] == costs[1]


# --- Pins --------------------------------------------------------------------------------------
def test_pins_stand_at_the_top_of_the_first_page_the_last_pinned_first(alice, client, settings):
    settings.FEED_PAGE_SIZE = 4
    posts = publish_many(alice, 9)
    for post in (posts[0], posts[3], posts[0]):
        pin_post(post_id=post, actor=alice)
    assert pinned(alice) == [posts[3], posts[0]]
    page = client.get("/@alice/").content.decode()
    ids = re.findall(r'id="post-(?:pinned)?(\d+)"', page)
    assert page.count("Pinned</span>") == 2
    assert [int(one) for one in ids][:2] == [posts[3], posts[0]]
    unique = re.findall(r'\bid="([^"]+)"', page)
    assert len(unique) == len(set(unique))
    assert "Pinned</span>" not in client.get(f"/@alice/?max_id={posts[4]}").content.decode()
    unpin_post(post_id=posts[3], actor=alice)
    unpin_post(post_id=posts[3], actor=alice)
    assert pinned(alice) == [posts[0]]


def test_at_most_five_are_pinned_also_by_many_clicks_at_once(alice):
    posts = publish_many(alice, 8)

    def pin(post):
        try:
            pin_post(post_id=post, actor=alice)
        except CannotPin:
            refused.append(post)

    refused = []
    at_once(*[lambda post=post: pin(post) for post in posts])
    assert len(pinned(alice)) == pins.MAX_PINS
    assert set(pinned(alice)) | set(refused) == set(posts)
    delete_post(post_id=pinned(alice)[0], actor=alice)
    pin_post(post_id=refused[0], actor=alice)
    assert len(pinned(alice)) == pins.MAX_PINS


def test_only_ones_own_and_nothing_direct_is_pinned(alice, bob):
    direct = publish(alice, "@bob psst", "direct")
    with pytest.raises(CannotPin):
        pin_post(post_id=direct, actor=alice)
    for post in (publish(bob), share_post(post_id=publish(bob), actor=alice), 404):
        with pytest.raises(Http404):
            pin_post(post_id=post, actor=alice)
    assert pins.pinned_ids(author=alice.pk) == []


def test_a_pin_shows_only_to_those_who_may_read_it(alice, bob, carol):
    hidden = publish(alice, "for followers", "followers")
    pin_post(post_id=hidden, actor=alice)
    follow_user(follower=bob.pk, followee=alice.pk)
    assert pinned(alice, bob) == [hidden]
    assert pinned(alice, carol) == pinned(alice) == []


def test_pinning_is_a_button_that_says_what_came_of_it(alice, bob, client):
    posts = publish_many(alice, 6)
    client.force_login(alice)
    for post in posts[:5]:
        answer = client.post(reverse("pin", args=[post]), follow=True)
        assert "at the top of your profile" in words(answer.content.decode())
    answer = client.post(reverse("pin", args=[posts[5]]), follow=True)
    assert "At most 5 posts" in words(answer.content.decode())
    assert client.post(reverse("pin", args=[publish(bob)])).status_code == 404
    client.post(reverse("unpin", args=[posts[0]]))
    assert len(pinned(alice)) == 4


def test_posts_that_are_gone_take_no_place_among_the_pinned(alice):
    for number in range(pins.MAX_PINS):
        pins.add_pin(author=alice.pk, post=number + 1)  # as by a pin in the moment of its deletion
    post = publish(alice)
    pin_post(post_id=post, actor=alice)
    assert pins.pinned_ids(author=alice.pk) == [post]
