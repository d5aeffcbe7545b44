"""Replies below comments, the error message without a connection, and the number of likes."""

import re

from playwright.sync_api import Page, expect

from accounts.models import User
from feed.models import Post
from feed.selectors.comments import PAGE_SIZE
from tests.actions import like_post, publish_post
from tests.factories import follow, publish
from tests.feed.comment_helpers import say


def test_a_reply_is_written_and_published_under_its_comment(
    page: Page, alice: User, bob: User, log_in
) -> None:
    post = publish(bob, "Hello")
    say(post, bob, "the first comment")
    log_in(page, alice)
    page.goto(f"/@bob/{post}/")
    address = page.url
    comment = page.get_by_role("article").filter(has_text="the first comment").last
    comment.get_by_role("link", name="Reply").focus()
    page.keyboard.press("Enter")
    box = page.locator("[data-replies] textarea")
    expect(box).to_be_focused()
    page.keyboard.type("x" * 501)
    page.keyboard.press("Control+Enter")
    box.fill("a reply to it")
    page.locator("[data-replies]").get_by_role("button", name="Comment").click()
    expect(page.locator(".replies")).to_contain_text("a reply to it")
    expect(box).to_have_count(0)
    expect(page.get_by_role("heading", name="2 comments")).to_be_visible()
    expect(page.locator("#announcer")).to_have_text("Reply published.")
    assert page.url == address
    assert Post.objects.get().comments == 2
    page.reload()
    expect(page.locator(".replies")).to_contain_text("a reply to it")


def reply_in_place(page: Page, to: str, text: str) -> None:
    comment = page.locator("article.comment").filter(has_text=to)
    comment.get_by_role("link", name="Reply").click()
    page.locator("[data-replies] textarea").fill(text)
    page.locator("[data-replies]").get_by_role("button", name=re.compile("Comment|Send")).click()
    published = page.locator("article.comment").filter(has_text=text)
    expect(published.locator("a.author")).to_be_focused()
    expect(published).to_be_in_viewport()


def indented_texts(page: Page) -> list[list[int | str]]:
    """Return the start and the text of each comment, in order."""
    texts: list[list[int | str]] = page.locator("article.comment").evaluate_all(
        "all => all.map(article => [Math.round(article.getBoundingClientRect().left),"
        " article.querySelector('.post-text').innerText.trim()])"
    )
    return texts


def test_a_reply_appears_where_it_is_after_a_reload(
    page: Page, alice: User, bob: User, log_in
) -> None:
    post = publish(bob, "Hello")
    first = say(post, bob, "the first comment")
    for text in ("an older reply", "another older reply"):
        say(post, bob, text, parent=first)
    say(post, bob, "the second comment")
    log_in(page, alice)
    page.goto(f"/@bob/{post}/")
    reply_in_place(page, "the first comment", "my newest reply")
    reply_in_place(page, "the second comment", "my first reply here")
    expect(page.locator("#comments-title")).to_have_text("6 comments")
    shown = indented_texts(page)
    page.reload()
    assert shown == indented_texts(page)
    assert [text for _, text in shown] == [
        "the first comment",
        "an older reply",
        "another older reply",
        "my newest reply",
        "the second comment",
        "my first reply here",
    ]
    expect(page.locator("#comments-title")).to_have_text("6 comments")


def test_a_reply_in_a_thread_is_the_last_one_and_shown_once(
    page: Page, alice: User, bob: User, log_in
) -> None:
    post = publish(bob, "Hello")
    root = say(post, bob, "the first comment")
    log_in(page, alice)
    page.goto(f"/@bob/{post}/comments/{root}/")
    expect(page.get_by_text("No replies yet.")).to_be_visible()
    reply_in_place(page, "the first comment", "reply 0")
    expect(page.get_by_text("No replies yet.")).to_have_count(0)
    for number in range(1, PAGE_SIZE + 1):
        say(post, bob, f"reply {number}", parent=root)
    page.reload()
    reply_in_place(page, "reply 3", "the newest reply")
    page.get_by_role("link", name="Later comments").click()
    expect(page.get_by_text(f"reply {PAGE_SIZE}")).to_be_visible()
    expected = [f"reply {number}" for number in range(PAGE_SIZE + 1)]
    newest = "Replying to Bob Brown the newest reply"
    assert [text for _, text in indented_texts(page)] == ["the first comment", *expected, newest]


def test_a_reply_to_a_message_is_the_last_message(
    page: Page, alice: User, bob: User, log_in
) -> None:
    post = publish_post(author=bob.pk, text="@alice hello", visibility="direct")
    for text in ("the first message", "the second message"):
        say(post, bob, text)
    log_in(page, alice)
    page.goto(f"/messages/{post}/")
    reply_in_place(page, "the first message", "my answer")
    expect(page.locator("#comments [data-post] a.action .count")).to_have_text("3")
    shown = indented_texts(page)
    assert [text for _, text in shown][-1] == "my answer"
    page.reload()
    assert shown == indented_texts(page)


def test_a_reply_without_javascript_uses_a_page(
    new_context, alice: User, bob: User, log_in
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    post = publish(bob, "Hello")
    say(post, bob, "the first comment")
    log_in(page, alice)
    page.goto(f"/@bob/{post}/")
    page.get_by_role("link", name="Reply").click()
    page.get_by_role("textbox", name="Your comment").fill("a reply to it")
    page.get_by_role("button", name="Comment").click()
    expect(page.get_by_text("a reply to it")).to_be_visible()


def test_a_like_without_a_connection_shows_a_message(
    page: Page, alice: User, bob: User, log_in, complaints: list[str]
) -> None:
    follow(alice, bob)
    publish(bob, "Hello")
    log_in(page, alice)
    page.goto("/")
    page.context.set_offline(True)
    page.get_by_role("button", name="Like").click()
    expect(page.locator("#notice")).to_have_text(
        "You are offline. Try again when you are back online."
    )
    page.context.set_offline(False)
    assert any("htmx" in complaint for complaint in complaints)
    complaints.clear()


def test_the_number_of_likes_is_shown_once(page: Page, alice: User, bob: User, log_in) -> None:
    post = publish(bob, "Hello")
    like_post(post_id=post, actor=alice)
    log_in(page, alice)
    page.goto(f"/@bob/{post}/")
    full = page.locator(".post-full")
    expect(full.get_by_role("button", name="Liked 1")).to_be_visible()
    expect(full.get_by_role("link", name="See who liked this")).to_be_visible()
    assert "1 like" not in full.inner_text()


def test_a_comment_for_mentioned_people_with_a_content_warning(
    page: Page, alice: User, bob: User, log_in
) -> None:
    post = publish(bob, "Hello")
    log_in(page, alice)
    page.goto(f"/@bob/{post}/")
    form = page.locator("#answer")
    expect(form.locator(".visibility-hint")).to_be_hidden()
    form.get_by_label("Who can read this").select_option("Only people I mention")
    expect(form.locator(".visibility-hint")).to_be_visible()
    form.locator("summary", has_text="Content warning").click()
    form.get_by_label("Content warning").fill("The end")
    form.get_by_role("textbox", name="Your comment").fill("@bob he dies")
    form.get_by_role("button", name="Comment").click()
    comment = page.get_by_role("article").filter(has_text="The end").last
    expect(comment).to_be_visible()
    expect(comment.get_by_text("he dies")).to_be_hidden()
    comment.get_by_text("The end").click()
    expect(comment.get_by_text("he dies")).to_be_visible()
    expect(comment).to_contain_text("Only people mentioned")
    assert Post.objects.get().comments == 0
