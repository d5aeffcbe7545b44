"""Publish a picture with a description and a content warning."""

import re

from playwright.sync_api import Page, expect

from accounts.models import User
from tests.uploads import picture


def test_a_picture_is_published_with_a_description_and_a_content_warning(
    page: Page, alice: User, log_in
) -> None:
    log_in(page, alice)
    page.goto("/")
    page.get_by_label("Your post").fill("From the garden")
    page.locator("summary").filter(has_text="Pictures").click()
    content = picture(size=(900, 600), color="tomato")
    page.get_by_label("Add pictures").set_input_files(
        {"name": "garden.png", "mimeType": "image/png", "buffer": content}
    )
    page.locator("summary").filter(has_text="Content warning").click()
    page.get_by_label("Content warning", exact=True).fill("Tomatoes")
    page.get_by_role("button", name="Publish", exact=True).click()

    expect(page.get_by_text("Add descriptions for people")).to_be_visible()
    expect(page.get_by_label("Your post")).to_have_value("From the garden")
    expect(page.get_by_label("Content warning", exact=True)).to_have_value("Tomatoes")
    # The draft contains no descriptions of pictures.
    expect(page.get_by_label("Description")).to_have_value("")
    page.get_by_label("Description").fill("Three ripe tomatoes")
    page.get_by_role("button", name="Publish", exact=True).click()

    expect(page.get_by_role("status").first).to_contain_text("Post published.")
    post = page.locator(".post").first
    shown = post.get_by_role("img", name="Three ripe tomatoes")
    expect(shown).to_be_hidden()
    post.locator("summary").filter(has_text="Tomatoes").focus()
    page.keyboard.press("Enter")
    expect(shown).to_be_visible()
    width = "image => image.decode().then(() => image.naturalWidth)"
    assert shown.evaluate(width) > 0
    box = shown.bounding_box()
    assert abs(box["width"] / box["height"] - 1.5) < 0.1
    expect(post.get_by_role("link", name="Three ripe tomatoes")).to_have_attribute(
        "href", re.compile("-large.webp$")
    )
