"""Video and audio in the browser: upload, wait for the conversion, publish and play."""

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from feed import tasks
from feed.models import Picture, Post
from tests.clips import audio, published_clip, require_ffmpeg, video

from .accessibility import problems_of_open_page


@pytest.fixture(autouse=True)
def needs_ffmpeg() -> None:
    require_ffmpeg()


@pytest.fixture
def composer(page: Page, alice: User, log_in) -> Page:
    log_in(page, alice)
    page.goto("/")
    page.get_by_label("Your post").fill("Watch this")
    page.locator("summary").filter(has_text="Pictures, video").click()
    return page


def choose(page: Page, content: bytes) -> None:
    file = {"name": "me.mp4", "mimeType": "video/mp4", "buffer": content}
    page.get_by_label("Add pictures").set_input_files([file])


def convert() -> None:
    tasks.process_clip(clip_id=Picture.objects.latest("pk").pk)


def publish(page: Page) -> None:
    page.get_by_role("button", name="Publish", exact=True).click()


def play(page: Page, selector: str) -> None:
    """Play a file silently until a part of it was played."""
    player = page.locator(selector)
    assert player.evaluate("player => player.paused && player.readyState") == 0
    player.evaluate("player => { player.muted = true; return player.play(); }")
    page.wait_for_function(
        "selector => document.querySelector(selector).currentTime > 0", arg=selector
    )


def test_a_video_is_uploaded_published_and_played(composer: Page, alice: User) -> None:
    page = composer
    choose(page, video(seconds=2))
    row = page.locator("[data-pictures] > [data-processing]")
    expect(row).to_contain_text("Processing the file.")
    page.get_by_label("Description").fill("Bars")
    publish(page)
    expect(page.locator("#notice")).to_contain_text("when your file is ready")
    assert not Post.objects.exists()
    assert problems_of_open_page(page) == []
    convert()
    # The form is sent by itself, with the description.
    expect(page.get_by_role("status").first).to_contain_text("Post published.")
    post = Post.objects.get()
    assert [(entry["kind"], entry["alt"]) for entry in post.media] == [("video", "Bars")]
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(f"/@alice/{post.pk}/")
    page.wait_for_load_state("networkidle")
    assert not [url for url in requested if "/media/clips/" in url]
    assert [url for url in requested if "-small.webp" in url]
    frame = page.locator("video").bounding_box()
    assert frame
    play(page, "video")
    assert page.locator("video").bounding_box() == frame
    assert problems_of_open_page(page) == []


def test_a_click_on_a_video_does_not_leave_the_timeline(page: Page, alice: User, log_in) -> None:
    published_clip(alice, video(seconds=2))
    published_clip(alice, audio(seconds=2))
    log_in(page, alice)
    page.goto("/@alice/")
    for selector in ("audio", "video"):
        page.locator(selector).click(position={"x": 60, "y": 10})
    page.wait_for_timeout(300)
    assert page.url.endswith("/@alice/")


def test_a_file_that_cannot_be_converted_shows_an_error(composer: Page) -> None:
    page = composer
    choose(page, video()[:600])
    expect(page.locator("[data-processing]")).to_have_count(1)
    convert()
    row = page.locator("[data-pictures] > li")
    expect(row.get_by_role("alert")).to_contain_text("not a supported video")
    page.get_by_role("button", name="Remove picture").click()
    expect(row).to_have_count(0)
    publish(page)
    expect(page.get_by_role("status").first).to_contain_text("Post published.")
    assert Post.objects.get().media == []


def test_a_video_is_published_without_javascript(plain_page: Page, alice: User, log_in) -> None:
    page = plain_page
    log_in(page, alice)
    page.goto("/posts/")
    page.get_by_label("Your post").fill("Watch this")
    page.locator("summary").filter(has_text="Pictures, video").click()
    choose(page, video())
    publish(page)
    page.get_by_label("Description").fill("Bars")
    publish(page)
    expect(page.get_by_text("has not finished processing")).to_be_visible()
    expect(page.get_by_label("Your post")).to_have_value("Watch this")
    expect(page.get_by_label("Description")).to_have_value("Bars")
    convert()
    publish(page)
    assert [entry["alt"] for entry in Post.objects.get().media] == ["Bars"]
