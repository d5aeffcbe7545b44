"""Completion of "@" and "#" while writing, and recent searches."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from accounts.models import User
from accounts.services.profiles import update_profile
from tests.factories import UserFactory, follow, publish

from .conftest import PHONE, NewContext


@pytest.fixture
def writer(alice: User, bob: User) -> User:
    """Return Alice, who follows Bob. There are more users and hashtags with similar names."""
    for username, name in (("bonnie", "Bonnie Tyler"), ("bobbi", "Bobbi Kline")):
        user = UserFactory(username=username)
        update_profile(uid=user.pk, display_name=name, bio="")
    follow(alice, bob)
    publish(bob, "A first post #garden #gardening")
    return alice


def open_composer(page: Page, log_in, user: User):
    log_in(page, user)
    page.goto("/posts/")
    return page.get_by_label("Your post")


def options_of(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Suggestions").get_by_role("option")


def test_people_are_completed_by_keyboard(page: Page, writer: User, log_in) -> None:
    area = open_composer(page, log_in, writer)
    options, announced = options_of(page), page.locator("#announcer")
    area.press_sequentially("Hello @bo")
    expect(options).to_have_count(3)
    # The followed user comes first and is chosen in advance.
    expect(options.first).to_have_attribute("aria-selected", "true")
    expect(announced).to_have_text(
        "Suggestions: 3. Choose with the arrow keys, insert with Enter or Tab. Bob Brown @bob"
    )
    expect(page.get_by_role("listbox", name="Suggestions")).to_be_visible()
    expect(area).to_have_attribute("aria-controls", "completions")
    active = options.first.get_attribute("id")
    expect(area).to_have_attribute("aria-activedescendant", active or "")
    area.press("ArrowDown")
    expect(announced).to_have_text("Bobbi Kline @bobbi")
    area.press("ArrowUp")
    area.press("ArrowUp")
    expect(announced).to_have_text("Bonnie Tyler @bonnie")
    area.press("Enter")
    expect(area).to_have_value("Hello @bonnie ")
    expect(area).to_be_focused()
    expect(options).to_have_count(0)
    for name in ("aria-controls", "aria-activedescendant", "aria-haspopup"):
        assert area.get_attribute(name) is None
    area.press_sequentially("and @bob")
    expect(options.first).to_contain_text("Bob Brown")
    area.press("Tab")
    expect(area).to_have_value("Hello @bonnie and @bob ")


def test_a_hashtag_is_inserted_only_after_a_choice(page: Page, writer: User, log_in) -> None:
    area = open_composer(page, log_in, writer)
    options = options_of(page)
    area.press_sequentially("#gard")
    expect(options).to_have_count(2)
    area.press("Enter")
    expect(area).to_have_value("#gard\n")
    area.press("Backspace")
    expect(options).to_have_count(2)
    area.press("ArrowDown")
    area.press("Enter")
    expect(area).to_have_value("#garden ")
    area.press_sequentially("#gard")
    expect(options).to_have_count(2)
    area.press("Tab")
    expect(area).to_have_value("#garden #garden ")
    expect(area).to_be_focused()


def test_escape_closes_the_suggestions_and_keeps_the_text(page: Page, writer: User, log_in) -> None:
    area = open_composer(page, log_in, writer)
    options = options_of(page)
    area.press_sequentially("@bo")
    expect(options).to_have_count(3)
    area.press("Escape")
    expect(options).to_have_count(0)
    expect(area).to_have_value("@bo")
    area.press_sequentially("b")
    expect(options).to_have_count(2)
    area.press_sequentially("xyz")
    expect(options).to_have_count(0)
    expect(page.locator("#announcer")).to_have_text("No suggestions.")
    area.press_sequentially(" mail@bob")
    page.wait_for_timeout(400)
    expect(options).to_have_count(0)


def test_an_unfinished_word_of_an_input_method_is_not_completed(
    page: Page, writer: User, log_in
) -> None:
    area = open_composer(page, log_in, writer)
    area.fill("@bo")
    expect(options_of(page)).to_have_count(3)
    composing = "new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true})"
    area.evaluate(f"area => area.dispatchEvent({composing})")
    expect(area).to_have_value("@bo")
    area.evaluate(
        "area => { area.value = '@bob'; area.setSelectionRange(4, 4);"
        " area.dispatchEvent(new InputEvent('input', {isComposing: true, bubbles: true})) }"
    )
    page.wait_for_timeout(400)
    expect(options_of(page)).to_have_count(3)
    area.evaluate(
        "area => area.dispatchEvent(new CompositionEvent('compositionend', {bubbles: true}))"
    )
    expect(options_of(page)).to_have_count(2)


def test_touch_completes_in_comments_and_keeps_the_focus(
    new_context: NewContext, writer: User, bob: User, log_in
) -> None:
    page = new_context(**PHONE).new_page()
    post = publish(bob, "What do you think?")
    log_in(page, writer)
    page.goto(f"/@bob/{post}/")
    area = page.get_by_label("Your comment")
    area.tap()
    area.press_sequentially("Ask @bonn")
    option = options_of(page)
    expect(option).to_have_count(1)
    box = option.bounding_box()
    assert box is not None
    assert box["height"] >= 44
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    option.tap()
    expect(area).to_have_value("Ask @bonnie ")
    expect(area).to_be_focused()


def test_recent_searches_stay_in_the_browser(page: Page, alice: User, bob: User, log_in) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    log_in(page, alice)
    page.goto("/search/")
    recent = page.get_by_role("region", name="Recent searches")
    expect(recent).to_be_hidden()
    for q in ("bob", "<b>old</b> town", "bob"):
        page.goto("/search/")
        page.get_by_role("main").get_by_role("searchbox").fill(q)
        page.get_by_role("main").get_by_role("searchbox").press("Enter")
        expect(page).to_have_url(re.compile("q="))
    page.goto("/search/")
    links = recent.get_by_role("link")
    expect(links).to_have_text(["bob", "<b>old</b> town"])
    requests.clear()
    recent.get_by_role("button", name="Remove “bob”").click()
    expect(links).to_have_text(["<b>old</b> town"])
    expect(recent.get_by_role("heading")).to_be_focused()
    recent.get_by_role("button", name="Clear").click()
    expect(recent).to_be_hidden()
    expect(page.get_by_role("main").get_by_role("searchbox")).to_be_focused()
    assert not [url for url in requests if "/search/" in url]
    page.reload()
    expect(recent).to_be_hidden()
