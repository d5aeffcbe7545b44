"""Pages in Arabic (from right to left), in German (long words), and with long names."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from accounts.models import User
from tests.actions import like_post, publish_post
from tests.factories import UserFactory, publish
from tests.feed.comment_helpers import say

from .accessibility import touch_problems_of_open_page
from .conftest import PHONE, NewContext

FIND_LEFT_EDGES = """(element, parts) => {
  const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const places = [];
  while (nodes.nextNode()) {
    for (let at = 0; at < nodes.currentNode.length; at += 1) places.push([nodes.currentNode, at]);
  }
  const text = element.textContent;
  return parts.map((part) => {
    const [node, at] = places[text.indexOf(part)];
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    return range.getBoundingClientRect().left;
  });
}"""


def is_in_this_order(element: Locator, *parts: str) -> bool:
    """Return whether the first letters of these parts of a text are drawn from left to right."""
    edges: list[float] = element.evaluate(FIND_LEFT_EDGES, list(parts))
    return edges == sorted(edges) and len(set(edges)) == len(edges)


def arabic_page(new_context: NewContext) -> Page:
    return new_context(locale="ar").new_page()


def test_names_and_texts_from_left_to_right_stay_together_in_arabic(
    new_context: NewContext, alice: User, bob: User, log_in
) -> None:
    conversation = publish_post(author=bob.pk, text="@alice hello", visibility="direct")
    say(conversation, alice, "Rain in Bonn.")
    post = publish(bob, "Sun in Bonn.")
    say(post, alice, "A comment")
    page = arabic_page(new_context)
    log_in(page, alice)
    page.goto("/messages/")
    assert is_in_this_order(page.locator(".excerpt"), "R", "B", ".")
    page.goto(f"/messages/{conversation}/")
    assert is_in_this_order(page.locator(".message-audience").first, "@", "bob")
    page.goto("/@alice/comments/")
    assert is_in_this_order(page.locator(".comment-source", has_text="Sun"), "Sun", "Bonn", ".")


def test_keys_are_read_in_the_order_of_typing_in_arabic(
    new_context: NewContext, alice: User, log_in
) -> None:
    page = arabic_page(new_context)
    log_in(page, alice)
    page.goto("/shortcuts/")
    assert is_in_this_order(page.locator(".shortcuts dd", has_text="h"), "h", "g")
    page.goto("/posts/")
    assert is_in_this_order(page.locator(".hint > span"), "Enter", "Ctrl")


def test_an_empty_field_and_a_number_below_zero_are_readable_in_arabic(
    new_context: NewContext, alice: User, log_in
) -> None:
    page = arabic_page(new_context)
    log_in(page, alice)
    page.goto("/posts/")
    area = page.locator("textarea[name=text]")
    expect(area).to_have_css("direction", "rtl")
    area.fill("x" * 520)
    expect(area).to_have_css("direction", "ltr")
    assert is_in_this_order(page.locator(".counter-left"), "-", "2", "0")


def test_the_bar_of_unread_things_is_at_the_beginning_of_the_line(
    new_context: NewContext, alice: User, bob: User, log_in
) -> None:
    like_post(post_id=publish(alice), actor=bob)
    for locale, width in (("en-GB", "3px"), ("ar", "-3px")):
        page = new_context(locale=locale).new_page()
        log_in(page, alice)
        page.goto("/notifications/")
        expect(page.locator(".unread")).to_have_css(
            "box-shadow", re.compile(f" {width} 0px 0px 0px inset")
        )


@pytest.mark.parametrize("path", ["/insights/", "/admin/"])
def test_the_dates_below_a_chart_are_inside_of_it(
    new_context: NewContext, alice: User, log_in, path: str
) -> None:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    for locale, direction, device in (
        ("en-GB", "ltr", {}),
        ("ar", "rtl", {}),
        ("ar", "rtl", PHONE),
    ):
        page = new_context(**device, locale=locale).new_page()
        log_in(page, alice)
        page.goto(path)
        expect(page.locator("html")).to_have_attribute("dir", direction)
        chart = page.locator(".chart").first
        area, dates = chart.bounding_box(), chart.locator("text").all()
        assert area is not None
        assert len(dates) == 2
        for date in dates:
            box = date.bounding_box()
            assert box is not None
            assert box["x"] >= area["x"] - 1, locale
            assert box["x"] + box["width"] <= area["x"] + area["width"] + 1


def test_the_account_menu_fits_on_a_phone(
    new_context: NewContext, alice: User, bob: User, log_in
) -> None:
    for text in ("@alice hello", "@alice hello again"):
        publish_post(author=bob.pk, text=text, visibility="direct")
    for locale in ("de", "ar", "fr"):
        page = new_context(**PHONE, locale=locale).new_page()
        log_in(page, alice)
        page.goto("/")
        page.locator(".account > summary").tap()
        menu = page.locator(".account .menu-body")
        expect(menu).to_be_visible()
        box = menu.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["y"] + box["height"] <= 844
        is_cut = "item => item.clientWidth && item.scrollWidth > item.clientWidth + 1"
        texts = menu.locator("a, button, span").all()
        assert [text.inner_text() for text in texts if text.evaluate(is_cut)] == []


def test_a_comment_on_a_post_by_somebody_with_a_long_name_fits_on_a_phone(
    new_context: NewContext, alice: User, log_in
) -> None:
    author = UserFactory(username="a_very_long_user_name_30_chars", display_name="W" * 30)
    say(publish(author, "Hello"), alice, "A comment")
    page = new_context(**PHONE).new_page()
    log_in(page, alice)
    page.goto("/@alice/comments/")
    expect(page.locator(".comment-source")).to_be_visible()
    assert touch_problems_of_open_page(page) == []
