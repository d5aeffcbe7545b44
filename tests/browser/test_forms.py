"""Forms keep the input, show errors next to the field, and are submitted only once."""

import io

import pytest
from django.urls import reverse
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from accounts.models import User
from feed.models import MAX_TEXT_LENGTH, Post
from tests.factories import PASSWORD


def expect_error_beside(field: Locator, words: str) -> None:
    expect(field).to_have_attribute("aria-invalid", "true")
    description_ids = (field.get_attribute("aria-describedby") or "").split()
    errors = field.page.locator(".field-errors").filter(has_text=words)
    expect(errors).to_be_visible()
    assert errors.get_attribute("id") in description_ids
    boxes = field.bounding_box(), errors.bounding_box()
    assert 0 <= boxes[1]["y"] - (boxes[0]["y"] + boxes[0]["height"]) < 40


def test_sign_up_keeps_the_input_and_shows_errors(either_page: Page, alice: User) -> None:
    page = either_page
    page.goto("/accounts/signup/")
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Email").fill("other@example.org")
    page.get_by_label("Password", exact=True).fill("12345678")
    page.get_by_role("button", name="Sign up").click()
    expect_error_beside(page.get_by_label("Username"), "taken")
    expect_error_beside(page.get_by_label("Password", exact=True), "too common")
    expect(page.get_by_label("Username")).to_have_value("alice")
    expect(page.get_by_label("Email")).to_have_value("other@example.org")


def test_a_too_long_post_is_rejected_and_stays_in_the_form(
    plain_page: Page, alice: User, log_in
) -> None:
    text = "x" * (MAX_TEXT_LENGTH + 1)
    log_in(plain_page, alice)
    plain_page.goto("/")
    plain_page.get_by_label("Your post").fill(text)
    plain_page.get_by_role("button", name="Publish").click()
    expect_error_beside(plain_page.get_by_label("Your post"), "501 characters")
    expect(plain_page.get_by_label("Your post")).to_have_value(text)
    assert not Post.objects.exists()


def test_the_composer_counts_like_the_server_and_does_not_send_long_posts(
    page: Page, alice: User, log_in
) -> None:
    log_in(page, alice)
    page.goto("/")
    area, counter = page.get_by_label("Your post"), page.locator(".counter-left")
    area.fill("🦉" * (MAX_TEXT_LENGTH - 1) + "\n")
    expect(counter).to_have_text("1")
    area.fill("🦉" * (MAX_TEXT_LENGTH + 1))
    expect(counter).to_have_text("-1")
    danger = page.evaluate(
        "() => { const probe = document.body.appendChild(document.createElement('p'));"
        " probe.style.color = 'var(--danger)'; return getComputedStyle(probe).color; }"
    )
    expect(counter).to_have_css("color", danger)
    expect(page.locator(".counter-ring")).to_have_css("stroke", danger)
    expect(page.locator("#announcer")).to_have_text("Characters over the limit: 1.")
    page.get_by_role("button", name="Publish").click()
    expect(area).to_be_focused()
    area.fill("🦉" * MAX_TEXT_LENGTH)
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("status").first).to_contain_text("Post published.")
    assert Post.objects.get().text == "🦉" * MAX_TEXT_LENGTH


def test_a_double_click_publishes_once(page: Page, alice: User, log_in) -> None:
    log_in(page, alice)
    page.goto("/posts/")
    expect(page.get_by_label("Your post")).to_be_focused()
    page.keyboard.type("Only once")
    page.get_by_role("button", name="Publish").dblclick()
    expect(page.locator(".post")).to_have_count(1)
    assert Post.objects.count() == 1


def test_a_post_is_neither_sent_nor_lost_while_offline(page: Page, alice: User, log_in) -> None:
    log_in(page, alice)
    page.goto("/")
    page.get_by_label("Your post").fill("Written in a tunnel")
    page.context.set_offline(True)
    page.get_by_role("button", name="Publish").click()
    expect(page.locator("#notice")).to_contain_text("You are offline.")
    expect(page.get_by_label("Your post")).to_have_value("Written in a tunnel")
    page.context.set_offline(False)
    page.get_by_role("button", name="Publish").click()
    expect(page.locator(".post")).to_contain_text("Written in a tunnel")


def test_a_new_name_and_picture_are_shown_in_lists(
    page: Page, alice: User, bob: User, log_in
) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (320, 200), "tomato").save(picture, "PNG")
    log_in(page, alice)
    page.goto(reverse("edit_profile"))
    page.get_by_label("Name", exact=True).fill("Alice the Second")
    page.get_by_label("Bio").fill("Tomatoes.")
    page.get_by_label("Profile picture", exact=True).set_input_files(
        {"name": "me.png", "mimeType": "image/png", "buffer": picture.getvalue()}
    )
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status").first).to_contain_text("Profile saved.")

    page.goto(reverse("people"))
    row = page.locator(".user-row").filter(has_text="Alice the Second")
    expect(row).to_contain_text("Tomatoes.")
    width = "image => image.decode().then(() => image.naturalWidth)"
    assert row.locator("img").evaluate(width) == 200


def test_an_invalid_picture_shows_an_error_at_the_field(page: Page, alice: User, log_in) -> None:
    log_in(page, alice)
    page.goto(reverse("edit_profile"))
    page.get_by_label("Name", exact=True).fill("Kept")
    field = page.get_by_label("Profile picture", exact=True)
    field.set_input_files({"name": "me.png", "mimeType": "image/png", "buffer": b"no picture"})
    page.get_by_role("button", name="Save").click()
    expect_error_beside(page.get_by_label("Profile picture", exact=True), "not a supported picture")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Kept")


@pytest.mark.parametrize("viewer", ["nobody", "alice"])
def test_the_theme_is_remembered(page: Page, alice: User, log_in, viewer: str) -> None:
    if viewer == "alice":
        log_in(page, alice)
    page.goto(reverse("public"))
    root, menu = page.locator("html"), page.locator(".account")
    menu.locator("summary").click()
    with page.expect_response("**/theme/"):
        menu.get_by_role("button", name="Dark").click()
    expect(root).to_have_attribute("data-theme", "dark")
    page.goto(reverse("people"))
    expect(root).to_have_attribute("data-theme", "dark")
    expect(page.locator("body")).to_have_css("background-color", "rgb(19, 22, 20)")
    page.locator(".account summary").click()
    dark = page.locator(".account").get_by_role("button", name="Dark")
    expect(dark).to_have_attribute("aria-pressed", "true")


def test_a_password_can_be_shown_and_hidden(page: Page) -> None:
    page.goto("/accounts/login/")
    field = page.get_by_label("Password", exact=True)
    field.fill(PASSWORD)
    page.get_by_role("button", name="Show Password").click()
    expect(field).to_have_attribute("type", "text")
    page.get_by_role("button", name="Hide Password").click()
    expect(field).to_have_attribute("type", "password")
