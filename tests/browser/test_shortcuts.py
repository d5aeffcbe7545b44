"""Keyboard shortcuts, their list, and the setting that turns them off."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from accounts.models import User
from feed.models import Post
from tests.factories import follow, publish

from .conftest import NewContext


@pytest.fixture
def home(page: Page, alice: User, bob: User, carol: User, log_in) -> Page:
    """Return the home page of alice with fifteen posts of bob and carol in turns."""
    follow(alice, bob)
    follow(alice, carol)
    publish_in_turns(bob, carol, count=15)
    log_in(page, alice)
    page.goto("/")
    return page


def publish_in_turns(*authors: User, count: int) -> None:
    """Publish numbered posts. Posts of one author in a row would be folded."""
    for number in range(count):
        publish(authors[number % 2], f"Post number {number}\n" + "A line\n" * 8)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def post(page: Page, number: int) -> Locator:
    return page.locator(".post").filter(has_text=re.compile(rf"Post number {number}(?!\d)"))


def is_below_the_header(post: Locator) -> bool:
    return post.evaluate(
        """(post) => {
            const header = document.querySelector(".page-header").getBoundingClientRect().bottom;
            return post.getBoundingClientRect().top >= header - 1;
        }"""
    )


def test_j_k_and_dot_move_the_focus_between_posts(home: Page) -> None:
    press(home, "j")
    expect(post(home, 14)).to_be_focused()
    for number in (13, 12, 11, 10):
        press(home, "j")
        expect(post(home, number)).to_be_focused()
        expect(post(home, number)).to_be_in_viewport()
        assert is_below_the_header(post(home, number))
    press(home, "k")
    expect(post(home, 11)).to_be_focused()
    assert is_below_the_header(post(home, 11))
    assert post(home, 11).evaluate("(post) => getComputedStyle(post).outlineStyle") == "solid"
    press(home, "Tab")
    expect(post(home, 11).locator(".author")).to_be_focused()
    press(home, "j")
    expect(post(home, 10)).to_be_focused()
    press(home, ".")
    expect(post(home, 14)).to_be_focused()
    expect(post(home, 14)).to_be_in_viewport()


def test_j_starts_at_the_posts_on_the_screen(home: Page) -> None:
    post(home, 5).scroll_into_view_if_needed()
    press(home, "j")
    assert home.evaluate("document.activeElement.matches('.post')")
    expect(home.locator(":focus")).to_be_in_viewport()
    expect(post(home, 14)).not_to_be_focused()


def test_j_loads_older_posts_at_the_end(page: Page, alice: User, bob: User) -> None:
    publish_in_turns(alice, bob, count=25)
    page.goto("/public/")
    expect(page.locator(".post")).to_have_count(20)
    held_requests = []
    page.route(re.compile(r"\?max_id="), lambda route: held_requests.append(route))
    for _ in range(21):
        press(page, "j")
    expect(post(page, 5)).to_be_focused()
    while not held_requests:
        page.wait_for_timeout(20)
    held_requests[0].continue_()
    expect(page.locator(".post")).to_have_count(25)
    press(page, "j")
    expect(post(page, 4)).to_be_focused()


def test_keys_like_share_and_bookmark_the_focused_post(home: Page, bob: User) -> None:
    press(home, "l")
    assert Post.objects.filter(likes__gt=0).count() == 0
    press(home, "j", "j")
    for key, name in (("l", "Liked"), ("s", "Shared"), ("b", "Bookmarked")):
        press(home, key)
        button = post(home, 13).get_by_role("button", name=name)
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(home.locator("#announcer")).to_have_text(name)
        expect(post(home, 13)).to_be_focused()
    press(home, "l")
    expect(post(home, 13).get_by_role("button", name="Like", exact=True)).to_be_visible()
    expect(home.locator("#announcer")).to_have_text("Undone.")


def test_two_keys_open_the_post(home: Page) -> None:
    for key in ("o", "Enter"):
        home.goto("/")
        press(home, "j", key)
        home.wait_for_url(re.compile(r"/@bob/\d+/$"))  # and for the script of the page
        press(home, "j")
        expect(home.locator(".post-full")).to_be_focused()


def test_keys_go_to_pages(home: Page) -> None:
    for keys, path in (
        ("gn", "/notifications/"),
        ("ge", "/explore/"),
        ("gp", "/@alice/"),
        ("gb", "/bookmarks/"),
        ("gh", "/"),
    ):
        press(home, *keys)
        home.wait_for_url(f"**{path}")
        expect(home.locator("h1")).to_have_count(1)
    press(home, "g", "x", "g", "j")
    expect(home).to_have_url(re.compile(r"/$"))
    expect(home.locator(".post:focus")).to_have_count(0)


def test_c_writes_and_slash_searches_also_on_a_phone(home: Page) -> None:
    press(home, "c")
    expect(home.get_by_label("Your post")).to_be_focused()
    home.goto("/bookmarks/")
    press(home, "/")
    expect(home.get_by_role("searchbox")).to_be_focused()
    expect(home.get_by_role("searchbox")).to_have_value("")
    home.goto("/bookmarks/")
    press(home, "c")
    home.wait_for_url("**/posts/")
    home.set_viewport_size({"width": 390, "height": 844})
    home.goto("/bookmarks/")
    press(home, "/")
    home.wait_for_url("**/search/")


def test_nothing_happens_while_typing(home: Page) -> None:
    area = home.get_by_label("Your post")
    area.click()
    home.keyboard.type("jkl?/.gnbsco")
    expect(area).to_have_value("jkl?/.gnbsco")
    expect(area).to_be_focused()
    expect(home).to_have_url(re.compile(r"/$"))
    expect(home.get_by_role("dialog")).to_have_count(0)
    home.get_by_role("searchbox").fill("")
    home.keyboard.type("j/?")
    expect(home.get_by_role("searchbox")).to_have_value("j/?")
    home.locator(".composer select").first.focus()
    press(home, "j")
    expect(home.locator(".post:focus")).to_have_count(0)


def test_modifier_keys_are_left_to_the_browser(home: Page) -> None:
    press(home, "Control+j", "Alt+j", "Meta+j", "Shift+J")
    expect(home.locator(".post:focus")).to_have_count(0)


def test_a_question_mark_lists_the_shortcuts(home: Page) -> None:
    press(home, "j", "?")
    dialog = home.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("button", name="Close")).to_be_focused()
    press(home, "j", "?", "g", "n")
    expect(dialog.get_by_role("button", name="Close")).to_be_focused()
    for _ in range(6):
        press(home, "Tab")
        assert home.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
        )
    press(home, "Escape")
    expect(dialog).to_be_hidden()
    expect(post(home, 14)).to_be_focused()
    press(home, "?")
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()


def test_the_footer_opens_the_list(either_page: Page, alice: User) -> None:
    page = either_page
    page.goto("/public/")
    page.get_by_role("link", name="Keyboard shortcuts").click()
    expect(page.get_by_text("Next post")).to_be_visible()
    expect(page.locator(".shortcuts").get_by_text("Write a post")).to_have_count(0)


def test_shortcuts_can_be_turned_off(either_page: Page, new_context: NewContext) -> None:
    page = either_page
    page.goto("/shortcuts/")
    page.get_by_role("button", name="Turn off shortcuts").click()
    page.get_by_role("button", name="Turn on shortcuts").wait_for()
    page.goto("/public/")
    press(page, "?", "/")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("searchbox")).not_to_be_focused()
    assert page.locator('script[src*="shortcuts"]').count() == 0
    page.goto("/shortcuts/")
    page.get_by_role("button", name="Turn on shortcuts").click()
    page.get_by_role("button", name="Turn off shortcuts").wait_for()
    assert page.locator('script[src*="shortcuts"]').count() == 1


def test_the_list_turns_shortcuts_off(page: Page) -> None:
    page.goto("/public/")
    press(page, "?")
    page.get_by_role("button", name="Turn off shortcuts").click()
    page.wait_for_url("**/shortcuts/")
    expect(page.get_by_role("button", name="Turn on shortcuts")).to_be_visible()


def test_visitors_can_move_but_have_no_actions(page: Page, alice: User) -> None:
    publish(alice, "Post number 1")
    page.goto("/public/")
    press(page, "j", "l", "s", "b", "c", "g", "n")
    expect(post(page, 1)).to_be_focused()
    expect(page).to_have_url(re.compile(r"/public/$"))
