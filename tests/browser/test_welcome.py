"""A visitor signs up, chooses topics and people, and reads a full home timeline within twelve clicks."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from accounts.models import User
from accounts.selectors.follow_graph import followee_ids
from feed.selectors.tags import followed_tags
from tests.factories import PASSWORD, follow, people, publish

from .conftest import PHONE, NewContext

MAX_CLICKS = 12


class Clicks:
    """Clicks on visible elements, and counts the clicks."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0

    def link(self, name: str) -> None:
        self._click(self.page.get_by_role("link", name=name).first)

    def button(self, name: str) -> None:
        self._click(self.page.get_by_role("button", name=name))

    def checkbox(self, name: str) -> None:
        self._click(self.page.get_by_role("checkbox", name=name))

    def _click(self, element: Locator) -> None:
        element.click()
        self.count += 1


@pytest.fixture
def phone(new_context: NewContext) -> Page:
    return new_context(**PHONE).new_page()


@pytest.fixture
def gardeners() -> list[User]:
    """Twelve authors who write about the same hashtag."""
    authors = people(12, "gardener")
    for author in authors:
        publish(author, f"{author.username} waters the tomatoes #garden #tomatoes")
    return authors


def sign_up(page: Page, clicks: Clicks, name: str = "nora") -> None:
    page.goto("/")
    clicks.link("Sign up")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Email").fill(f"{name}@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    clicks.button("Sign up")
    expect(page).to_have_url(re.compile(r"/welcome/$"))


@pytest.mark.parametrize("has_script", [True, False], ids=["script", "no script"])
def test_a_visitor_reaches_a_home_with_ten_followed_users_in_twelve_clicks(
    new_context: NewContext, gardeners: list[User], has_script: bool
) -> None:
    phone = new_context(**PHONE, java_script_enabled=has_script).new_page()
    clicks = Clicks(phone)
    sign_up(phone, clicks)
    expect(phone.get_by_text("Step 1 of 3")).to_be_visible()
    phone.get_by_label("Name", exact=True).fill("Nora New")
    clicks.button("Save and continue")
    expect(phone.get_by_text("Step 2 of 3")).to_be_visible()
    clicks.checkbox("#garden")
    clicks.checkbox("#tomatoes")
    clicks.button("Save and continue")
    expect(phone.get_by_text("Step 3 of 3")).to_be_visible()
    expect(phone.get_by_text("Writes about #").first).to_be_visible()
    expect(phone.get_by_role("checkbox", checked=True)).to_have_count(0)
    clicks.button("Follow all 10 people")

    expect(phone).to_have_url(re.compile(r"/$"))
    expect(phone.get_by_text("You followed 10 people.")).to_be_visible()
    expect(phone.locator(".post").first).to_contain_text("waters the tomatoes")
    nora = User.objects.get(username="nora")
    assert nora.display_name == "Nora New"
    assert len(followee_ids(follower=nora.pk)) == 10
    assert sorted(followed_tags(viewer=nora.pk)) == ["garden", "tomatoes"]
    assert clicks.count <= MAX_CLICKS


def test_selected_people_are_followed_and_nobody_else(phone: Page, gardeners: list[User]) -> None:
    clicks = Clicks(phone)
    sign_up(phone, clicks)
    clicks.link("Skip this step")
    clicks.link("Skip this step")
    phone.locator("label.user-row").nth(2).click()
    phone.locator("label.user-row").nth(4).click()
    clicks.button("Follow selected people")
    expect(phone.get_by_text("You followed 2 people.")).to_be_visible()
    nora = User.objects.get(username="nora")
    assert len(followee_ids(follower=nora.pk)) == 2


def test_every_step_can_be_skipped_and_home_suggests_people(
    phone: Page, gardeners: list[User]
) -> None:
    clicks = Clicks(phone)
    sign_up(phone, clicks)
    clicks.link("Skip this step")
    clicks.link("Back")
    clicks.link("Skip this step")
    clicks.link("Skip this step")
    clicks.link("Skip and go to home")
    expect(phone.get_by_role("heading", name="You are not following anyone yet")).to_be_visible()
    expect(phone.get_by_text("caught up")).to_have_count(0)
    expect(phone.get_by_role("heading", name="Who to follow")).to_be_visible()
    nora = User.objects.get(username="nora")
    assert followee_ids(follower=nora.pk) == []

    phone.get_by_role("main").get_by_role("button", name="Follow gardener").first.click()
    expect(phone.get_by_role("button", name="unfollow").or_(phone.locator(".post"))).to_be_visible()
    assert len(followee_ids(follower=nora.pk)) == 1
    phone.goto("/")
    expect(phone.locator(".post").first).to_contain_text("waters the tomatoes")
    phone.get_by_role("button", name="Hide suggestions").click()
    expect(phone.get_by_role("heading", name="Who to follow")).to_have_count(0)
    phone.goto("/")
    expect(phone.locator(".post").first).to_be_visible()
    expect(phone.get_by_role("heading", name="Who to follow")).to_have_count(0)


def test_explore_people_and_search_are_one_tap_from_the_bar(
    phone: Page, gardeners: list[User], log_in
) -> None:
    follow(gardeners[0], gardeners[1])
    log_in(phone, gardeners[0])
    phone.goto("/")
    bar = phone.get_by_role("navigation", name="Main")
    bar.get_by_role("link", name="Explore").click()
    tabs = phone.get_by_role("navigation", name="Explore")
    for tab in ("Tags", "People", "Links", "Newest", "Posts"):
        tabs.get_by_role("link", name=tab, exact=True).click()
        expect(tabs.locator("[aria-current]")).to_have_text(tab)
        expect(phone.get_by_role("heading", level=1, name="Explore")).to_be_visible()
    phone.get_by_role("main").get_by_role("link", name="Search").click()
    expect(phone).to_have_url(re.compile(r"/search/$"))
