"""Timelines show every post once and in order, down to the oldest post."""

import pytest
from playwright.sync_api import Locator, Page, expect

from accounts.models import User
from tests.factories import follow, publish

POSTS = 60


@pytest.fixture
def newest_first(alice: User, bob: User, carol: User) -> list[str]:
    """Publish posts that bob sees at home. Return the paths of the posts, newest first.

    Two authors publish in turn, because the timeline collapses several posts of one author.
    """
    follow(bob, alice, carol)
    authors = (alice, carol)
    posts = [
        (author, publish(author, f"Words {n}")) for n in range(POSTS) for author in [authors[n % 2]]
    ]
    return [f"/@{author.username}/{post}/" for author, post in reversed(posts)]


def addresses(page: Page) -> list[str]:
    return page.locator(".post .post-time").evaluate_all(
        "links => links.map(link => link.getAttribute('href'))"
    )


def follow_link(page: Page, link: Locator) -> None:
    """Click the link and wait until the new page has loaded. ``click`` only waits for its first bytes."""
    with page.expect_navigation():
        link.click()


def test_scrolling_loads_every_post_once_and_in_order(
    page: Page, bob: User, log_in, newest_first: list[str]
) -> None:
    log_in(page, bob)
    page.goto("/")
    assert addresses(page) == newest_first[:20]
    for seen in (40, 60):
        page.locator(".older-posts").scroll_into_view_if_needed()
        expect(page.locator(".post")).to_have_count(seen)
        expect(page.locator("#announcer")).to_have_text("More posts loaded.")
    assert addresses(page) == newest_first
    expect(page.get_by_text("You have reached the end.")).to_be_visible()


def test_links_to_older_posts_show_every_post_once_and_in_order(
    plain_page: Page, bob: User, log_in, newest_first: list[str]
) -> None:
    log_in(plain_page, bob)
    plain_page.goto("/")
    older = plain_page.get_by_role("link", name="Older posts")
    seen = addresses(plain_page)
    while older.count():
        follow_link(plain_page, older)
        seen += addresses(plain_page)
    assert seen == newest_first
    expect(plain_page.get_by_text("You have reached the end.")).to_be_visible()
    follow_link(plain_page, plain_page.get_by_role("link", name="Newer posts"))
    assert addresses(plain_page) == newest_first[20:40]


def test_clicking_the_text_of_a_post_opens_it(
    page: Page, bob: User, log_in, newest_first: list[str]
) -> None:
    log_in(page, bob)
    page.goto("/")
    page.get_by_text(f"Words {POSTS - 1}", exact=True).click()
    page.wait_for_url(f"**{newest_first[0]}")
    expect(page.get_by_role("heading", name="Post", exact=True)).to_be_visible()


def test_the_focus_moves_to_the_first_loaded_post(
    page: Page, bob: User, log_in, newest_first: list[str]
) -> None:
    log_in(page, bob)
    page.goto("/")
    page.get_by_role("link", name="Older posts").focus()
    expect(page.locator(".post")).to_have_count(40)
    focused = page.evaluate(
        "document.activeElement.closest('.post').querySelector('.post-time').getAttribute('href')"
    )
    assert focused == newest_first[20]
