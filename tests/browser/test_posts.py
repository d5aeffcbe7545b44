"""Posts in the browser: share, like, edit and choose the visibility."""

import re
from io import BytesIO
from itertools import pairwise

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from accounts.models import User
from feed.models import Post
from tests.factories import follow, publish

from .conftest import PHONE, NewContext


def post_with(page: Page, words: str) -> Locator:
    return page.locator(".post").filter(has_text=words)


def test_a_post_is_shared_and_unshared(page: Page, alice: User, bob: User, log_in) -> None:
    follow(alice, bob)
    publish(bob, "worth a look")
    log_in(page, alice)
    page.goto("/public/")
    post = post_with(page, "worth a look")
    share, shared = (
        post.get_by_role("button", name=name, exact=True) for name in ("Share", "Shared 1")
    )
    expect(share).to_have_attribute("aria-pressed", "false")
    share.click()
    expect(shared).to_have_attribute("aria-pressed", "true")
    expect(
        page.get_by_role("status").filter(has_text="Post shared with your followers.")
    ).to_be_visible()
    assert Post.objects.filter(author=alice, share_of__gt=0).count() == 1
    shared.click()
    expect(share).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="Share removed")).to_be_visible()
    expect(page).to_have_url(re.compile("/public/"))
    assert not Post.objects.filter(author=alice).exists()


def test_a_post_is_liked_and_unliked(page: Page, alice: User, bob: User, log_in) -> None:
    liked = publish(bob, "worth a like")
    log_in(page, alice)
    page.goto("/public/")
    post = post_with(page, "worth a like")
    post.get_by_role("button", name="Like", exact=True).click()
    expect(post.get_by_role("button", name="Liked 1")).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile("/public/"))
    assert Post.objects.get(pk=liked).likes == 1
    post.get_by_role("button", name="Liked 1").click()
    expect(post.get_by_role("button", name="Like", exact=True)).to_be_visible()
    assert Post.objects.get(pk=liked).likes == 0
    post.get_by_role("button", name="Like", exact=True).click()
    expect(post.get_by_role("button", name="Liked 1")).to_be_visible()
    page.goto(f"/@bob/{liked}/")
    page.get_by_role("link", name="See who liked this").click()
    expect(page.get_by_role("heading", name="Liked by")).to_be_visible()
    expect(page.get_by_role("main").get_by_role("link", name="Alice Adams")).to_be_visible()


def test_sharing_by_keyboard_keeps_the_focus_and_the_place(
    page: Page, alice: User, bob: User, log_in
) -> None:
    follow(alice, bob)
    publish(bob, "worth a look")
    log_in(page, alice)
    page.goto("/")
    page.get_by_role("button", name="Share", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Shared 1", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Share", exact=True)).to_be_focused()
    assert page.evaluate("location.pathname + location.hash") == "/"


def test_sharing_a_post_that_is_no_longer_public_shows_a_message(
    either_page: Page, alice: User, bob: User, log_in
) -> None:
    page = either_page
    follow(alice, bob)
    post = publish(bob, "worth a look")
    log_in(page, alice)
    page.goto("/")
    Post.objects.filter(pk=post).update(visibility=Post.Visibility.FOLLOWERS)
    page.get_by_role("button", name="Share", exact=True).click()
    expect(
        page.get_by_role("status").filter(has_text="You can share only public and unlisted posts")
    ).to_be_visible()
    expect(post_with(page, "worth a look")).to_be_visible()
    assert not Post.objects.filter(author=alice).exists()


def test_the_page_of_a_post_has_one_row_of_actions_and_a_menu(
    either_page: Page, alice: User, log_in
) -> None:
    page = either_page
    page.set_viewport_size({"width": 390, "height": 844})
    post = publish(alice, "Mine")
    log_in(page, alice)
    page.goto(f"/@alice/{post}/")
    actions = page.locator(".post-full .post-actions .action").all()
    boxes = [action.bounding_box() for action in actions]
    assert len(boxes) == 4
    assert len({box["y"] for box in boxes}) == 1
    gaps = [right["x"] - left["x"] - left["width"] for left, right in pairwise(boxes)]
    assert max(gaps) - min(gaps) < 1
    page.locator(".post-full").get_by_role("link", name="More options for this post").click()
    for name in ("Insights", "Edit", "Delete"):
        expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()


