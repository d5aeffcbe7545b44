"""Cached fragments never show the state of another viewer, another language or an earlier moment."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.template import engines
from django.test import Client
from django.utils import timezone, translation

from accounts.models import User
from accounts.user_cards import card_from_user
from feed.models import Post
from feed.selectors.comment_views import CommentView
from feed.selectors.comments import comments_page
from feed.selectors.post_view import PostView
from feed.selectors.visible_posts import visible_post
from notifications.selectors.pages import notifications_page
from notifications.services.boxes import mark_read
from socialsite import fragments
from tests.actions import like_post
from tests.factories import publish
from tests.feed.comment_helpers import say


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    fragments._cached_fragment.cache_clear()


@pytest.fixture
def post_id(alice: User) -> int:
    return publish(alice, "Hello")


def fragment(template: str, **inputs: Any) -> str:
    return str(fragments.fragment(engines["jinja"].env, template, **inputs))


def navigation_of(client: Client, path: str = "/public/") -> str:
    page = client.get(path).content.decode()
    match = re.search(r'<header class="site-header">.*?</header>', page, re.DOTALL)
    assert match is not None
    return match[0]


def comment_html(post: PostView, comment: CommentView, viewer: object = True) -> str:
    env = engines["jinja"].env
    return str(fragments.comment_item(env, post, comment, viewer, thread_id=comment.id))


def test_equal_inputs_are_rendered_once(alice):
    inputs = [{"viewer": card_from_user(user=alice), "site_name": "Site"} for _ in range(2)]
    assert len({fragment("_site_footer.html", **values) for values in inputs}) == 1
    info = fragments._cached_fragment.cache_info()
    assert (info.misses, info.hits) == (1, 1)


def test_a_fragment_does_not_get_the_context_of_the_page():
    page = engines["jinja"].env.from_string('{{ fragment("_site_footer.html") }}')
    assert "Only on this page" not in page.render(site_name="Only on this page")


def test_viewers_do_not_share_a_navigation(client, alice, bob):
    visitor = navigation_of(client)
    client.force_login(alice)
    assert "@alice" in navigation_of(client)
    other = Client()
    other.force_login(bob)
    assert "@bob" in navigation_of(other)
    assert "@alice" not in navigation_of(other)
    assert navigation_of(Client()) == visitor


def test_the_navigation_shows_a_new_name_at_once(client, alice):
    client.force_login(alice)
    navigation_of(client)
    alice.display_name = "Alice Renamed"
    alice.save()
    assert "Alice Renamed" in navigation_of(client)


def test_the_navigation_shows_the_current_page_and_theme(client, alice):
    client.force_login(alice)
    on_public, on_bookmarks = navigation_of(client), navigation_of(client, "/bookmarks/")
    assert on_public != on_bookmarks
    client.cookies["theme"] = "dark"
    assert navigation_of(client) != on_public
    client.cookies["theme"] = "auto"
    assert navigation_of(client) == on_public


def test_languages_do_not_share_a_navigation(alice):
    inputs = {"viewer": card_from_user(user=alice), "site_name": "Site"}
    for language in ("en", "de", "en", "de"):
        with translation.override(language):
            fragment("_site_footer.html", **inputs)
    info = fragments._cached_fragment.cache_info()
    assert (info.misses, info.hits) == (2, 2)


def test_the_badge_counts_new_notifications(client, alice, bob, post_id):
    client.force_login(alice)
    assert "unread notification" not in navigation_of(client)
    say(post_id, bob, "First")
    assert "1 unread notification" in navigation_of(client)
    notification = notifications_page(viewer=alice.pk).notifications[0]
    mark_read(recipient=alice.pk, ids=notification.row_ids)
    assert "unread notification" not in navigation_of(client)


def test_closed_sign_ups_are_not_offered(client, settings):
    assert "Sign up" in navigation_of(client)
    settings.SIGN_UP_MODE = "closed"
    assert "Sign up" not in navigation_of(client)


def test_the_empty_composer_never_repeats_an_idempotency_key(client, alice):
    client.force_login(alice)
    pages = [client.get("/").content.decode() for _ in range(2)]
    keys = [re.findall(r'name="idempotency_key" value="([^"]{20,})"', page) for page in pages]
    assert len(keys[0]) == len(keys[1]) == 1
    assert keys[0] != keys[1]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"text": "Changed"}, "Changed"),
        ({"likes": 7}, '<span class="count">7</span>'),
        ({"is_liked": True}, "Liked"),
        ({"is_bookmarked": True}, "Remove bookmark"),
        ({"is_own": True}, "Edit"),
        ({"can_delete": True}, "Delete"),
        ({"is_by_post_author": True}, "Author"),
        ({"author": None}, "This comment was deleted."),
        ({"edited_at": timezone.now()}, "edited"),
    ],
)
def test_a_changed_comment_is_rendered_again(alice, bob, carol, post_id, changes, text):
    post, comment = _post_and_comment(post_id, writer=bob, viewer=carol)
    before = comment_html(post, comment)
    assert text not in before
    assert text in comment_html(post, replace(comment, **changes))
    assert comment_html(post, comment) == before


def test_a_comment_shows_a_new_name_and_its_current_age(alice, bob, carol, post_id):
    post, comment = _post_and_comment(post_id, writer=bob, viewer=carol)
    comment_html(post, comment)
    assert comment.author is not None
    renamed = replace(comment.author, display_name="Bob Renamed")
    assert "Bob Renamed" in comment_html(post, replace(comment, author=renamed))
    assert ">5m<" in comment_html(
        post, replace(comment, created_at=timezone.now() - timedelta(minutes=5, seconds=2))
    )


def test_only_members_who_may_comment_get_buttons(alice, bob, carol, post_id):
    post, comment = _post_and_comment(post_id, writer=bob, viewer=carol)
    assert "Reply" in comment_html(post, comment)
    assert "Reply" not in comment_html(replace(post, can_comment=False), comment)
    visitors = comment_html(post, comment, viewer=None)
    assert "formaction" not in visitors
    assert "Reply" not in visitors


def test_languages_and_time_zones_do_not_share_a_comment(alice, bob, carol, post_id):
    post, comment = _post_and_comment(post_id, writer=bob, viewer=carol)
    english = comment_html(post, comment)
    with translation.override("de"):
        german = comment_html(post, comment)
    with timezone.override("Asia/Tokyo"):
        tokyo = comment_html(post, comment)
    assert len({english, german, tokyo}) == 3


def test_a_notification_is_rendered_again_after_it_was_read(client, alice, bob, post_id):
    client.force_login(alice)
    say(post_id, bob, "First")
    assert "New:" in client.get("/notifications/").content.decode()
    notification = notifications_page(viewer=alice.pk).notifications[0]
    mark_read(recipient=alice.pk, ids=notification.row_ids)
    page = client.get("/notifications/").content.decode()
    assert "commented on your post" in page
    assert "New:" not in page


def test_a_notification_shows_a_changed_post(client, alice, bob, post_id):
    client.force_login(alice)
    like_post(post_id=post_id, actor=bob)
    assert "Hello" in client.get("/notifications/").content.decode()
    Post.objects.filter(pk=post_id).update(text="Goodbye")
    page = client.get("/notifications/").content.decode()
    assert "Goodbye" in page
    assert "Hello" not in page


def _post_and_comment(post_id: int, *, writer: User, viewer: User) -> tuple[PostView, CommentView]:
    say(post_id, writer, "A comment")
    post = visible_post(post_id=post_id, viewer=viewer.pk)
    return post, comments_page(post=post, viewer=viewer.pk).comments[0]
