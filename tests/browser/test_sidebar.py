"""The sidebar with people and hashtags, which a script loads beside the page."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from accounts.models import User
from tests.factories import follow, publish

from .conftest import NewContext


def test_a_browser_loads_the_sidebar_again_only_after_a_change(
    new_context: NewContext,
    alice: User,
    bob: User,
    carol: User,
    log_in: Callable[[Page, User], None],
) -> None:
    follow(alice, bob)
    follow(bob, carol)
    publish(carol)
    page = new_context().new_page()
    log_in(page, alice)
    is_from_cache: list[bool] = []
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.on(
        "Network.responseReceived",
        lambda event: (
            is_from_cache.append(event["response"]["fromDiskCache"])
            if "/beside/" in event["response"]["url"]
            else None
        ),
    )
    suggestion = page.locator("#suggested-title").locator("..").get_by_role("link", name="Carol")
    for address in ("/notifications/", "/bookmarks/", "/notifications/"):
        page.goto(address)
        expect(suggestion.first).to_be_visible()
    assert is_from_cache == [False, True, True]
    with page.expect_response("**/beside/**"):
        page.goto("/@carol/")
    page.get_by_role("main").get_by_role("button", name="Follow Carol").first.click()
    expect(page.get_by_role("button", name="Following").first).to_be_visible()
    loaded_before = len(is_from_cache)
    page.goto("/notifications/")
    while len(is_from_cache) == loaded_before:
        page.wait_for_timeout(20)
    expect(suggestion).to_have_count(0)
    assert is_from_cache[-1] is False
