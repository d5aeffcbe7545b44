"""Search in the browser."""

from playwright.sync_api import Page, expect

from accounts.models import User
from tests.factories import follow, publish


def test_users_search_and_follow_a_hashtag(
    page: Page, alice: User, bob: User, carol: User, log_in
) -> None:
    follow(alice, bob)
    follow(bob, carol)
    for author in (bob, carol):
        publish(author, "A walk with #Dogs")
    log_in(page, alice)
    page.goto("/public/")
    page.get_by_role("searchbox").fill("carol")
    page.get_by_role("searchbox").press("Enter")
    main = page.get_by_role("main")
    expect(main.get_by_role("article", name="Carol Clark")).to_be_visible()
    main.get_by_role("searchbox").fill("walk")
    main.get_by_role("button", name="Search").click()
    expect(main.locator(".post")).to_have_count(2)
    main.locator(".post").first.get_by_role("link", name="#Dogs").click()
    expect(main.get_by_role("heading", name="#dogs")).to_be_visible()
    main.get_by_role("button", name="Follow #dogs").click()
    expect(main.get_by_role("button", name="Unfollow #dogs")).to_be_visible()
    main.get_by_role("link", name="Back").click()
    expect(main.get_by_role("listitem").filter(has_text="2 people today")).to_be_visible()
    expect(main.get_by_role("button", name="Unfollow #dogs")).to_be_visible()
