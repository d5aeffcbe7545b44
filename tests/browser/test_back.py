"""The back button returns to the same post of a timeline, also if the browser did not keep the page.

The browser of these tests never keeps pages. Only ``test_a_kept_page`` needs a complete Chromium.
"""

import re
from urllib.parse import urlsplit

import pytest
from django.urls import reverse
from playwright.sync_api import Page, Playwright, expect

from accounts.models import User
from feed.services.posts import delete_post
from tests.factories import follow, publish, publish_many

from .conftest import LAUNCH_ARGUMENTS, browser_path

FIRST_VISIBLE = """() => {
  const row = [...document.querySelectorAll("#posts > li")].find(
    (row) => row.getBoundingClientRect().bottom > 0 && row.querySelector("[id^=post-]"));
  return [row.querySelector("[id^=post-]").id, Math.round(row.getBoundingClientRect().top)];
}"""
LOG_OUT = """document.querySelector('[formaction="/accounts/logout/"]').click()"""


@pytest.fixture
def posts(alice: User, bob: User, carol: User) -> list[int]:
    """Publish posts that bob sees at home. Return their ids, newest first."""
    follow(bob, alice, carol)
    return [post for n in range(110) for post in publish_many((alice, carol)[n % 2], 1)][::-1]


def scroll_to(page: Page, post: int) -> list[object]:
    """Load older posts until this post is on the page, and scroll to it. Return the position."""
    element = page.locator(f"#post-{post}")
    while not element.count():
        count = page.locator(".post").count()
        page.locator(".older-posts").scroll_into_view_if_needed()
        expect(page.locator(".post")).not_to_have_count(count)
    element.evaluate("post => scrollTo(0, post.getBoundingClientRect().top + scrollY - 150)")
    page.wait_for_function(
        "id => history.state?.position?.id && document.getElementById(history.state.position.id)"
        ".compareDocumentPosition(document.getElementById(id)) !== 2",
        arg=f"post-{post}",
    )
    position: list[object] = page.evaluate(FIRST_VISIBLE)
    return position


def open_post(page: Page, post: int) -> None:
    page.locator(f"#post-{post} .post-time").click()
    expect(page.get_by_role("heading", name="Post", exact=True)).to_be_visible()


def open_and_return(page: Page, post: int) -> list[str]:
    """Open the post and go back. Return the paths that the page requests for posts."""
    open_post(page, post)
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.go_back()
    expect(page.locator(f"#post-{post}")).to_be_in_viewport()
    expect(page.locator("#posts[aria-busy]")).to_have_count(0)
    return [url for url in requested if "max_id" in url]


def ids(page: Page) -> list[int]:
    texts = page.locator(".post").evaluate_all("posts => posts.map((post) => post.id.slice(5))")
    return [int(text) for text in texts]


def test_back_returns_to_a_post_far_below(page: Page, bob: User, log_in, posts: list[int]) -> None:
    log_in(page, bob)
    page.goto("/")
    position = scroll_to(page, posts[104])
    requested = open_and_return(page, posts[104])
    assert page.evaluate(FIRST_VISIBLE) == position
    assert 1 <= len(requested) <= 4
    # No post is missing, and the list goes on in both directions.
    shown = ids(page)
    start = posts.index(shown[0])
    assert shown == posts[start : start + len(shown)]
    expect(page.get_by_role("link", name="Newer posts")).to_have_count(1)
    page.locator(".older-posts, .timeline-end").scroll_into_view_if_needed()
    expect(page.get_by_text("You have reached the end.")).to_be_visible()
    assert ids(page) == posts[start:]


def test_back_restores_the_whole_list_if_it_is_short(
    page: Page, bob: User, log_in, posts: list[int]
) -> None:
    log_in(page, bob)
    page.goto("/")
    position = scroll_to(page, posts[50])
    open_and_return(page, posts[50])
    assert page.evaluate(FIRST_VISIBLE) == position
    assert ids(page)[:50] == posts[:50]
    position = scroll_to(page, posts[70])  # and again
    open_and_return(page, posts[70])
    assert page.evaluate(FIRST_VISIBLE) == position


def test_new_and_deleted_posts_leave_no_gap(
    page: Page, alice: User, bob: User, carol: User, log_in, posts: list[int]
) -> None:
    log_in(page, bob)
    page.goto("/")
    scroll_to(page, posts[50])
    open_post(page, posts[50])
    publish(alice, "A new post")
    for post in posts[46:50]:
        delete_post(post_id=post, actor=alice if posts.index(post) % 2 else carol)
    page.go_back()
    expect(page.locator(f"#post-{posts[51]}")).to_be_in_viewport()
    shown = [post for post in ids(page) if post in posts]
    start = posts.index(shown[0])
    assert set(shown) >= set(posts[start : start + len(shown)]) - set(posts[46:50])


