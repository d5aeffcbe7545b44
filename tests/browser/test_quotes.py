"""Quotes in the browser."""

import re

from playwright.sync_api import Page, expect

from accounts.models import User
from tests.factories import publish
from tests.feed.comment_helpers import say
from tests.feed.quote_helpers import number, quote


def test_a_post_is_quoted_from_its_menu(page: Page, alice: User, bob: User, log_in) -> None:
    post = publish(bob, "Rain in Bonn")
    log_in(page, alice)
    page.goto(f"/@bob/{post}/")
    page.get_by_role("link", name="More options for this post").click()
    page.get_by_role("link", name="Quote", exact=True).click()
    expect(page).to_have_url(re.compile(r"/posts/\?quote="))
    expect(page.get_by_text("Rain in Bonn")).to_be_visible()
    page.get_by_label("Your post").fill("Here, too")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Here, too")).to_be_visible()
    expect(page.get_by_text("Rain in Bonn")).to_be_visible()
    assert number(post) == 1


def test_a_text_stays_in_the_form_it_was_written_in(
    page: Page, alice: User, bob: User, log_in
) -> None:
    first, second = publish(bob, "Rain in Bonn"), publish(bob, "Sun in Bonn")
    comment = say(first, bob, "And wind")
    texts = {
        "/posts/": "a post",
        f"/posts/?quote={first}": "the quote of a post",
        f"/posts/?quote={second}": "the quote of another post",
        f"/@bob/{first}/": "a comment",
        f"/@bob/{first}/comments/{comment}/": "a reply to a comment",
        "/messages/new/?to=bob": "@bob a message",
    }
    log_in(page, alice)
    for path, text in texts.items():
        page.goto(path)
        area = page.locator("main textarea[name=text]")
        expect(area).to_have_value("@bob " if path.startswith("/messages") else "")
        area.fill(text)
    for path, text in texts.items():
        page.goto(path)
        expect(page.locator("main textarea[name=text]")).to_have_value(text)
        expect(page.locator("#notice")).to_have_text("Draft restored.")
    page.goto(f"/posts/?quote={first}")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Post published.")).to_be_visible()
    expect(page.locator("main textarea[name=text]")).to_have_value("a post")
    page.goto(f"/posts/?quote={first}")
    expect(page.locator("main textarea[name=text]")).to_have_value("")


def test_the_quoted_author_removes_the_post(page: Page, alice: User, bob: User, log_in) -> None:
    post = publish(bob, "Rain in Bonn")
    quote(post, alice, "Here, too")
    log_in(page, bob)
    page.goto("/notifications/")
    page.get_by_text("More options for this notification").locator("..").click()
    page.get_by_role("link", name="Remove my post from this quote").click()
    page.get_by_role("button", name="Remove my post", exact=True).click()
    expect(page.get_by_text("The author removed the quoted post from here.")).to_be_visible()
    expect(page.get_by_text("Here, too")).to_be_visible()
    expect(page.get_by_text("Rain in Bonn")).to_have_count(0)
    assert number(post) == 0