def test_an_edited_post_is_marked_as_edited(page: Page, alice: User, log_in) -> None:
    publish(alice, "Tyop")
    log_in(page, alice)
    page.goto("/")
    post = post_with(page, "Tyop")
    post.get_by_role("link", name="More options for this post").click()
    page.get_by_role("link", name="Edit", exact=True).click()
    field = page.get_by_label("Your post")
    expect(field).to_have_value("Tyop")
    field.fill("Typo")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status").first).to_contain_text("Changes saved.")
    expect(page.locator(".post-full")).to_contain_text("Typo")
    expect(page.locator(".post-full .edited")).to_be_visible()


def test_the_visibility_of_a_post_is_chosen(
    either_page: Page, alice: User, bob: User, log_in
) -> None:
    page = either_page
    log_in(page, alice)
    page.goto("/")
    choice, hint = page.get_by_label("Who can see this post"), page.locator(".visibility-hint")
    expect(choice).to_have_value("public")
    expect(hint).to_be_hidden()
    choice.select_option("People I mention")
    expect(hint).to_have_text("Only people you mention with @username can see this post.")
    page.get_by_label("Your post").fill("for nobody")
    page.get_by_role("button", name="Publish").click()
    expect(page.locator(".field-errors")).to_contain_text("Mention at least one person")
    expect(choice).to_have_value("direct")
    page.get_by_label("Your post").fill("@bob for you")
    page.get_by_role("button", name="Publish").click()
    expect(post_with(page, "for you").locator(".post-badge")).to_have_text("Only people mentioned")
    assert Post.objects.get().recipients == [bob.pk]


@pytest.mark.parametrize("has_script", [True, False], ids=["script", "no script"])
def test_on_a_phone_the_composer_is_short_until_it_is_used(
    new_context: NewContext, alice: User, log_in, has_script: bool
) -> None:
    page = new_context(**PHONE, java_script_enabled=has_script).new_page()
    log_in(page, alice)
    page.goto("/")
    text = page.get_by_label("Your post")
    publish_button = page.get_by_role("button", name="Publish")
    expect(publish_button).to_be_hidden()
    text.tap()
    expect(publish_button).to_be_visible()
    page.locator("summary", has_text="Pictures").tap()
    expect(page.get_by_label("Pictures")).to_be_visible()
    text.fill("From the bus")
    text.blur()
    expect(publish_button).to_be_visible()
    publish_button.tap()
    expect(post_with(page, "From the bus")).to_be_visible()


def drawn_part(icon: Locator) -> float:
    """Return how much of the icon differs from its corner, from 0 to 1."""
    image = Image.open(BytesIO(icon.screenshot())).convert("L")
    corner = image.getpixel((0, 0))
    return sum(abs(pixel - corner) > 60 for pixel in image.tobytes()) / (image.width * image.height)


@pytest.mark.parametrize("forced_colors", ["none", "active"])
def test_icons_are_drawn_and_filled_if_their_button_is_pressed(
    new_context: NewContext, alice: User, log_in, forced_colors: str
) -> None:
    page = new_context(forced_colors=forced_colors).new_page()
    publish(alice, "one heart")
    log_in(page, alice)
    page.goto("/public/")
    post = post_with(page, "one heart")
    assert drawn_part(post.locator(".post-menu i")) > 0.02
    outline = drawn_part(post.locator(".i-heart"))
    assert outline > 0.05
    post.get_by_role("button", name="Like").click()
    expect(post.get_by_role("button", name="Liked")).to_be_visible()
    assert drawn_part(post.locator(".i-heart")) > 1.5 * outline
