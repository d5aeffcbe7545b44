"""Comments, replies, likes, bookmarks, edits, filters and drafts in the browser."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from accounts.models import User
from feed.models import Post
from tests.actions import add_comment
from tests.factories import follow, publish


def article(page: Page, words: str) -> Locator:
    return page.get_by_role("main").locator(".post").filter(has_text=words)


def write(page: Page, words: str) -> None:
    page.get_by_label("Your comment").fill(words)
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_role("status").first).to_contain_text("Comment published.")


def test_comments_are_written_replied_to_liked_and_edited(
    either_page: Page, alice: User, bob: User, log_in
) -> None:
    page = either_page
    post = publish(alice, "what do you say?")
    first = add_comment(post_id=post, actor=alice, text="I begin")
    log_in(page, bob)
    page.goto("/public/")
    article(page, "what do you say?").get_by_role("link", name="Comments 1").click()
    write(page, "I say helo")
    expect(page).to_have_url(re.compile(rf"/@alice/{post}/#comment-\d+$"))
    expect(page.get_by_role("heading", name="2 comments")).to_be_visible()
    expect(page.get_by_label("Your comment")).to_have_value("")

    first_comment = article(page, "I begin")
    first_comment.get_by_role("button", name="Like", exact=True).click()
    expect(first_comment.get_by_role("button", name="Liked 1")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(page.get_by_role("button", name=re.compile("^Liked?( 1)?$"))).to_have_count(3)

    first_comment.get_by_role("link", name="Reply").click()
    expect(page.get_by_text("Reply to Alice Adams")).to_be_visible()
    if page.locator("html.js").count():
        replies = page.locator(f"#replies-{first}")
        replies.get_by_label("Your comment").fill("And I go on")
        replies.get_by_role("button", name="Comment").click()
        expect(replies.get_by_label("Your comment")).to_have_count(0)
        expect(page.get_by_role("heading", name="3 comments")).to_be_visible()
    else:
        write(page, "And I go on")
        expect(page).to_have_url(re.compile(rf"/@alice/{post}/comments/{first}/#comment-\d+$"))
        expect(page.locator("#comments")).to_contain_text("And I go on")
        page.get_by_role("link", name="Back").click()
    expect(page.locator(".replies")).to_contain_text("And I go on")

    own = article(page, "I say helo")
    own.locator("summary").click()
    own.get_by_role("link", name="Edit").click()
    expect(page.get_by_label("Your comment")).to_have_value("I say helo")
    page.get_by_label("Your comment").fill("I say hello")
    page.get_by_role("button", name="Save").click()
    expect(article(page, "I say hello").get_by_text("edited")).to_be_visible()


def test_liking_a_post_does_not_change_the_likes_of_its_comments(
    page: Page, alice: User, bob: User, log_in
) -> None:
    post = publish(alice, "what do you say?")
    for text in ("one", "two"):
        add_comment(post_id=post, actor=alice, text=text)
    log_in(page, bob)
    page.goto(f"/@alice/{post}/")
    page.locator(".post-full").get_by_role("button", name="Like", exact=True).click()
    expect(page.locator(".post-full").get_by_role("button", name="Liked 1")).to_be_visible()
    expect(page.locator('button[formaction$="like/"]')).to_have_count(3)
    page.goto("/public/")
    post_in_list = article(page, "what do you say?")
    post_in_list.get_by_role("button", name="Liked 1").click()
    expect(post_in_list.get_by_role("button", name="Like", exact=True)).to_be_visible()
    expect(page.locator('button[formaction$="like/"]')).to_have_count(1)


def test_a_post_is_bookmarked_and_listed_under_bookmarks(
    page: Page, alice: User, bob: User, log_in
) -> None:
    for text in ("keep me", "forget me"):
        publish(bob, text)
    log_in(page, alice)
    page.goto("/public/")
    article(page, "keep me").get_by_role("button", name="Bookmark").click()
    remaining = article(page, "keep me").get_by_role("button", name="Bookmarked")
    expect(remaining).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile("/public/"))
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Bookmarks").click()
    expect(page.locator(".post")).to_have_count(1)
    expect(page.locator(".post")).to_contain_text("keep me")


def test_the_edit_history_shows_the_previous_text(
    page: Page, alice: User, bob: User, log_in
) -> None:
    follow(bob, alice)
    post = publish(alice, "Meet at seven")
    log_in(page, alice)
    page.goto(f"/posts/{post}/edit/")
    page.get_by_label("Your post").fill("Meet at eight")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status").first).to_contain_text("Changes saved.")
    log_in(page, bob)
    page.goto("/")
    article(page, "Meet at eight").get_by_role("link", name="edited").click()
    expect(page.get_by_role("heading", name="Edit history")).to_be_visible()
    versions = page.locator(".versions > li")
    expect(versions).to_have_count(2)
    expect(versions.first.locator("ins")).to_have_text("eight")
    expect(versions.first.locator("del")).to_have_text("seven")
    expect(versions.last).to_contain_text("Meet at seven")


def test_a_filter_hides_a_post_from_the_home_timeline(
    page: Page, alice: User, bob: User, log_in
) -> None:
    follow(alice, bob)
    for text in ("The match tonight", "A quiet evening"):
        publish(bob, text)
    log_in(page, alice)
    page.goto("/")
    expect(page.locator(".post")).to_have_count(2)
    page.goto("/settings/profile/")
    page.get_by_role("navigation", name="Settings").get_by_role("link", name="Filters").click()
    page.get_by_label("Word or phrase").fill("match")
    page.get_by_role("button", name="Add filter").click()
    expect(page.get_by_role("status").first).to_contain_text("Filter added.")
    page.get_by_role("link", name="Home", exact=True).click()
    expect(page.locator(".post")).to_have_count(1)
    expect(page.locator(".post")).to_contain_text("A quiet evening")
    page.goto("/settings/filters/")
    page.get_by_role("button", name="Delete filter match").click()
    page.get_by_role("link", name="Home", exact=True).click()
    expect(page.locator(".post")).to_have_count(2)


def test_a_draft_survives_a_reload_until_it_is_published(page: Page, alice: User, log_in) -> None:
    log_in(page, alice)
    page.goto("/")
    area = page.get_by_label("Your post")
    area.fill("Half a thou")
    page.reload()
    expect(area).to_have_value("Half a thou")
    expect(page.locator("#notice")).to_have_text("Draft restored.")
    expect(page.locator(".counter-left")).to_have_text("489")
    area.fill("A whole thought")
    page.get_by_role("button", name="Publish").click()
    expect(page.locator(".post")).to_contain_text("A whole thought")
    expect(area).to_have_value("")
    page.reload()
    expect(area).to_have_value("")
    assert Post.objects.count() == 1


@pytest.mark.parametrize(
    "with_script", [True, False], ids=["with JavaScript", "without JavaScript"]
)
def test_later_comments_are_loaded_once_and_in_order(
    new_context, alice: User, bob: User, log_in, *, with_script: bool
) -> None:
    page = new_context(java_script_enabled=with_script).new_page()
    post = publish(alice, "what do you say?")
    comment_ids = [add_comment(post_id=post, actor=bob, text=f"number {n}") for n in range(45)]
    log_in(page, bob)
    page.goto(f"/@alice/{post}/")
    shown = page.locator("#comments .comment")
    seen: list[str] = []
    for count in (20, 40, 45):
        expect(shown).to_have_count(count if with_script else min(20, 45 - len(seen)))
        ids = shown.evaluate_all("comments => comments.map((comment) => comment.id)")
        seen = ids if with_script else [*seen, *ids]
        if count < 45:
            page.get_by_role("link", name="Later comments").click()
            if with_script:
                expect(page.locator("#announcer")).to_have_text("More comments loaded.")
                expect(page).to_have_url(re.compile(rf"/{post}/$"))
            else:
                expect(page).to_have_url(re.compile(rf"after={comment_ids[count - 1]}#comments$"))
    assert seen == [f"comment-{comment_id}" for comment_id in comment_ids]
    expect(page.get_by_role("link", name="Later comments")).to_have_count(0)
    expect(page.get_by_role("link", name="Earlier comments")).to_have_count(0 if with_script else 1)
