"""Moderation in the admin: closing a report takes three clicks, and undoing the action takes one click."""

from django.contrib.auth.models import Group
from playwright.sync_api import Page, expect

from accounts.models import User
from feed.models import Post
from socialsite.moderation.models import Case, Rule
from socialsite.moderation.roles import MODERATORS, create_roles
from socialsite.moderation.services.reports import create_report
from tests.factories import publish


def _report_post(alice: User, bob: User, carol: User) -> int:
    create_roles()
    carol.is_staff = True
    carol.save()
    carol.groups.add(Group.objects.get(name=MODERATORS))
    post = publish(bob, "buy my pills")
    rule = Rule.objects.create(text="No advertising")
    text = "Look at this"
    create_report(
        reporter=alice, kind="post", subject_id=post, category="rules", rule_id=rule.pk, text=text
    )
    return post


def test_a_moderator_handles_a_report_in_three_clicks_and_undoes_it(
    either_page: Page, alice: User, bob: User, carol: User, log_in
) -> None:
    page, post = either_page, _report_post(alice, bob, carol)
    log_in(page, carol)
    page.goto("/admin/")
    page.get_by_role("region", name="Newest cases").get_by_role("link", name="@bob").click()
    expect(page.get_by_role("region", name="Reports")).to_contain_text("Look at this")
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.locator(".messagelist")).to_contain_text("Done: Remove")
    page.get_by_role("button", name="Close: action taken").click()
    expect(page.locator(".messagelist")).to_contain_text("Case closed")
    assert page.goto(f"/@bob/{post}/").status == 404
    page.go_back()
    page.get_by_role("button", name="Undo “Remove”").click()
    expect(page.locator(".messagelist")).to_contain_text("Action undone")
    assert page.goto(f"/@bob/{post}/").ok
    assert (Post.objects.get().hidden, Case.objects.get().outcome) == ("", "acted")


def test_a_moderator_handles_a_report_by_keyboard(
    page: Page, alice: User, bob: User, carol: User, log_in
) -> None:
    _report_post(alice, bob, carol)
    log_in(page, carol)
    page.goto("/admin/")
    for name in ("post: @bob", "Remove and close", "Undo “Remove”"):
        for _ in range(60):
            page.keyboard.press("Tab")
            focused_text = page.evaluate("document.activeElement.innerText.trim()")
            if focused_text == name:
                break
        assert focused_text == name
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"
        with page.expect_navigation():
            page.keyboard.press("Enter")
    expect(page.locator(".messagelist")).to_contain_text("Action undone")
    assert Post.objects.get().hidden == ""
