"""Save a draft and schedule a post with and without JavaScript, and by keyboard."""

import re
from datetime import timedelta

from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import User
from feed.models import Post
from tests.feed.draft_helpers import draft_of, schedule

from .accessibility import problems_of_open_page


def test_a_draft_is_saved_edited_and_published(page: Page, alice: User, log_in) -> None:
    log_in(page, alice)
    page.goto("/posts/")
    page.get_by_label("Your post").fill("Half a thought")
    page.locator("summary", has_text="Save or schedule").click()
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_text("Draft saved.")).to_be_visible()
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_label("Your post").fill("A whole thought")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Post published.")).to_be_visible()
    assert Post.objects.get().text == "A whole thought"


def test_a_post_is_scheduled_by_keyboard(page: Page, alice: User, log_in) -> None:
    log_in(page, alice)
    page.goto("/")
    page.get_by_label("Your post").fill("Good morning")
    menu = page.locator("summary", has_text="Save or schedule")
    menu.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Save draft")).to_be_visible()
    assert problems_of_open_page(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Save draft")).to_be_hidden()
    expect(menu).to_be_focused()
    page.keyboard.press("Enter")
    at = timezone.localtime() + timedelta(days=2)
    page.get_by_label("Publish at").fill(f"{at:%Y-%m-%dT%H:%M}")
    page.get_by_role("button", name="Schedule", exact=True).press("Enter")
    expect(page.get_by_text("Scheduled. Your post will be published on")).to_be_visible()
    expect(page.get_by_text("Good morning")).to_be_visible()
    # The browser has forgotten the text that it stored while alice typed.
    page.goto("/")
    expect(page.get_by_label("Your post")).to_have_value("")
    assert not Post.objects.exists()


def test_a_scheduled_post_is_published_now_and_a_draft_deleted(
    page: Page, alice: User, log_in
) -> None:
    schedule(alice, "Not yet")
    draft_of(alice, "Never")
    log_in(page, alice)
    page.goto("/drafts/")
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Draft deleted.")).to_be_visible()
    page.get_by_role("link", name="Scheduled", exact=True).click()
    page.get_by_role("button", name="Publish now").click()
    expect(page).to_have_url(re.compile(r"/$"))
    assert [post.text for post in Post.objects.all()] == ["Not yet"]
