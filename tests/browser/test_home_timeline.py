"""The reading position of the home timeline, shared by all devices."""

import re

import pytest
from playwright.sync_api import Page, expect

from accounts.infra.cursors import PageBounds
from accounts.models import User
from feed.store import home_states
from feed.timeline.home import home_page
from tests.factories import follow, publish, publish_many

from .conftest import PHONE, NewContext


@pytest.fixture
def reader(alice: User, bob: User) -> User:
    """Let alice follow bob and open the home timeline, so that later posts are new. Return alice."""
    follow(alice, bob)
    publish(bob, "seen before")
    home_page(viewer=alice.pk, bounds=PageBounds(limit=20))
    return alice


def texts(page: Page) -> list[str]:
    return page.locator(".post-text").all_inner_texts()


def test_collapsed_posts_expand_by_keyboard_and_open_by_click(
    page: Page, reader: User, bob: User, log_in
) -> None:
    posts = publish_many(bob, 5)
    log_in(page, reader)
    page.goto("/")
    # The collapsed group ends at the line above the seen post, so it contains only the five new posts.
    summary = page.get_by_text("3 more from Bob Brown")
    folded = page.get_by_text("bob writes 2", exact=True)
    expect(folded).to_be_hidden()
    summary.locator("..").focus()
    page.keyboard.press("Enter")
    expect(folded).to_be_visible()
    folded.click()
    page.wait_for_url(f"**/@bob/{posts[2]}/")


def test_oldest_first_pages_lead_to_the_newest_post(
    either_page: Page, reader: User, bob: User, carol: User, log_in
) -> None:
    page = either_page
    follow(reader, carol)
    for n in range(12):
        publish(bob, f"bob {n}")
        publish(carol, f"carol {n}")
    log_in(page, reader)
    page.goto("/")
    page.get_by_role("region", name="24 new posts").get_by_role("link", name="Oldest first").click()
    expect(page.get_by_role("button", name="Mark as read and continue")).to_be_visible()
    seen = texts(page)
    page.get_by_role("button", name="Mark as read and continue").click()
    expect(page.get_by_text("After these, you are all caught up.")).to_be_visible()
    seen += texts(page)
    page.get_by_role("button", name="Mark as read and continue").click()
    expect(page.get_by_role("heading", name="You are all caught up")).to_be_visible()
    assert seen == [f"{author} {n}" for n in range(12) for author in ("bob", "carol")]
    page.get_by_role("main").get_by_role("link", name="Back to home").click()
    expect(page).to_have_url(re.compile("/$"))
    expect(page.get_by_text("since your last visit")).to_have_count(0)


def test_the_position_is_shared_by_all_devices(
    new_context: NewContext, plain_page: Page, reader: User, bob: User, carol: User, log_in
) -> None:
    follow(reader, carol)
    for _ in range(15):
        publish(bob)
        publish(carol)
    phone = new_context(**PHONE).new_page()
    for page in (plain_page, phone):
        log_in(page, reader)
        page.goto("/")
        expect(
            page.get_by_role("heading", name="30 new posts since your last visit")
        ).to_be_visible()
    plain_page.get_by_role("link", name="Continue reading").click()
    expect(plain_page.locator(".post")).to_have_count(20)
    plain_page.goto("/")
    plain_page.get_by_role("button", name="Mark all as read").click()
    expect(plain_page.get_by_text("You have already seen the posts below.")).to_be_visible()
    phone.reload()
    expect(phone.get_by_text("You have already seen the posts below.")).to_be_visible()
    expect(phone.get_by_text("since your last visit")).to_have_count(0)


def test_scrolling_to_the_seen_posts_marks_new_posts_as_read(
    page: Page, reader: User, bob: User, carol: User, log_in
) -> None:
    follow(reader, carol)
    for _ in range(12):
        publish(bob)
        newest = publish(carol)
    log_in(page, reader)
    page.goto("/")
    assert home_states.home_state(viewer=reader.pk).position < newest
    page.locator(".older-posts").scroll_into_view_if_needed()
    expect(page.locator(".post")).to_have_count(25)
    with page.expect_response("**/read/") as response:
        page.get_by_text("End of new posts").scroll_into_view_if_needed()
    assert response.value.status == 204
    assert home_states.home_state(viewer=reader.pk).position == newest
    page.reload()
    expect(page.get_by_text("since your last visit")).to_have_count(0)
