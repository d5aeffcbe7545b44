"""The HTML of a post in a list is cached by everything that it depends on."""

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.template import engines
from django.utils import timezone, translation

from accounts.infra.cursors import PageBounds
from feed.selectors.pictures import MediaView
from feed.selectors.post_view import CommentExcerpt, PostView
from feed.timeline.home import home_page
from socialsite import fragments
from tests.factories import publish


@pytest.fixture
def post(alice) -> PostView:
    publish(alice, "Café au lait")
    fragments._cached_post_item.cache_clear()
    return home_page(viewer=alice.pk, bounds=PageBounds(limit=1)).posts[0]


def render(post: PostView, viewer: object = True, **options: Any) -> str:
    environment = engines["jinja"].env
    return str(fragments.post_item(environment, post, viewer, **options))


VIEW_FIELDS = {field.name for field in fields(PostView)}


def with_row(post: PostView, **changes: Any) -> PostView:
    """Return the post with other stored fields."""
    return replace(post, row=replace(post.row, **changes))


def test_equal_posts_are_rendered_once(post):
    assert render(post) == render(with_row(post, details=dict(post.row.details)))
    info = fragments._cached_post_item.cache_info()
    assert (info.misses, info.hits) == (1, 1)


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("text", "Tea", "Tea"),
        ("content_warning", "Caffeine", "Caffeine"),
        ("likes", 7, '<span class="count">7</span>'),
        ("shares", 8, '<span class="count">8</span>'),
        ("comments", 9, '<span class="count">9</span>'),
        ("is_liked", True, "Liked"),
        ("is_bookmarked", True, "Bookmarked"),
        ("is_shared", True, "Shared"),
        ("is_pending_review", True, "Pending review"),
        ("visibility", "followers", "Followers only"),
        ("edited_at", datetime(2026, 1, 2, tzinfo=UTC), "edited"),
        ("source_tag", "coffee", "#coffee"),
        ("filter_matches", ("a filter",), "Hidden by one of your filters."),
    ],
)
def test_a_changed_post_is_rendered_again(post, field, value, text):
    before = render(post)
    change = replace if field in VIEW_FIELDS else with_row
    after = render(change(post, **{field: value}))
    assert text in after
    assert text not in before
    assert render(post) == before


def test_a_new_name_is_shown(post, alice):
    render(post)
    renamed = replace(post.author, display_name="Alice Renamed")
    assert "Alice Renamed" in render(replace(post, author=renamed))
    assert "Alice Renamed" in render(replace(post, shared_by=renamed))
    assert "Alice Renamed" in render(replace(with_row(post, likes=1), newest_likers=(renamed,)))
    excerpt = CommentExcerpt(id=5, by=renamed, text="With milk")
    assert "With milk" in render(replace(post, newest_comments=(excerpt,)))


def test_languages_and_time_zones_do_not_share_html(post):
    english = render(post)
    with translation.override("de"):
        german = render(post)
    with timezone.override("Asia/Tokyo"):
        tokyo = render(post)
    assert len({english, german, tokyo}) == 3
    assert render(post) == english


def test_the_age_is_current(post):
    now = timezone.now()
    assert ">now<" in render(with_row(post, created_at=now))
    earlier = now - timedelta(minutes=5, seconds=2)
    assert ">5m<" in render(with_row(post, created_at=earlier))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timezone, "now", lambda: now + timedelta(minutes=2))
        assert ">7m<" in render(with_row(post, created_at=earlier))


def test_visitors_do_not_get_the_buttons_of_members(post):
    assert "formaction" in render(post)
    assert "formaction" not in render(post, viewer=None)
    assert "formaction" in render(post)


def test_options_do_not_share_html(post):
    options = [{}, {"prefix": "pinned"}, {"lazy": True}, {"is_pinned": True}]
    assert len({render(post, **chosen) for chosen in options}) == len(options)


def test_expiring_urls_of_pictures_are_rendered_each_time(post):
    picture = MediaView(id=1, name="a" * 32, alt="", width=9, height=9, signature_scope=post.id)
    secret = replace(post, media=(picture,))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("feed.picture_files.time.time", lambda: 1_000_000_000)
        before = render(secret)
        patch.setattr("feed.picture_files.time.time", lambda: 1_000_090_000)
        assert render(secret) != before
