"""Bulk actions, and cases that moderators open themselves."""

from datetime import timedelta

import pytest

from accounts.infra.ids import first_id_at, time_of
from feed.models import Post
from socialsite.moderation.admin import bulk_actions
from socialsite.moderation.models import Action, Case
from tests.factories import people, publish, publish_many

from .moderator_client import CASES, latest_action, report

POSTS, PEOPLE = "/admin/feed/post/", "/admin/accounts/user/"


def selected_names(response):
    return [name for _subject, name in response.context["rows"]]


def test_selected_posts_are_removed_after_a_confirmation_page(moderator_client, bob, carol):
    spam = publish_many(bob, 3)
    other_post = publish(carol, "not spam")
    page = moderator_client.client.post(POSTS, {"action": "moderate", "_selected_action": spam})
    assert "Moderate 3 posts" in page.content.decode()
    assert len(selected_names(page)) == 3
    assert all(name.startswith("@bob: bob writes") for name in selected_names(page))
    assert Action.objects.count() == 0
    data = {
        "kind": "post",
        "ids": spam,
        "action": "remove",
        "reason": "Spam",
        "should_notify": "on",
    }
    for _twice in range(2):
        response = moderator_client.client.post(f"{CASES}bulk/", data, follow=True)
        assert "Done: 3." in response.content.decode()
    assert Action.objects.filter(kind="remove", reason="Spam", is_user_notified=True).count() == 3
    assert list(Post.objects.filter(hidden="").values_list("pk", flat=True)) == [other_post]


def test_permissions_are_checked_for_each_subject_and_failures_are_named(
    moderator_client, bob, admin_user
):
    data = {"kind": "person", "ids": [bob.pk, admin_user.pk], "action": "limit", "reason": "x"}
    page = moderator_client.client.post(f"{CASES}bulk/", data, follow=True).content.decode()
    assert "Done: 1." in page
    assert "Failed: 1. @root_admin (no permission)" in page
    data["action"] = "rename"
    page = moderator_client.client.post(f"{CASES}bulk/", data, follow=True).content.decode()
    assert "Done: 0." in page
    bob.refresh_from_db()
    assert (bob.username, bob.is_limited) == ("bob", True)


def test_users_and_their_recent_posts_are_selected_in_the_list_of_users(
    moderator_client, bob, carol
):
    publish_many(bob, 2)
    old_post = publish(bob, "an old one")
    yesterday_id = first_id_at(moment=time_of(id=old_post) - timedelta(hours=25))
    post = Post.objects.get(pk=old_post)
    Post.objects.filter(pk=old_post).delete()
    post.pk = yesterday_id
    post.save(force_insert=True)
    publish(carol)
    data = {"_selected_action": [bob.pk]}
    page = moderator_client.client.post(PEOPLE, {"action": "moderate_posts", **data})
    assert selected_names(page) == ["@bob: bob writes 1", "@bob: bob writes 0"]
    assert selected_names(
        moderator_client.client.get(f"{CASES}bulk/?person={bob.pk}")
    ) == selected_names(page)
    assert selected_names(moderator_client.client.post(PEOPLE, {"action": "moderate", **data})) == [
        "@bob"
    ]


def test_only_the_first_subjects_are_offered_above_the_maximum(moderator_client, monkeypatch, bob):
    monkeypatch.setattr(bulk_actions, "MAX_SUBJECTS", 2)
    spam = publish_many(bob, 4)
    page = moderator_client.client.post(POSTS, {"action": "moderate", "_selected_action": spam})
    assert len(selected_names(page)) == 2
    assert "first 2" in page.content.decode()
    data = {"kind": "post", "ids": spam, "action": "remove"}
    assert moderator_client.client.post(f"{CASES}bulk/", data).status_code == 400


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"kind": "post"},
        {"kind": "comment", "ids": [1]},
        {"kind": "post", "ids": ["x"]},
        {"kind": "post", "ids": ["1", "-1"]},
        {"kind": "post", "ids": [1], "action": "limit"},
        {"kind": "post", "ids": [1], "action": "remove", "reason": "x" * 3000},
        {"kind": "post", "ids": [1], "action": "remove", "duration": "5"},
    ],
)
def test_invalid_input_is_refused(moderator_client, bob, data):
    post = publish(bob)
    if data.get("ids") == [1]:
        data = {**data, "ids": [post]}
    assert moderator_client.client.post(f"{CASES}bulk/", data).status_code == 400
    assert Action.objects.count() == 0


def test_a_missing_user_or_an_empty_selection_is_reported(moderator_client, bob):
    assert moderator_client.client.get(f"{CASES}bulk/").status_code == 404
    assert moderator_client.client.get(f"{CASES}bulk/?person=x").status_code == 404
    page = moderator_client.client.get(f"{CASES}bulk/?person={bob.pk}")
    assert "Nothing is selected" in page.content.decode()
    deleted_post = {"kind": "post", "ids": [1], "action": "remove", "reason": "Spam"}
    assert moderator_client.client.post(f"{CASES}bulk/", deleted_post).status_code == 302


def test_a_moderator_opens_a_case_without_a_report_and_finds_it_again(moderator_client, alice, bob):
    post = publish(bob, "hm")
    path = f"{CASES}new/?kind=post&id={post}"
    assert path in moderator_client.client.get(POSTS).content.decode().replace("&amp;", "&")
    assert path in moderator_client.client.get(f"{POSTS}{post}/change/").content.decode().replace(
        "&amp;", "&"
    )
    assert "hm" in moderator_client.client.get(path).content.decode()
    assert Case.objects.count() == 0
    response = moderator_client.client.post(f"{CASES}new/", {"kind": "post", "id": post})
    case = Case.objects.get()
    assert (case.source, case.reports) == ("moderator", 0)
    assert (
        response["Location"]
        == moderator_client.client.get(path)["Location"]
        == f"{CASES}{case.pk}/change/"
    )
    assert report(alice, "post", post).pk == case.pk
    moderator_client.act(case, "remove")
    assert latest_action().case_id == case.pk
    page = moderator_client.client.get(f"{PEOPLE}{bob.pk}/change/").content.decode()
    assert f"kind=person&amp;id={bob.pk}" in page


@pytest.mark.parametrize(
    "query",
    [
        *("", "?kind=post", "?kind=post&id=x", "?kind=post&id=1", "?kind=person&id=1"),
        *("?kind=comment&id=1", "?kind=comment&id=1&post=1", "?kind=nonsense&id=1"),
        "?kind=post&id=99999999999999999999",
    ],
)
def test_no_case_is_opened_without_a_subject(moderator_client, query):
    assert moderator_client.client.get(f"{CASES}new/{query}").status_code == 404
    data = dict(part.split("=") for part in query[1:].split("&") if part)
    assert moderator_client.client.post(f"{CASES}new/", data).status_code == 404


def test_the_list_of_cases_needs_no_joins_or_counts(
    moderator_client, record_commands, bob, alice, admin_user
):
    from tests.accounts.test_admin import joins_and_counts

    for user in people(3):
        report(alice, "post", publish(user))
    moderator_client.do(report(alice, "person", bob.pk), do="close")
    moderator_client.client.force_login(admin_user)  # Django reads no permissions of superusers
    for query in ("", "?state=closed", "?state=all&source=report", "?assignee=me", "?p=2"):
        with record_commands() as commands:
            response = moderator_client.client.get(CASES + query)
        assert response.status_code == 200
        assert joins_and_counts(commands) == []
        assert len(commands) <= 7
    page = moderator_client.client.get(CASES).content.decode()
    assert "@p2" in page
    assert "@bob" not in page
