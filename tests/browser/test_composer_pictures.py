"""The composer uploads chosen files at once and shows them."""

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from accounts.models import User
from feed.models import Picture, Post
from tests.uploads import picture

from .accessibility import problems_of_open_page


@pytest.fixture
def composer(page: Page, alice: User, log_in) -> Page:
    log_in(page, alice)
    page.goto("/")
    page.get_by_label("Your post").fill("From the garden")
    page.locator("summary").filter(has_text="Pictures").click()
    return page


def files(*colors: str) -> list[dict]:
    return [
        {"name": f"{color}.png", "mimeType": "image/png", "buffer": picture(color=color)}
        for color in colors
    ]


def choose(page: Page, *colors: str) -> None:
    page.get_by_label("Add pictures").set_input_files(files(*colors))


def rows(page: Page) -> Locator:
    return page.locator("[data-pictures] > li")


def uploaded(page: Page) -> Locator:
    return page.locator("[data-pictures] > [data-picture]")


def publish(page: Page) -> None:
    page.get_by_role("button", name="Publish", exact=True).click()


def test_files_are_uploaded_described_and_published(composer: Page) -> None:
    page = composer
    choose(page, "red", "blue")
    expect(uploaded(page)).to_have_count(2)
    expect(page.locator("#announcer")).to_contain_text("Picture uploaded.")
    assert Picture.objects.count() == 2
    assert (
        rows(page)
        .first.locator("img")
        .evaluate("image => image.decode().then(() => image.naturalWidth)")
    )
    for number, text in enumerate(("Red", "Blue")):
        page.get_by_label("Description").nth(number).fill(text)
    # The button replaces the checkbox, which works without JavaScript.
    expect(page.get_by_role("checkbox", name="Remove")).to_have_count(0)
    assert problems_of_open_page(page) == []
    publish(page)
    expect(page.get_by_role("status").first).to_contain_text("Post published.")
    assert [entry["alt"] for entry in Post.objects.get().media] == ["Red", "Blue"]


def test_a_picture_is_removed(composer: Page) -> None:
    page = composer
    choose(page, "red", "blue")
    expect(uploaded(page)).to_have_count(2)
    page.get_by_label("Description").nth(1).fill("Blue")
    page.get_by_role("button", name="Remove picture").first.click()
    expect(uploaded(page)).to_have_count(1)
    expect(page.get_by_role("button", name="Remove picture")).to_be_focused()
    publish(page)
    expect(page.get_by_role("status").first).to_contain_text("Post published.")
    assert [entry["alt"] for entry in Post.objects.get().media] == ["Blue"]


def test_a_preview_is_shown_during_the_upload_and_the_form_waits(composer: Page) -> None:
    page, routes = composer, list[Route]()
    page.route("**/posts/pictures/", lambda route: routes.append(route))
    choose(page, "red")
    row = rows(page)
    expect(row.locator("img")).to_have_js_property("naturalWidth", 60)
    expect(row.get_by_role("progressbar")).to_be_visible()
    publish(page)
    expect(page.locator("#notice")).to_contain_text("when the pictures are uploaded")
    assert not Post.objects.exists()
    routes[0].continue_()
    # The form is sent by itself, and asks for a description.
    expect(page.get_by_text("Add descriptions for people")).to_be_visible()
    page.get_by_role("button", name="Publish without descriptions").click()
    expect(page.get_by_role("status").first).to_contain_text("Post published.")
    assert len(Post.objects.get().media) == 1


def test_an_upload_is_cancelled(composer: Page) -> None:
    page, routes = composer, list[Route]()

    def hold_first(route: Route) -> None:
        if routes:
            route.continue_()
        routes.append(route)

    page.route("**/posts/pictures/", hold_first)
    choose(page, "red", "blue")
    expect(rows(page)).to_have_count(2)
    page.get_by_role("button", name="Remove picture").first.click()
    expect(uploaded(page)).to_have_count(1)
    expect(rows(page)).to_have_count(1)


def test_a_bad_file_shows_an_error_in_its_row(composer: Page, complaints: list[str]) -> None:
    page = composer
    bad = {"name": "bad.png", "mimeType": "image/png", "buffer": b"nonsense"}
    page.get_by_label("Add pictures").set_input_files([bad, *files("blue")])
    expect(rows(page).first.get_by_role("alert")).to_contain_text("not a supported picture")
    expect(uploaded(page)).to_have_count(1)
    page.get_by_label("Description").fill("Blue")
    page.get_by_role("button", name="Remove picture").first.click()
    publish(page)
    expect(page.get_by_role("status").first).to_contain_text("Post published.")
    assert len(Post.objects.get().media) == 1
    complaints.clear()  # the refused upload


def test_only_four_pictures_are_taken(composer: Page) -> None:
    page = composer
    choose(page, "red", "blue", "green")
    choose(page, "white", "black")
    expect(page.locator("#notice")).to_contain_text("A post can have up to 4 pictures.")
    expect(uploaded(page)).to_have_count(4)


def test_pictures_of_a_post_are_edited(composer: Page, alice: User) -> None:
    page = composer
    choose(page, "red", "blue")
    expect(uploaded(page)).to_have_count(2)
    for number, text in enumerate(("Red", "Blue")):
        page.get_by_label("Description").nth(number).fill(text)
    publish(page)
    expect(page.get_by_role("status").first).to_contain_text("Post published.")
    post = Post.objects.get()
    page.goto(f"/posts/{post.pk}/edit/")
    page.get_by_role("button", name="Remove picture").first.click()
    page.locator("summary").filter(has_text="Pictures").click()
    choose(page, "green")
    expect(uploaded(page)).to_have_count(2)
    page.get_by_label("Description").nth(1).fill("Green")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status").first).to_contain_text("Changes saved.")
    post.refresh_from_db()
    assert [entry["alt"] for entry in post.media] == ["Blue", "Green"]


def test_pictures_are_edited_without_javascript(plain_page: Page, alice: User, log_in) -> None:
    page = plain_page
    log_in(page, alice)
    page.goto("/")
    page.get_by_label("Your post").fill("From the garden")
    page.locator("summary").filter(has_text="Pictures").click()
    choose(page, "red", "blue")
    publish(page)
    for number, text in enumerate(("Red", "Blue")):
        page.get_by_label("Description").nth(number).fill(text)
    publish(page)
    post = Post.objects.get()
    page.goto(f"/posts/{post.pk}/edit/")
    page.get_by_label("Position of picture 2").select_option("1")
    page.get_by_role("button", name="Save", exact=True).click()
    post.refresh_from_db()
    assert [entry["alt"] for entry in post.media] == ["Blue", "Red"]
    page.goto(f"/posts/{post.pk}/edit/")
    page.get_by_label("Remove").first.check()
    page.get_by_role("button", name="Save", exact=True).click()
    post.refresh_from_db()
    assert [entry["alt"] for entry in post.media] == ["Red"]
    page.goto(f"/@alice/{post.pk}/history/")
    expect(page.get_by_text("Picture removed")).to_have_count(2)
