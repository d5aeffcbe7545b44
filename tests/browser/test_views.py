"""A post gets a view when it scrolls into view. The server writes the numbers of views periodically."""

import time
from collections.abc import Callable

from playwright.sync_api import Page, expect

from accounts.models import User
from feed.store.collections import stat_hours
from tests.factories import follow, publish, publish_many

from .conftest import NewContext

USER_AGENT = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/150 Safari/537.36"
)
"""The user agent of a normal browser, because headless browsers count as crawlers."""

TIMERS = """(() => {
  const timeout = setTimeout;
  self.seen = [];
  window.setTimeout = (run, delay, ...rest) => {
    if (delay === 10_000) return SEND_DELAY === null ? 0 : timeout(run, SEND_DELAY, ...rest);
    if (delay !== 1_000) return timeout(run, delay, ...rest);
    return timeout((post) => { run(post); seen.push(post.id); }, VIEW_DELAY, ...rest);
  };
})()"""
"""Replaces the delays of the page: until a visible post counts as viewed, and until views are sent."""


def set_timers(page: Page, *, view_milliseconds: int, send_milliseconds: int | None) -> None:
    """Set the timers of all later pages. Without ``send_milliseconds``, no timer sends views."""
    send = "null" if send_milliseconds is None else f"{send_milliseconds}"
    script = TIMERS.replace("SEND_DELAY", send).replace("VIEW_DELAY", f"{view_milliseconds}")
    page.add_init_script(script)


def wait_until_seen(page: Page, post: int) -> None:
    """Wait until the page has noted a view of the post, which it has not sent yet."""
    page.wait_for_function("id => seen.includes(id)", arg=f"post-{post}")


def wait_for_views(page: Page, posts: list[int], *, number: int) -> set[int]:
    """Wait until at least ``number`` of these posts have a view. Return the ids of the viewed posts.

    Assert that no post has more than one view.
    """
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        rows = stat_hours().find({"metric": "views", "subject": {"$in": posts}})
        counts = {row["subject"]: row["total"] for row in rows}
        if len(counts) >= number:
            break
        # ``time.sleep`` would block this process, which must keep forwarding the page's requests.
        page.wait_for_timeout(100)
    assert set(counts.values()) <= {1}
    return set(counts)


def test_only_posts_that_scroll_into_view_are_counted(
    new_context: NewContext, alice: User, bob: User
) -> None:
    page = new_context(user_agent=USER_AGENT).new_page()
    set_timers(page, view_milliseconds=1_000, send_milliseconds=300)
    # Two authors publish in turn, because the timeline collapses several posts of one author.
    authors = [alice, bob] * 6
    posts = [publish(author, f"number {n}\n" + "line\n" * 12) for n, author in enumerate(authors)]
    page.goto("/public/")
    newest = page.get_by_role("article").first
    expect(newest).to_contain_text("number 11")
    assert posts[11] in wait_for_views(page, posts, number=1)
    assert posts[0] not in wait_for_views(page, posts, number=1)
    oldest = page.get_by_role("article").filter(has_text="number 0")
    oldest.scroll_into_view_if_needed()
    deadline = time.monotonic() + 20
    while posts[0] not in (seen := wait_for_views(page, posts, number=2)):
        assert time.monotonic() < deadline
        page.wait_for_timeout(100)
    assert len(seen) < 12, "skipped posts have not been seen"


def test_views_of_a_user_are_sent_without_cookies(
    new_context: NewContext, alice: User, bob: User, log_in: Callable[[Page, User], None]
) -> None:
    follow(bob, alice)
    page = new_context(user_agent=USER_AGENT).new_page()
    set_timers(page, view_milliseconds=50, send_milliseconds=None)
    log_in(page, bob)
    post = publish(alice)
    page.goto("/")
    wait_until_seen(page, post)
    with page.expect_request("**/views/") as sent:
        page.evaluate("dispatchEvent(new Event('pagehide'))")
    assert "cookie" not in sent.value.all_headers()
    assert wait_for_views(page, [post], number=1) == {post}
    page.goto(f"/@alice/{post}/")
    page.wait_for_timeout(500)  # the server would have written a second view by then
    assert wait_for_views(page, [post], number=1) == {post}, "the same viewer does not count again"


def test_views_of_several_parts_of_a_page_are_sent_at_once(
    new_context: NewContext, alice: User, bob: User, log_in: Callable[[Page, User], None]
) -> None:
    page = new_context(user_agent=USER_AGENT).new_page()
    log_in(page, bob)
    posts = publish_many(alice, 25)
    # A timer could send the first part alone.
    set_timers(page, view_milliseconds=50, send_milliseconds=None)
    sent = []
    page.on("request", lambda request: sent.append(request) if "/views/" in request.url else None)
    page.goto("/@alice/")
    wait_until_seen(page, posts[24])
    page.locator(".older-posts").scroll_into_view_if_needed()
    page.locator(f"#post-{posts[0]}").scroll_into_view_if_needed()
    wait_until_seen(page, posts[0])
    assert sent == []
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    assert {posts[0], posts[24]} <= wait_for_views(page, posts, number=2)
    (request,) = sent
    assert request.post_data.count("page=") == 2


def test_views_count_when_the_page_is_left_or_more_posts_are_loaded(
    new_context: NewContext, alice: User, bob: User, log_in: Callable[[Page, User], None]
) -> None:
    follow(bob, alice)
    page = new_context(user_agent=USER_AGENT).new_page()
    log_in(page, bob)
    set_timers(page, view_milliseconds=50, send_milliseconds=None)
    posts = publish_many(alice, 25)
    page.goto("/@alice/")
    page.locator(".older-posts").scroll_into_view_if_needed()
    oldest = page.locator(f"#post-{posts[0]}")
    oldest.scroll_into_view_if_needed()
    wait_until_seen(page, posts[0])
    page.goto("/settings/")
    assert wait_for_views(page, [posts[0]], number=1) == {posts[0]}


def test_without_javascript_all_posts_of_the_page_are_counted(
    new_context: NewContext, alice: User
) -> None:
    page: Page = new_context(user_agent=USER_AGENT, java_script_enabled=False).new_page()
    posts = [publish(alice, f"number {n}\n" + "line\n" * 12) for n in range(6)]
    page.goto("/public/")
    assert wait_for_views(page, posts, number=6) == set(posts)
    page.reload()
    page.wait_for_timeout(500)
    assert wait_for_views(page, posts, number=6) == set(posts)
