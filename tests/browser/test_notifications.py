"""Notifications in the browser: live updates, groups, reading and dismissing."""

import re

from playwright.sync_api import Page, expect

from accounts.models import User
from accounts.services.profiles import set_private
from notifications.store.boxes import unread_counts
from tests.actions import like_post
from tests.factories import follow, people, publish


def like(post: int, *actors: User) -> None:
    for actor in actors:
        like_post(post_id=post, actor=actor)


def test_a_like_arrives_its_group_opens_and_seen_notifications_become_read(
    page: Page, alice: User, bob: User, carol: User, log_in
) -> None:
    post = publish(alice, "About cats")
    for other in people(12):  # more notifications than fit on the screen
        publish(other, "@alice hello")
    like(post, bob)
    log_in(page, alice)
    with page.expect_request(re.compile(r"/notifications/live/")):
        page.goto("/")
    badge = page.locator("[data-unread]").first
    expect(badge).to_have_text("13")
    like(post, carol)
    expect(badge).to_have_text("14")
    page.get_by_role("link", name=re.compile("^Notifications")).first.click()
    likes = page.get_by_role("article").filter(has_text="liked your post")
    expect(likes).to_contain_text("Carol Clark and Bob Brown liked your post")
    likes.get_by_text("Show everyone").click()
    expect(likes.get_by_text("@bob")).to_be_visible()
    expect(badge).to_be_hidden()  # notifications on the screen become read
    assert unread_counts(recipient=alice.pk).notifications == 0
    page.reload()
    likes.locator("summary").first.click()
    likes.get_by_role("button", name="Mark as unread").click()
    expect(badge).to_have_text("2")
    with page.expect_response("**/notifications/seen/"):
        page.reload()
    expect(badge).to_have_text("2")


def test_notifications_are_read_dismissed_and_restored(
    plain_page: Page, alice: User, bob: User, log_in
) -> None:
    page = plain_page
    follow(bob, alice)
    like(publish(alice), bob)
    log_in(page, alice)
    page.goto("/notifications/")
    badge = page.locator("[data-unread]").first
    expect(badge).to_have_text("2")
    page.get_by_role("button", name="Mark these as read").click()
    expect(badge).to_be_hidden()
    follower = page.get_by_role("article").filter(has_text="follows you")
    follower.locator("summary").click()
    follower.get_by_role("button", name="Dismiss").click()
    expect(follower).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(follower).to_have_count(1)
    page.get_by_role("button", name="Clear all").click()
    expect(page.get_by_role("heading", name="No new notifications")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(follower).to_have_count(1)


def test_a_follow_request_is_accepted_in_its_notification(
    page: Page, alice: User, bob: User, log_in
) -> None:
    set_private(uid=alice.pk, is_private=True)
    follow(bob, alice)
    log_in(page, alice)
    page.goto("/notifications/")
    page.get_by_role("button", name="Accept Bob Brown").click()
    expect(page.get_by_text("Bob Brown follows you")).to_be_visible()
    expect(page.get_by_role("button", name="Accept")).to_have_count(0)
