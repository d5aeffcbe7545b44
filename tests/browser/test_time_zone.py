"""The script tells the site the time zone of the browser."""

from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from accounts.models import User
from feed.models import Post
from tests.factories import publish

from .conftest import NewContext

NOON = datetime(2026, 1, 15, 12, 30, tzinfo=UTC)


@pytest.fixture
def post(alice: User) -> int:
    post_id = publish(alice, "At noon")
    Post.objects.filter(pk=post_id).update(created_at=NOON)
    return post_id


def test_the_second_page_is_in_the_time_zone_of_the_browser(
    new_context: NewContext, post: int
) -> None:
    page = new_context(timezone_id="Asia/Tokyo").new_page()
    stamp = page.locator(".post-full-time time")
    page.goto(f"/@alice/{post}/")
    expect(stamp).to_have_text("Jan. 15, 2026, 12:30 PM UTC")
    page.reload()
    expect(stamp).to_have_text("Jan. 15, 2026, 9:30 PM JST")
    (cookie,) = (cookie for cookie in page.context.cookies() if cookie.get("name") == "time_zone")
    assert (cookie["value"], cookie["path"], cookie["sameSite"]) == ("Asia/Tokyo", "/", "Lax")
    days = (cookie["expires"] - datetime.now(tz=UTC).timestamp()) / 86_400
    assert 364 < days < 366


def test_the_cookie_follows_a_traveller(new_context: NewContext, post: int, base_url: str) -> None:
    context = new_context(timezone_id="America/New_York")
    context.add_cookies([{"name": "time_zone", "value": "Asia/Tokyo", "url": base_url}])
    page = context.new_page()
    page.goto("/public/")
    page.reload()
    title = "Jan. 15, 2026, 7:30 AM EST"
    expect(page.locator(".post-time time")).to_have_attribute("title", title)


def test_without_javascript_times_are_in_utc(new_context: NewContext, post: int) -> None:
    page = new_context(timezone_id="Asia/Tokyo", java_script_enabled=False).new_page()
    page.goto("/public/")
    page.reload()
    title = "Jan. 15, 2026, 12:30 PM UTC"
    expect(page.locator(".post-time time")).to_have_attribute("title", title)
