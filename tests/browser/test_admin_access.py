"""Every page of the admin is accessible, and moderators can work on a phone."""

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.test import RequestFactory
from django.urls import reverse
from playwright.sync_api import expect

from accounts.brand.models import Brand
from accounts.models import User
from feed.models import Post
from socialsite.moderation.models import (
    Announcement,
    Appeal,
    Case,
    PageVersion,
    Rule,
    StandardPage,
)
from socialsite.moderation.roles import MODERATORS, create_roles
from socialsite.moderation.services.actions import take_action
from socialsite.moderation.services.appeals import create_appeal
from socialsite.moderation.services.reports import create_report
from socialsite.moderation.services.site_texts import save_page
from socialsite.moderation.subjects import user_subject
from tests.actions import add_comment
from tests.factories import UserFactory, publish

from .accessibility import ADDRESS, LONG, problems_of_pages
from .conftest import PHONE, NewContext


@pytest.fixture
def superuser(alice: User, bob: User) -> User:
    """Create one object of every kind, with extreme texts. Return a superuser."""
    create_roles()
    superuser = UserFactory(username="root_admin", is_staff=True, is_superuser=True)
    author = UserFactory(username="a_very_long_user_name_30_chars", display_name="W" * 30)
    post = publish(author, f"{ADDRESS} {LONG}"[:500])
    Post.objects.filter(pk=post).update(delivery_state=Post.DeliveryState.PENDING)
    comment = add_comment(post_id=post, actor=author, text=LONG + ADDRESS)
    rule = Rule.objects.create(text=LONG)
    report: dict[str, Any] = {"reporter": alice, "category": "rules", "rule_id": rule.pk}
    create_report(kind="post", subject_id=post, text=LONG + ADDRESS, **report)
    create_report(kind="comment", subject_id=comment, post_id=post, text=LONG, **report)
    create_report(kind="person", subject_id=author.pk, text=LONG, **report)
    warning = take_action(
        kind="warn", subject=user_subject(uid=author.pk), moderator=superuser, reason=LONG
    )
    create_appeal(action_id=warning.pk, user=author, text=LONG + ADDRESS)
    Announcement.objects.create(text=LONG)
    save_page(editor=superuser, page=StandardPage.ABOUT, text=f"# {LONG}\n\n{ADDRESS}")
    return superuser


def _work_pages() -> list[str]:
    """Return the pages on which moderators work: the dashboard, lists, cases, actions and forms."""
    action = Appeal.objects.get().action_id
    author = User.objects.get(username="a_very_long_user_name_30_chars")
    return [
        reverse("admin:index"),
        reverse("admin:moderation_case_changelist"),
        *(reverse("admin:moderation_case_change", args=[case.pk]) for case in Case.objects.all()),
        reverse("admin:moderation_action_change", args=[action]),
        reverse("admin:moderation_action_changelist"),
        reverse("admin:moderation_appeal_changelist"),
        reverse("admin:moderation_comments"),
        reverse("admin:feed_post_changelist"),
        reverse("admin:accounts_user_changelist"),
        reverse("admin:moderation_bulk_action") + f"?person={author.pk}",
    ]


def _forms_and_lists(superuser: User) -> list[str]:
    """Return the list of each model, its form for new objects, and its form for an existing object."""
    request = RequestFactory().get("/admin/")
    request.user = superuser
    addresses = [reverse("admin:password_change")]
    for model, model_admin in admin.site._registry.items():
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        addresses.append(reverse(f"{name}_changelist"))
        if model in (Brand, PageVersion):
            continue  # without these forms
        if model_admin.has_add_permission(request):
            addresses.append(reverse(f"{name}_add"))
        row = model._default_manager.order_by("-pk").first()
        if row is not None and model not in (Appeal, Case):
            addresses.append(reverse(f"{name}_change", args=[row.pk]))
    addresses += _text_pages()
    rule = Rule.objects.get()
    addresses += [
        reverse(f"admin:moderation_rule_{name}", args=[rule.pk]) for name in ("delete", "history")
    ]
    return addresses


def _text_pages() -> list[str]:
    """Return the pages on which administrators write the site's texts and choose its look."""
    version = PageVersion.objects.get()
    return [
        reverse("admin:moderation_brand_changelist"),
        reverse("admin:moderation_pageversion_changelist"),
        reverse("admin:moderation_pageversion_edit", args=[version.page]),
        reverse("admin:moderation_pageversion_version", args=[version.page, version.pk]),
        reverse("admin:moderation_announcement_add"),
        reverse("admin:moderation_rule_add"),
    ]


def test_every_page_of_the_admin_is_accessible(new_context: NewContext, superuser, log_in) -> None:
    page = new_context().new_page()
    log_in(page, superuser)
    audit_log = reverse("admin:moderation_auditentry_changelist")
    for_touch = {*_work_pages(), *_text_pages(), audit_log}
    addresses = dict.fromkeys([*for_touch, *_forms_and_lists(superuser)])
    assert problems_of_pages(page, addresses, without_touch=addresses.keys() - for_touch) == []


def test_the_pages_of_a_moderator_are_accessible(
    new_context: NewContext, superuser, carol: User, log_in
) -> None:
    carol.is_staff = True
    carol.save()
    carol.groups.add(Group.objects.get(name=MODERATORS))
    page = new_context().new_page()
    log_in(page, carol)
    # Other pages differ from those of the superuser only in missing buttons.
    dashboard, _cases, case, *_others = _work_pages()
    assert problems_of_pages(page, [dashboard, case]) == []


def test_an_appeal_is_rejected_with_a_reply(new_context: NewContext, superuser, log_in) -> None:
    page = new_context(**PHONE).new_page()
    log_in(page, superuser)
    page.goto(reverse("admin:moderation_action_change", args=[Appeal.objects.get().action_id]))
    page.get_by_label("Reply (shown to the user)").fill("The link was an advertisement.")
    page.get_by_role("button", name="Reject appeal").click()
    expect(page.get_by_text("Reply: The link was an advertisement.")).to_be_visible()
