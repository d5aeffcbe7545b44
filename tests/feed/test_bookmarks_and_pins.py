"""Bookmarks, which only their owner sees, and pins at the top of a profile."""

import re

import pytest
from django.http import Http404
from django.urls import reverse

from accounts import user_cards
from accounts.infra.cursors import PageBounds
from accounts.infra.refusals import Refused
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.follows import follow_user
from feed.selectors.comment_views import CommentWithPost
from feed.selectors.posts_and_comments import bookmarks_page
from feed.selectors.visible_posts import pinned_posts, visible_post
from feed.services.interactions import remove_bookmark, unpin_post
from feed.services.posts import delete_post
from feed.store import pins
from feed.store.collections import bookmarks
from tests.actions import bookmark_comment, bookmark_post, delete_comment, pin_post, share_post
from tests.at_once import at_once
from tests.factories import publish, publish_many
from tests.feed.workers import work

from .comment_helpers import say
from .reading_html import send, words


def bookmarked(owner, **window):
    page = bookmarks_page(owner=owner.pk, bounds=PageBounds(limit=4, **window))
    return [
        content.comment.id if isinstance(content, CommentWithPost) else content.id
        for content in page.contents
    ], page


def pinned(author, viewer=None):
    posts = pinned_posts(author=author.pk, viewer=viewer and viewer.pk)
    return [post.id for post in posts]


def test_a_post_is_bookmarked_once_and_only_for_its_owner(alice, bob):
    post = publish(bob)
    for _ in range(2):
        bookmark_post(post_id=post, actor=alice)
    assert bookmarked(alice)[0] == [post]
    assert bookmarked(bob)[0] == []
    assert visible_post(post_id=post, viewer=alice.pk).is_bookmarked
    assert not visible_post(post_id=post, viewer=bob.pk).is_bookmarked
    assert remove_bookmark(post_id=post, actor=alice)
    assert not remove_bookmark(post_id=post, actor=alice)
    assert bookmarked(alice)[0] == []


def test_bookmarks_page_in_the_order_of_bookmarking(alice, bob):
    posts = publish_many(bob, 11)
    order = posts[::2] + posts[1::2]
    for post in order:
        bookmark_post(post_id=post, actor=alice)
    shown_ids, (ids, page) = [], bookmarked(alice)
    assert page.newer_cursor is None
    while True:
        shown_ids += ids
        if page.older_cursor is None:
            break
        newest = page
        ids, page = bookmarked(alice, max_id=int(page.older_cursor))
        newer_ids, _ = bookmarked(alice, min_id=int(page.newer_cursor))
        assert newer_ids == [post.id for post in newest.contents]
    assert shown_ids == order[::-1]


def test_bookmarked_posts_that_are_no_longer_visible_are_left_out(alice, bob, carol):
    by_bob, by_carol = publish(bob), publish(carol)
    for post in (by_bob, by_carol):
        bookmark_post(post_id=post, actor=alice)
    block_user(owner=carol.pk, other=alice.pk)
    assert bookmarked(alice)[0] == [by_bob]
    assert remove_bookmark(post_id=by_carol, actor=alice)
    delete_post(post_id=by_bob, actor=bob)
    assert bookmarked(alice)[0] == []
    for post in (by_bob, by_carol, 404):
        with pytest.raises(Http404):
            bookmark_post(post_id=post, actor=alice)


def test_deleting_a_post_deletes_its_bookmarks(alice, bob, asked):
    post, other = publish_many(bob, 2)
    for post_id in (post, other):
        bookmark_post(post_id=post_id, actor=alice)
    delete_post(post_id=post, actor=bob)
    work(asked)
    assert [row["post"] for row in bookmarks().find()] == [other]


def test_comments_can_be_bookmarked(alice, bob, carol, client, asked):
    post = publish(bob)
    comment, reply = say(post, carol, "worth keeping"), say(post, bob, "not so much")
    bookmark_post(post_id=post, actor=alice)
    client.force_login(alice)
    page = client.get(f"/@bob/{post}/").content.decode()
    send(client, page, reverse("bookmark_comment", args=[post, comment]))
    bookmark_comment(post_id=post, comment_id=reply, actor=alice)
    assert bookmarked(alice)[0] == [reply, comment, post]
    mute_user(owner=alice.pk, other=carol.pk, until=None)
    page = client.get("/bookmarks/").content.decode()
    assert "worth keeping" in page
    send(client, page, reverse("unbookmark_comment", args=[post, comment]))
    assert bookmarked(alice)[0] == [reply, post]
    delete_comment(post_id=post, comment_id=reply, actor=bob)
    assert bookmarked(alice)[0] == [post]
    bookmark_comment(post_id=post, comment_id=comment, actor=alice)
    delete_post(post_id=post, actor=bob)
    work(asked)
    assert not bookmarks().count_documents({})


