"""Live updates of open pages."""

import re

from django.contrib.sessions.models import Session
from playwright.sync_api import Page, Request, expect

from accounts.models import User
from feed.services.conversations import mark_read
from feed.services.interactions import unlike_post
from tests.actions import add_comment, like_post
from tests.factories import follow, publish


def open_home(page: Page) -> None:
    """Open the home page and wait until it requests its stream, which only sends later events."""
    with page.expect_request(re.compile(r"/notifications/live/")):
        page.goto("/")


def test_a_like_arrives_and_the_badge_changes(page: Page, alice: User, bob: User, log_in) -> None:
    post = publish(alice)
    log_in(page, alice)
    open_home(page)
    badge = page.locator("[data-unread]").first
    expect(badge).to_be_hidden()
    like_post(post_id=post, actor=bob)
    expect(badge).to_have_text("1")
    expect(page).to_have_title(re.compile(r"^\(1\) Home"))
    expect(page.locator("#announcer")).to_have_text("1 unread notification")
    unlike_post(post_id=post, actor=bob)
    expect(badge).to_be_hidden()
    expect(page).to_have_title(re.compile(r"^Home"))


def test_a_message_arrives_and_its_number_changes(
    page: Page, alice: User, bob: User, log_in
) -> None:
    log_in(page, alice)
    open_home(page)
    number = page.locator("[data-messages]")
    expect(number).to_be_hidden()
    post = publish(bob, "@alice psst", visibility="direct")
    expect(number).to_have_text("1")
    expect(page.get_by_role("link", name="Messages 1 unread conversation").last).to_be_visible()
    mark_read(post_id=post, reader=alice.pk)
    expect(number).to_be_hidden()


def test_the_stream_ends_when_a_link_is_pressed_and_resumes_if_the_page_stays(
    page: Page, alice: User, bob: User, log_in
) -> None:
    """Firefox decides before ``pagehide`` whether it keeps the page for the back button."""
    post = publish(alice)
    log_in(page, alice)
    page.clock.install()
    open_home(page)

    def is_stream(request: Request) -> bool:
        return "/notifications/live/" in request.url

    with (
        page.expect_event("requestfailed", is_stream),
        page.expect_event("request", is_stream),
    ):
        page.get_by_role("link", name="Explore").first.dispatch_event("mousedown")
        page.clock.run_for(4_000)
    like_post(post_id=post, actor=bob)
    expect(page.locator("[data-unread]").first).to_have_text("1")


def test_new_notifications_are_counted_in_words(page: Page, alice: User, bob: User, log_in) -> None:
    post = publish(alice)
    log_in(page, alice)
    with page.expect_response(re.compile(r"/notifications/live/")):
        page.goto("/notifications/")
    like_post(post_id=post, actor=bob)
    expect(page.get_by_role("link", name="1 new notification", exact=True)).to_be_visible()
    add_comment(post_id=post, actor=bob, text="And I say")
    expect(page.get_by_role("link", name="2 new notifications", exact=True)).to_be_visible()


def test_every_tab_offers_new_posts(
    page: Page, alice: User, bob: User, carol: User, log_in
) -> None:
    follow(alice, bob)
    publish(bob, "There already")
    log_in(page, alice)
    open_home(page)
    other = page.context.new_page()
    streams: list[str] = []
    other.on(
        "request", lambda request: streams.append(request.url) if "/live/" in request.url else None
    )
    other.goto("/")
    expect(other.get_by_text("You are all caught up")).to_be_visible()
    publish(carol, "By somebody else")
    publish(bob, "Fresh")
    for tab in (page, other):
        expect(tab.get_by_role("link", name="1 new post")).to_be_visible()
    assert streams == [], "one stream is enough for a browser"
    with other.expect_request(re.compile(r"/notifications/live/")):
        page.close()
    expect(other.get_by_text("You are all caught up")).to_be_hidden()
    other.get_by_role("link", name="1 new post").click()
    expect(other.get_by_text("Fresh")).to_be_visible()
    expect(other.locator("[data-new-posts]")).to_be_hidden()


def test_a_tab_of_an_ended_session_does_not_take_the_stream_from_later_tabs(
    page: Page, alice: User, log_in, complaints: list[str]
) -> None:
    log_in(page, alice)
    page.clock.install()
    open_home(page)
    with page.expect_response(re.compile(r"/notifications/poll/")) as poll:
        Session.objects.all().delete()
    assert poll.value.status == 403
    log_in(page, alice)
    other = page.context.new_page()
    open_home(other)
    page.get_by_role("link", name="Explore").first.dispatch_event("mousedown")
    page.clock.run_for(4_000)  # by then the tab would have begun again
    open_home(other)
    assert complaints
    complaints.clear()  # the browser reports the refused requests


def test_pages_poll_every_minute_without_a_stream(
    page: Page, alice: User, bob: User, log_in
) -> None:
    post = publish(alice)
    log_in(page, alice)
    page.clock.install()
    page.route("**/notifications/live/**", lambda route: route.fulfill(status=204))
    with page.expect_response(re.compile(r"/notifications/poll/")):
        page.goto("/")
    like_post(post_id=post, actor=bob)
    page.clock.run_for(61_000)
    expect(page.locator("[data-unread]").first).to_have_text("1")


def test_a_page_opens_its_stream_again_after_the_server_refused_it(
    page: Page, alice: User, bob: User, log_in, complaints: list[str]
) -> None:
    post = publish(alice)
    log_in(page, alice)
    page.clock.install()
    page.route("**/notifications/live/**", lambda route: route.fulfill(status=503), times=1)
    with page.expect_response(re.compile(r"/notifications/poll/")):
        page.goto("/")
    with page.expect_response(re.compile(r"/notifications/live/")) as opened:
        # In steps, because a busy browser may set the timer only after some of them.
        for _ in range(40):
            page.clock.run_for(500)
    assert opened.value.status == 200
    like_post(post_id=post, actor=bob)
    expect(page.locator("[data-unread]").first).to_have_text("1")
    assert complaints
    complaints.clear()  # the browser reports the refused stream


def test_live_updates_are_hidden_without_javascript(plain_page: Page, alice: User, log_in) -> None:
    log_in(plain_page, alice)
    plain_page.goto("/")
    expect(plain_page.locator("[data-new-posts]")).to_be_hidden()
    expect(plain_page.locator("[data-unread]").first).to_be_hidden()
