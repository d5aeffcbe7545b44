"""Timelines over HTTP: new posts, collapsed runs of one author, empty pages and private profiles."""

import re
from html import unescape

import pytest
from django.utils import timezone

from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.follow_requests import accept_follow_request
from accounts.services.profiles import set_private
from feed import receivers, tasks
from feed.models import Post
from feed.services.tags import follow_tag
from feed.store import home_states
from feed.store.collections import inbox_heads
from feed.timeline import candidates
from tests.factories import follow, publish, publish_many

from .reading_html import send, words


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def html(as_alice):
    """Return a function that loads a path as alice."""
    return lambda path: as_alice.get(path).content.decode()


def test_a_long_run_of_one_author_is_collapsed_except_on_the_profile(html, alice, bob):
    follow(alice, bob)
    publish_many(bob, 6)
    for path in ("/", "/public/", "/unread/?min_id=0"):
        page = html(path)
        assert "4 more from Bob Brown" in words(page)
        assert re.search(r"<details>\s*<summary>", page)
        assert page.count('<article class="post"') == 6
    assert "more from" not in html("/@bob/")


def test_links_to_older_pages_keep_the_newest_id(html, alice, bob, settings):
    settings.FEED_PAGE_SIZE = 2
    follow(alice, bob)
    posts = publish_many(bob, 5)
    page, link = html("/"), re.compile(r'href="(\?max_id=[^"]+)" rel="next"')
    for _ in range(2):
        query = unescape(link.search(page)[1])
        assert query.endswith(f"&top={posts[-1]}")
        page = html("/" + query)
    assert "top=" not in html("/public/")


def test_home_shows_the_number_of_new_posts_and_marks_them_as_read(as_alice, alice, bob, html):
    follow(alice, bob)
    publish(bob)
    html("/")
    assert "You are all caught up" in html("/")
    assert "since your last visit" not in html("/")
    publish(bob)
    assert "1 new post since your last visit" in words(html("/"))
    publish(bob)
    page = html("/")
    assert "2 new posts since your last visit" in words(page)
    assert words(page).index("since your last visit") < words(page).index("You are all caught up")
    position = re.search(r'href="(\?min_id=\d+)">Continue', page)[1]
    assert len(as_alice.get("/" + position).context["page"].posts) == 2
    assert send(as_alice, page, "/read/")["Location"] == "/"
    assert "since your last visit" not in html("/")


def test_backfilled_posts_are_not_marked_as_seen(alice, bob, carol, html):
    all_new, caught_up = "End of new posts", "You are all caught up"
    follow(alice, bob)
    publish(bob)
    publish(carol, "an older one")
    first = html("/")
    assert all_new in first, "what was there before the first visit was never seen"
    assert caught_up in html("/")
    follow(alice, carol)
    page = html("/")
    assert "an older one" in page
    assert all_new in page
    assert caught_up not in page
    newest = publish(bob)
    assert all_new in html("/")
    home_states.advance_position(viewer=alice.pk, position=newest, now=timezone.now())
    assert caught_up in html("/")


def test_posts_of_a_newly_followed_hashtag_are_not_marked_as_seen(alice, bob, carol, html):
    follow(alice, bob)
    publish(carol, "an older one #tea")
    publish(bob)
    html("/")
    assert "You are all caught up" in html("/")
    follow_tag(uid=alice.pk, tag="tea")
    page = html("/")
    assert "an older one" in page
    assert "You are all caught up" not in page


def test_more_than_99_new_posts_are_not_counted(alice, bob, html):
    follow(alice, bob)
    publish(bob)
    html("/")
    Post.objects.bulk_create(
        Post(author=bob, text=f"post {n}", delivery_state=Post.DeliveryState.DONE)
        for n in range(100)
    )
    inbox_heads().delete_many({})  # the next visit builds an inbox with the inserted posts
    assert "99+ new posts since your last visit" in words(html("/"))


def test_the_line_updates_the_position_only_if_it_is_new(alice, bob, html):
    follow(alice, bob)
    publish(bob)
    html("/")
    assert "You are all caught up" in html("/")
    assert 'hx-post="/read/"' not in html("/")
    newest = publish(bob)
    page = html("/")
    assert re.search(rf'hx-post="/read/" hx-vals=\'{{"position": "{newest}"}}\'', page)


