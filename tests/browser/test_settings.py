"""The list of settings on phones and desktops, and the appearance."""

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User

from .conftest import PHONE, NewContext


@pytest.fixture
def phone(new_context: NewContext, alice: User, log_in) -> Page:
    page = new_context(**PHONE).new_page()
    log_in(page, alice)
    return page


def test_a_phone_lists_the_settings_without_horizontal_scrolling(phone: Page) -> None:
    phone.goto("/settings/")
    assert phone.evaluate(
        """[...document.querySelectorAll("*")].every((element) => element.scrollWidth <= innerWidth)"""
    )
    phone.get_by_role("link", name="Muted people").click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Muted people")
    phone.get_by_role("main").get_by_role("link", name="Back").click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Settings")


def test_a_desktop_shows_the_list_beside_a_settings_page(page: Page, alice: User, log_in) -> None:
    log_in(page, alice)
    page.goto("/settings/privacy/")
    navigation = page.get_by_role("navigation", name="Settings")
    expect(navigation.locator("[aria-current]")).to_have_text("Privacy")
    navigation.get_by_role("link", name="Filters").click()
    expect(navigation.locator("[aria-current]")).to_have_text("Filters")


def test_the_appearance_changes_at_once_and_is_remembered(
    either_page: Page, alice: User, log_in
) -> None:
    page = either_page
    log_in(page, alice)
    page.goto("/settings/appearance/")
    page.get_by_role("main").get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.get_by_role("main").get_by_role("button", name="Dark")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(page.get_by_role("heading", level=1)).to_have_text("Appearance")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