def test_a_reloaded_page_starts_with_the_newest_posts(
    page: Page, bob: User, log_in, posts: list[int]
) -> None:
    log_in(page, bob)
    page.goto("/")
    scroll_to(page, posts[50])
    page.reload()
    assert ids(page)[:20] == posts[:20]
    assert page.evaluate("history.state?.position ?? null") is None


def test_without_the_server_the_first_page_stays(
    page: Page, bob: User, log_in, posts: list[int]
) -> None:
    log_in(page, bob)
    page.goto("/")
    scroll_to(page, posts[50])
    open_post(page, posts[50])
    page.route("**/?max_id=*", lambda route: route.abort())
    page.go_back()
    expect(page.locator("#posts[aria-busy]")).to_have_count(0)
    assert ids(page)[:20] == posts[:20]


def test_a_page_that_is_left_holds_nothing_open(page: Page, bob: User, log_in) -> None:
    log_in(page, bob)
    page.goto("/")
    lock_count = "navigator.locks.query().then(({ held }) => held.length)"
    page.wait_for_function("navigator.locks.query().then(({ held }) => held.length === 1)")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    page.wait_for_function("navigator.locks.query().then(({ held }) => held.length === 0)")
    other = page.context.new_page()
    other.goto("/public/")
    other.evaluate(
        "new BroadcastChannel('live').postMessage({ name: 'unread', data: { count: 7, text: 'Seven' } })"
    )
    expect(other.locator("#announcer")).to_have_text("Seven")
    expect(page.locator("#announcer")).not_to_have_text("Seven")
    other.close()
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    page.wait_for_function("navigator.locks.query().then(({ held }) => held.length === 1)")
    assert page.evaluate(lock_count) == 1


def test_a_kept_page_is_hidden_after_log_out(page: Page, bob: User, log_in) -> None:
    log_in(page, bob)
    page.add_init_script("""
      window.streams = [];
      window.EventSource = class extends EventSource {
        constructor(...all) { super(...all); streams.push(this); }
      };
    """)
    with page.expect_response(re.compile(r"/notifications/live/")):
        page.goto("/bookmarks/")
    requested: list[str] = []
    page.on("request", lambda request: requested.append(urlsplit(request.url).path))
    page.evaluate("localStorage.setItem('logged-out', String(Date.now() + 1000))")
    page.context.clear_cookies()
    is_hidden, are_closed = page.evaluate(
        """() => {
          dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
          return [document.body.hidden, streams.map(({ readyState }) => readyState === EventSource.CLOSED)];
        }"""
    )
    assert is_hidden
    # A request for updates would reload the page a second time. An open stream that fails sends one.
    assert are_closed == [True]
    page.wait_for_url("**/accounts/login/**")
    assert reverse("live_poll") not in requested


def test_a_kept_page_is_reloaded_if_the_session_has_ended(
    page: Page, bob: User, log_in, complaints: list[str]
) -> None:
    log_in(page, bob)
    page.goto("/bookmarks/")
    page.context.clear_cookies()
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    page.wait_for_url("**/accounts/login/**")
    complaints.clear()  # the page asked the server for updates


def test_a_kept_page(
    playwright: Playwright, clean_site: None, base_url: str, bob: User, log_in, posts: list[int]
) -> None:
    browser = playwright.chromium.launch(
        executable_path=browser_path("chromium", "google-chrome"),
        args=LAUNCH_ARGUMENTS,
        ignore_default_args=["--disable-back-forward-cache"],
    )
    page = browser.new_context(base_url=base_url).new_page()
    log_in(page, bob)
    page.goto("/")
    position = scroll_to(page, posts[50])
    page.evaluate("window.isKept = true")
    open_post(page, posts[50])
    page.evaluate("history.back()")
    expect(page.locator(f"#post-{posts[50]}")).to_be_in_viewport()
    assert page.evaluate("window.isKept")
    assert page.evaluate(FIRST_VISIBLE) == position
    # After a log-out, the page is neither kept nor in the cache of the browser.
    open_post(page, posts[50])
    page.evaluate(LOG_OUT)
    expect(page.get_by_role("link", name="Log in").first).to_be_visible()
    page.evaluate("history.go(-2)")
    # ``wait_for_function`` would evaluate text, which the policy of the page forbids after the first try.
    expect(page).to_have_url(f"{base_url}/")
    page.wait_for_load_state()
    expect(page.get_by_role("link", name="Log in").first).to_be_visible()
    expect(page.locator(f"#post-{posts[50]}")).to_have_count(0)
    browser.close()
