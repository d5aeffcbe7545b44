"""The options of the composer: who can comment and quote, and the language."""

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from feed.models import Post

from .accessibility import problems_of_open_page
from .conftest import PHONE


def test_options_are_folded_and_published(either_page: Page, alice: User, log_in) -> None:
    page = either_page
    log_in(page, alice)
    page.goto("/posts/")
    page.get_by_label("Your post").fill("Guten Morgen")
    expect(page.get_by_label("Who can comment")).to_be_hidden()
    page.locator("summary", has_text="Options").click()
    page.get_by_label("Who can comment").select_option("Comments: nobody")
    page.get_by_label("Language").select_option("Deutsch")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Post published.")).to_be_visible()
    post = Post.objects.get()
    assert post.reply_policy == "nobody"
    assert {"kind": "language", "value": "de"} in post.attributes


def test_the_summary_shows_what_differs_from_the_default(page: Page, alice: User, log_in) -> None:
    log_in(page, alice)
    page.goto("/")
    options = page.locator("summary", has_text="Options")
    expect(options).to_have_text("Options")
    options.press("Enter")
    # Opening the options requests the languages.
    page.get_by_label("Language").select_option("Français")
    page.get_by_label("Who can quote").select_option("Quotes: followers")
    expect(options).to_have_text("Options · Quotes: followers · Français")
    assert problems_of_open_page(page) == []
    expect(options).not_to_contain_text("Quotes", use_inner_text=True)
    page.get_by_label("Who can quote").select_option("Quotes: everyone")
    options.press("Enter")
    expect(options).to_have_text("Options · Français", use_inner_text=True)


@pytest.mark.parametrize("path", ["/", "/posts/"])
def test_panels_of_the_composer_fit_in_one_row_of_a_phone(
    new_context, alice: User, log_in, path: str
) -> None:
    page = new_context(**PHONE).new_page()
    log_in(page, alice)
    page.goto(path)
    page.get_by_label("Your post").fill("On the train")
    panels = page.locator(".composer-body > .actions > details")
    boxes = [panel.bounding_box() for panel in panels.all()]
    assert len(boxes) == 3
    assert len({box["y"] for box in boxes}) == 1
    # Icons without a visible text still have a name.
    warning = page.locator("summary", has_text="Content warning")
    expect(warning).to_have_accessible_name("Content warning")
    warning.click()
    page.get_by_role("textbox", name="Content warning").fill("Trains")
    assert problems_of_open_page(page) == []