def test_own_posts_are_not_counted_as_new(alice, bob, html):
    follow(alice, bob)
    publish(bob)
    html("/")
    publish_many(alice, 25)
    page = html("/")
    assert "since your last visit" not in page
    assert "You are all caught up" in page


def test_home_shows_that_the_timeline_is_being_rebuilt(as_alice, alice, bob, html, monkeypatch):
    monkeypatch.setattr("feed.timeline.strategies.warmup.INLINE_BUILD_LIMIT", 0)
    monkeypatch.setattr(receivers, "enqueue", lambda task, **ids: None)
    follow(alice, bob)
    empty = html("/")
    assert "being rebuilt" in empty
    assert "Nobody you follow has posted yet" not in empty
    publish(bob, "here already")
    page = html("/")
    assert "being rebuilt" in page
    assert "here already" in page
    assert re.search(r'<a class="button" href="/">Reload</a>', page)
    tasks.build_inbox(owner=alice.pk)
    assert "being rebuilt" not in html("/")


def test_home_shows_no_implementation_details(alice, bob, html):
    follow(alice, bob)
    publish(bob)
    page = words(html("/"))
    assert "kept ready" not in page
    assert "fetched" not in page


def test_reading_oldest_first_continues_until_caught_up(as_alice, alice, bob, html, settings):
    settings.FEED_PAGE_SIZE = 3
    follow(alice, bob)
    publish(bob)
    html("/")
    assert "You are all caught up" in html("/unread/")
    publish_many(bob, 5)
    page = html("/unread/")
    assert "After these, you are all caught up." not in page
    seen = re.findall(r"bob writes (\d)", page)
    answer = send(as_alice, page, "/read/")
    assert answer["Location"] == "/unread/"
    page = html("/unread/")
    assert "After these, you are all caught up." in page
    assert seen + re.findall(r"bob writes (\d)", page) == list("01234")
    send(as_alice, page, "/read/")
    assert "You have seen everything" in html("/unread/")
    assert "Mark as read and continue" not in html("/unread/")


def test_a_page_without_visible_posts_can_be_skipped(
    as_alice, alice, bob, carol, html, monkeypatch
):
    monkeypatch.setattr(candidates, "MAX_EXAMINED", 3)
    follow(alice, bob, carol)
    publish(bob)
    html("/")
    publish_many(carol, 4)
    mute_user(owner=alice.pk, other=carol.pk, until=None)
    last = publish(bob, "the last")
    page = html("/unread/")
    assert "The posts here were deleted or hidden." in page
    send(as_alice, page, "/read/")
    assert f'id="post-{last}"' in html("/unread/")


def test_quiet_authors_have_pages(alice, bob, carol, html, settings):
    settings.FEED_PAGE_SIZE = 1
    assert "No posts yet" in html("/quiet/")
    follow(alice, bob, carol)
    publish(bob, "rarely")
    publish_many(carol, 3)
    page = html("/quiet/")
    assert "rarely" in page
    assert "carol writes" not in page
    query = re.search(r'href="(\?after=\d+)" rel="next"', page)[1]
    page = html("/quiet/" + query)
    assert re.findall(r"carol writes \d", page) == ["carol writes 2"]
    assert 'rel="next"' not in page
    assert "No more people" in html("/quiet/?after=99")


def test_a_private_profile_shows_posts_only_to_approved_followers(html, alice, bob):
    publish(bob, "among us")
    set_private(uid=bob.pk, is_private=True)
    page = html("/@bob/")
    assert "Only approved followers see these posts" in page
    assert "Send a follow request to see their posts." in page
    assert "among us" not in page
    assert "/@bob/followers/" not in page
    follow(alice, bob)
    assert "Follow request sent." in html("/@bob/")
    accept_follow_request(followee=bob.pk, follower=alice.pk)
    page = html("/@bob/")
    assert "among us" in page
    assert "/@bob/followers/" in page


def test_a_profile_shows_a_block_to_both_users(html, client, alice, bob):
    publish(alice, "of alice")
    publish(bob, "of bob")
    block_user(owner=alice.pk, other=bob.pk)
    page = html("/@bob/")
    assert "You have blocked Bob Brown" in page
    assert 'action="/@bob/unblock/"' in page
    assert "of bob" not in page
    client.force_login(bob)
    page = client.get("/@alice/").content.decode()
    assert "You cannot see these posts" in page
    assert "of alice" not in page