def test_bookmark_forms_redirect_to_the_same_page(alice, bob, client):
    post = publish(bob, "worth keeping")
    add, remove = (reverse(name, args=[post]) for name in ("bookmark_post", "unbookmark_post"))
    for url in (add, remove):
        assert client.post(url).status_code == 302
    assert client.get(reverse("bookmarks"))["Location"].startswith(reverse("account_login"))
    client.force_login(alice)
    assert "No bookmarks yet" in client.get(reverse("bookmarks")).content.decode()
    response = send(client, client.get("/public/").content.decode(), add)
    assert response["Location"] == f"/public/#post-{post}"
    page = client.get(reverse("bookmarks")).content.decode()
    assert "worth keeping" in page
    assert send(client, page, remove)["Location"] == f"/bookmarks/#post-{post}"
    assert client.post(reverse("bookmark_post", args=[404])).status_code == 404
    assert client.get("/bookmarks/?max_id=x&min_id=9999999999999999999999").status_code == 200


def test_bookmarks_cost_the_same_for_one_and_for_twenty(alice, bob, client, record_commands):
    posts = publish_many(bob, 20)
    client.force_login(alice)
    costs = []
    for batch in (posts[:1], posts):
        for post in batch:
            bookmark_post(post_id=post, actor=alice)
        client.get("/bookmarks/")
        user_cards.clear_cards()
        with record_commands() as commands:
            assert len(client.get("/bookmarks/").context["page"].contents) == len(batch)
        costs.append([name for name, _ in commands])
    assert costs[0] == costs[1]


# --- Pins --------------------------------------------------------------------------------------
def test_pins_are_at_the_top_of_the_first_page_newest_first(alice, client, settings):
    settings.FEED_PAGE_SIZE = 4
    posts = publish_many(alice, 9)
    for post in (posts[0], posts[3], posts[0]):
        pin_post(post_id=post, actor=alice)
    assert pinned(alice) == [posts[3], posts[0]]
    page = client.get("/@alice/").content.decode()
    ids = re.findall(r'id="post-(?:pinned)?(\d+)"', page)
    assert page.count("Pinned</span>") == 2
    assert [int(pk) for pk in ids][:2] == [posts[3], posts[0]]
    html_ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(html_ids) == len(set(html_ids))
    assert "Pinned</span>" not in client.get(f"/@alice/?max_id={posts[4]}").content.decode()
    unpin_post(post_id=posts[3], actor=alice)
    unpin_post(post_id=posts[3], actor=alice)
    assert pinned(alice) == [posts[0]]


def test_concurrent_pins_stay_within_the_limit(alice):
    posts = publish_many(alice, 8)

    def pin(post):
        try:
            pin_post(post_id=post, actor=alice)
        except Refused:
            refused.append(post)

    refused = []
    at_once(*[lambda post=post: pin(post) for post in posts])
    assert len(pinned(alice)) == pins.MAX_PINS
    assert set(pinned(alice)) | set(refused) == set(posts)
    delete_post(post_id=pinned(alice)[0], actor=alice)
    pin_post(post_id=refused[0], actor=alice)
    assert len(pinned(alice)) == pins.MAX_PINS


def test_only_own_posts_that_are_not_direct_can_be_pinned(alice, bob):
    direct = publish(alice, "@bob psst", "direct")
    with pytest.raises(Refused, match="cannot pin direct posts"):
        pin_post(post_id=direct, actor=alice)
    for post in (publish(bob), share_post(post_id=publish(bob), actor=alice), 404):
        with pytest.raises(Http404):
            pin_post(post_id=post, actor=alice)
    assert pins.pinned_ids(author=alice.pk) == []


def test_a_pin_is_shown_only_to_viewers_who_may_read_it(alice, bob, carol):
    hidden = publish(alice, "for followers", "followers")
    pin_post(post_id=hidden, actor=alice)
    follow_user(follower=bob.pk, followee=alice.pk)
    assert pinned(alice, bob) == [hidden]
    assert pinned(alice, carol) == pinned(alice) == []


def test_the_pin_button_shows_a_message(alice, bob, client):
    posts = publish_many(alice, 6)
    client.force_login(alice)
    for post in posts[:5]:
        response = client.post(reverse("pin_post", args=[post]), follow=True)
        assert "Post pinned to your profile" in words(response.content.decode())
    response = client.post(reverse("pin_post", args=[posts[5]]), follow=True)
    assert "You can pin up to 5 posts" in words(response.content.decode())
    assert client.post(reverse("pin_post", args=[publish(bob)])).status_code == 404
    client.post(reverse("unpin_post", args=[posts[0]]))
    assert len(pinned(alice)) == 4


def test_deleted_posts_do_not_count_as_pins(alice):
    for number in range(pins.MAX_PINS):
        pins.add_pin(author=alice.pk, post=number + 1)  # no such post exists, as after a deletion
    post = publish(alice)
    pin_post(post_id=post, actor=alice)
    assert pins.pinned_ids(author=alice.pk) == [post]
