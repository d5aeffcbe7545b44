"""Views of posts are counted when they scroll into view, by a server that writes them by itself."""

import time

from playwright.sync_api import Page, expect

from accounts.models import User
from feed.store.collections import stat_hours
from tests.factories import publish

from .conftest import NewContext

BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150 Safari/537.36"
"""A headless browser says that it is one, and counts as a crawler."""


def viewed(page: Page, posts: list[int], *, number: int) -> set[int]:
    """Wait until so many of these posts have been viewed, once each; return which."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        rows = stat_hours().find({"metric": "views", "subject": {"$in": posts}})
        counts = {row["subject"]: row["total"] for row in rows}
        if len(counts) >= number:
            break
        page.wait_for_timeout(100)  # not a sleep: requests of the page go through this process
    assert set(counts.values()) <= {1}
    return set(counts)


def test_what_scrolls_into_view_is_counted_and_nothing_else(
    new_context: NewContext, alice: User, bob: User
) -> None:
    page = new_context(user_agent=BROWSER).new_page()
    # Of two people by turns: several posts of one person would be folded.
    authors = [alice, bob] * 6
    posts = [publish(author, f"number {n}\n" + "line\n" * 12) for n, author in enumerate(authors)]
    page.goto("/public/")
    newest = page.get_by_role("article").first
    expect(newest).to_contain_text("number 11")
    assert posts[11] in viewed(page, posts, number=1)
    assert posts[0] not in viewed(page, posts, number=1)
    oldest = page.get_by_role("article").filter(has_text="number 0")
    oldest.scroll_into_view_if_needed()
    deadline = time.monotonic() + 20
    while posts[0] not in (seen := viewed(page, posts, number=2)):
        assert time.monotonic() < deadline
        page.wait_for_timeout(100)
    assert len(seen) < 12, "posts that were passed in a jump have not been seen"


def test_without_javascript_the_whole_page_counts(new_context: NewContext, alice: User) -> None:
    page: Page = new_context(user_agent=BROWSER, java_script_enabled=False).new_page()
    posts = [publish(alice, f"number {n}\n" + "line\n" * 12) for n in range(6)]
    page.goto("/public/")
    assert viewed(page, posts, number=6) == set(posts)
    page.reload()
    page.wait_for_timeout(500)
    assert viewed(page, posts, number=6) == set(posts)
