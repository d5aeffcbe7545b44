"""Pictures open in a lightbox on the page. Back closes it."""

import io
from functools import cache

import pytest
from playwright.sync_api import Locator, Page, Playwright, expect

from accounts.models import User
from feed import picture_files
from feed.models import Picture
from tests.actions import publish_post
from tests.uploads import picture

from .accessibility import problems_of_open_page
from .conftest import LAUNCH_ARGUMENTS, PHONE, NewContext, browser_path

DESCRIPTIONS = ("A red square", "", "A blue square")


@cache
def decoded_picture(color: str) -> picture_files.DecodedUpload:
    content = picture(size=(1600, 1200), color=color)
    return picture_files.decode_upload(upload=io.BytesIO(content))


@pytest.fixture
def post(alice: User) -> int:
    """Publish a post with three pictures. The second picture has no description."""
    picture_ids = []
    for color, alt in zip(("red", "green", "blue"), DESCRIPTIONS, strict=True):
        stored = picture_files.store_upload(owner=alice.pk, upload=decoded_picture(color))
        picture_ids.append(stored.pk)
        Picture.objects.filter(pk=picture_ids[-1]).update(alt=alt)
    return publish_post(author=alice.pk, text="Look", picture_ids=picture_ids)


def open_picture(page: Page, number: int = 0) -> Locator:
    """Open a picture of the only post on the page. Return the lightbox."""
    page.locator(".media a").nth(number).click()
    lightbox = page.locator("#lightbox")
    expect(lightbox).to_be_visible()
    return lightbox


def wait_until_left(page: Page) -> None:
    """Wait until the current entry of the history is no longer the lightbox's."""
    while page.evaluate("Boolean(history.state?.lightbox)"):
        pass


def expect_picture(lightbox: Locator, number: int) -> None:
    expect(lightbox.locator("[data-position]")).to_have_text(f"{number + 1}/3")
    expect(lightbox.locator(".lightbox-text")).to_have_text(DESCRIPTIONS[number])
    href = lightbox.page.locator(".media a").nth(number).evaluate("link => link.href")
    image = lightbox.locator("img")
    expect(image).to_have_js_property("src", href)
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1600
    expect(lightbox.get_by_role("link", name="Open file")).to_have_js_property("href", href)


def test_keys_and_buttons_show_the_pictures_of_a_post(page: Page, post: int) -> None:
    page.goto("/public/")
    lightbox = open_picture(page)
    expect_picture(lightbox, 0)
    page.keyboard.press("ArrowRight")
    expect_picture(lightbox, 1)
    lightbox.get_by_role("button", name="Next picture").click()
    expect_picture(lightbox, 2)
    page.keyboard.press("ArrowRight")
    expect_picture(lightbox, 0)
    page.keyboard.press("ArrowLeft")
    expect_picture(lightbox, 2)
    lightbox.get_by_role("button", name="Previous picture").click()
    expect_picture(lightbox, 1)


def test_the_lightbox_closes_and_the_focus_returns(page: Page, post: int) -> None:
    page.goto("/explore/")
    page.goto("/public/")
    length = page.evaluate("history.length")
    for way in ("Escape", "Close", "Back", "outside"):
        lightbox = open_picture(page, 1)
        assert page.evaluate("history.length") == length + 1
        if way == "Escape":
            page.keyboard.press("Escape")
        elif way == "Close":
            lightbox.get_by_role("button", name="Close").click()
        elif way == "Back":
            page.evaluate("history.back()")
        else:
            page.mouse.click(5, 300)
        expect(lightbox).to_be_hidden()
        expect(page.locator(".media a").nth(1)).to_be_focused()
        wait_until_left(page)
        assert page.url.endswith("/public/")
    page.evaluate("history.back()")
    page.wait_for_url("**/explore/")


