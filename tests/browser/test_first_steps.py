"""The first steps of a new user, from sign-up to log-out."""

import re

from playwright.sync_api import Page, expect

from accounts.models import User
from accounts.services.blocks_and_mutes import block_user
from accounts.services.profiles import set_private
from tests.factories import PASSWORD, publish


def test_a_new_user_follows_reads_posts_deletes_and_logs_out(
    either_page: Page, alice: User
) -> None:
    page = either_page
    publish(alice, "Alice was here before")

    page.goto("/")
    page.get_by_role("main").get_by_role("link", name="Sign up").first.click()
    page.get_by_label("Username").fill("nora")
    page.get_by_label("Email").fill("nora@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()

    expect(page).to_have_url(re.compile(r"/welcome/$"))
    for _step in range(2):
        page.get_by_role("link", name="Skip this step").click()
    page.get_by_role("link", name="Skip and go to home").click()
    expect(page.get_by_role("heading", name="You are not following anyone yet")).to_be_visible()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Explore").click()
    page.get_by_role("link", name="People", exact=True).click()
    page.get_by_role("button", name="Follow Alice Adams").last.click()
    expect(page.get_by_role("button", name="unfollow Alice Adams")).to_be_visible()

    page.get_by_role("link", name="Home", exact=True).click()
    posts = page.locator(".post")
    expect(posts).to_have_count(1)
    expect(posts.first).to_contain_text("Alice was here before")

    page.get_by_label("Your post").fill("My first words")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("status").first).to_contain_text("Post published.")
    expect(posts).to_have_count(2)
    expect(posts.first).to_contain_text("My first words")

    posts.first.get_by_role("link", name="More options for this post").click()
    page.get_by_role("link", name="Delete", exact=True).click()
    expect(page.get_by_role("heading", name="Delete this post?")).to_be_visible()
    page.get_by_role("button", name="Delete post").click()
    expect(page.get_by_role("status").first).to_contain_text("Post deleted.")
    expect(posts).to_have_count(1)

    page.locator(".account summary").click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("link", name="Log in").first).to_be_visible()
    expect(page.get_by_role("link", name="Home", exact=True)).to_have_count(0)


def test_logging_in_redirects_to_the_requested_page(page: Page, alice: User) -> None:
    page.goto("/settings/profile/")
    page.get_by_label("Username or email").fill("alice@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page).to_have_url(re.compile(r"/settings/profile/$"))


def test_following_and_unfollowing_on_a_profile_updates_its_count(
    page: Page, alice: User, bob: User, log_in
) -> None:
    log_in(page, alice)
    page.goto("/@bob/")
    followers = page.get_by_role("link", name=re.compile("follower"))
    for action, count in (("Follow Bob Brown", "1"), ("unfollow Bob Brown", "0")):
        page.get_by_role("main").get_by_role("button", name=action).click()
        expect(followers).to_contain_text(count)


def test_the_bell_beside_following_turns_notifications_on_and_off(
    either_page: Page, alice: User, bob: User, log_in
) -> None:
    page = either_page
    log_in(page, alice)
    page.goto("/@bob/")
    bell = page.get_by_role("button", name="Notify me when Bob Brown posts")
    expect(bell).to_have_count(0)
    page.get_by_role("main").get_by_role("button", name="Follow Bob Brown").click()
    for state in ("true", "false"):
        bell.click()
        expect(bell).to_have_attribute("aria-pressed", state)
    page.get_by_role("main").get_by_role("button", name="unfollow Bob Brown").click()
    expect(bell).to_have_count(0)


def test_follow_requests_and_unblocking_update_the_whole_profile(
    page: Page, alice: User, bob: User, log_in
) -> None:
    publish(bob, "among us")
    set_private(uid=bob.pk, is_private=True)
    log_in(page, alice)
    page.goto("/@bob/")
    expect(page.get_by_text("Send a follow request to see their posts.")).to_be_visible()
    page.get_by_role("main").get_by_role("button", name="Follow Bob Brown").click()
    expect(page.get_by_text("Follow request sent.")).to_be_visible()
    block_user(owner=alice.pk, other=bob.pk)
    set_private(uid=bob.pk, is_private=False)
    page.goto("/@bob/")
    expect(page.get_by_role("heading", name="You have blocked Bob Brown")).to_be_visible()
    page.get_by_role("main").get_by_role("button", name="unblock Bob Brown").click()
    expect(page.locator(".post")).to_contain_text("among us")
