"""Polls in the browser: vote with and without JavaScript."""

import re

from playwright.sync_api import Page, expect

from accounts.models import User
from tests.actions import vote
from tests.feed.poll_helpers import publish_poll, stored_poll


def test_a_poll_is_published_and_voted_in(page: Page, alice: User, bob: User, log_in) -> None:
    poll = publish_poll(bob, "Tea", "Coffee", "Water", is_multiple=True)
    log_in(page, alice)
    page.goto("/public/")
    page.get_by_role("checkbox", name="Tea").check()
    page.get_by_text("Water", exact=True).first.click()
    expect(page).to_have_url(re.compile("/public/"))
    page.get_by_role("button", name="Vote", exact=True).click()
    expect(page.get_by_text("1 person voted")).to_be_visible()
    expect(page.get_by_text("Your vote", exact=True)).to_have_count(2)
    expect(page.get_by_role("button", name="Vote", exact=True)).to_have_count(0)
    expect(page).to_have_url(re.compile("/public/"))
    assert stored_poll(poll) == ([1, 0, 1], 1)


def test_a_poll_is_written(page: Page, alice: User, log_in) -> None:
    log_in(page, alice)
    page.goto("/posts/?kind=poll")
    page.get_by_label("Your post").fill("Which way?")
    page.get_by_label("Choice 1").fill("Left")
    page.get_by_label("Choice 2").fill("Right")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Which way?")).to_be_visible()
    expect(page.get_by_text("0 people voted")).to_be_visible()


def test_the_choices_of_a_poll_are_edited(page: Page, alice: User, bob: User, log_in) -> None:
    poll = publish_poll(alice, "Tea", "Coffee")
    vote(poll, bob, 0)
    log_in(page, alice)
    page.goto(f"/posts/{poll}/edit/")
    expect(page.get_by_text("deletes all votes")).to_be_visible()
    page.get_by_label("Choice 3").fill("Water")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("0 people voted")).to_be_visible()
    page.goto(f"/@alice/{poll}/history/")
    expect(page.get_by_text("Water", exact=True)).to_have_count(1)
    assert stored_poll(poll) == ([0, 0, 0], 0)


def test_the_results_on_the_page_of_a_post_are_live(
    page: Page, alice: User, bob: User, carol: User, log_in
) -> None:
    poll = publish_poll(bob, "Tea", "Coffee")
    log_in(page, alice)
    page.clock.install()
    page.goto(f"/@bob/{poll}/")
    page.get_by_role("radio", name="Tea").check()
    page.get_by_role("button", name="Vote", exact=True).click()
    expect(page.get_by_text("1 person voted")).to_be_visible()
    vote(poll, carol, 1)
    page.clock.run_for(11_000)
    expect(page.get_by_text("2 people voted")).to_be_visible()
    expect(page.get_by_text("Your vote", exact=True)).to_have_count(1)