def test_the_lightbox_opens_again(page: Page, post: int) -> None:
    page.goto("/public/")
    for number in (2, 0, 1):
        lightbox = open_picture(page, number)
        expect_picture(lightbox, number)
        page.keyboard.press("Escape")
        expect(lightbox).to_be_hidden()
        wait_until_left(page)
    assert page.locator("dialog.lightbox").count() == 1
    page.evaluate("history.forward()")
    expect(page.locator("#lightbox")).to_be_visible()
    expect_picture(page.locator("#lightbox"), 1)
    page.evaluate("history.back()")
    expect(page.locator("#lightbox")).to_be_hidden()


def test_a_click_zooms(page: Page, post: int) -> None:
    page.goto("/public/")
    lightbox = open_picture(page)
    button = lightbox.get_by_role("button", name="Zoom")
    expect_picture(lightbox, 0)
    width = lightbox.locator("img").bounding_box()["width"]
    assert width <= 1280
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    assert lightbox.locator("img").bounding_box()["width"] >= 1.9 * width
    page.keyboard.press("ArrowRight")
    expect_picture(lightbox, 0)
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    assert lightbox.locator("img").bounding_box()["width"] == width


SWIPE = """([stage, from, to]) => {
  const send = (type, clientX) => stage.dispatchEvent(new PointerEvent(type, {
    clientX, clientY: 200, isPrimary: true, pointerType: "touch", bubbles: true,
  }));
  send("pointerdown", from);
  send("pointerup", to);
}"""


def test_a_swipe_shows_the_next_picture(new_context: NewContext, post: int) -> None:
    page = new_context(**PHONE).new_page()
    page.goto("/public/")
    lightbox = open_picture(page)
    stage = page.locator(".lightbox-picture").element_handle()
    page.evaluate(SWIPE, [stage, 300, 100])
    expect_picture(lightbox, 1)
    page.evaluate(SWIPE, [stage, 100, 300])
    expect_picture(lightbox, 0)
    page.evaluate(SWIPE, [stage, 100, 120])
    expect_picture(lightbox, 0)


def test_a_reload_closes_the_lightbox(page: Page, post: int) -> None:
    page.goto("/explore/")
    page.goto("/public/")
    open_picture(page)
    page.reload()
    expect(page.locator("#lightbox")).to_be_hidden()
    wait_until_left(page)
    page.evaluate("history.back()")
    page.wait_for_url("**/explore/")


def test_back_from_the_file_returns_to_the_lightbox_of_a_kept_page(
    playwright: Playwright, clean_site: None, base_url: str, post: int
) -> None:
    browser = playwright.chromium.launch(
        executable_path=browser_path("chromium", "google-chrome"),
        args=LAUNCH_ARGUMENTS,
        ignore_default_args=["--disable-back-forward-cache"],
    )
    page = browser.new_context(base_url=base_url).new_page()
    page.goto("/public/")
    page.evaluate("window.isKept = true")
    lightbox = open_picture(page)
    lightbox.get_by_role("link", name="Open file").click()
    page.wait_for_url("**/media/pictures/*")
    page.evaluate("history.back()")
    expect(lightbox).to_be_visible()
    assert page.evaluate("window.isKept")
    page.evaluate("history.back()")
    expect(lightbox).to_be_hidden()
    assert page.url.endswith("/public/")
    browser.close()


def test_the_lightbox_is_accessible(page: Page, post: int) -> None:
    page.goto(f"/@alice/{post}/")
    lightbox = open_picture(page)
    expect_picture(lightbox, 0)
    assert problems_of_open_page(page) == []


def test_without_javascript_a_picture_links_to_its_file(
    plain_page: Page, post: int, complaints: list[str]
) -> None:
    plain_page.goto("/public/")
    plain_page.locator(".media a").first.click()
    plain_page.wait_for_url("**/media/pictures/*-large.webp")
    complaints.clear()  # the browser's own page of a picture has styles


def test_other_buttons_and_keys_open_the_file(page: Page, post: int, complaints: list[str]) -> None:
    page.goto("/public/")
    with page.context.expect_page() as opened:
        page.locator(".media a").first.click(modifiers=["ControlOrMeta"])
    opened.value.wait_for_url("**-large.webp")
    complaints.clear()  # as above
    expect(page.locator("#lightbox")).to_be_hidden()
