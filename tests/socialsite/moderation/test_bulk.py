"""The same to many at once, and acting on what nobody has reported."""

from datetime import timedelta

import pytest

from accounts.infra.ids import first_id_at, time_of
from feed.models import Post
from socialsite.moderation.admin import bulk_actions
from socialsite.moderation.models import Action, Case
from tests.factories import people, publish, publish_many

from .desk import CASES, latest, report

POSTS, PEOPLE = "/admin/feed/post/", "/admin/accounts/user/"


def chosen(response):
    return [name for _subject, name in response.context["rows"]]


def test_chosen_posts_are_removed_after_a_page_with_their_number_and_names(desk, bob, carol):
    spam = publish_many(bob, 3)
    kept = publish(carol, "not spam")
    asked = desk.client.post(POSTS, {"action": "moderate", "_selected_action": spam})
    assert "Moderate 3 posts" in asked.content.decode()
    assert len(chosen(asked)) == 3
    assert all(name.startswith("@bob: bob writes") for name in chosen(asked))
    assert Action.objects.count() == 0
    data = {"kind": "post", "ids": spam, "action": "remove", "reason": "Spam", "is_told": "on"}
    for _twice in range(2):
        done = desk.client.post(f"{CASES}bulk/", data, follow=True)
        assert "Done: 3." in done.content.decode()
    assert Action.objects.filter(kind="remove", reason="Spam", is_told=True).count() == 3
    assert list(Post.objects.filter(hidden="").values_list("pk", flat=True)) == [kept]


def test_each_needs_its_own_permission_and_what_failed_is_named(desk, bob, admin_user):
    data = {"kind": "person", "ids": [bob.pk, admin_user.pk], "action": "limit", "reason": "x"}
    done = desk.client.post(f"{CASES}bulk/", data, follow=True).content.decode()
    assert "Done: 1." in done
    assert "Not done: 1. @root_admin (you may not)" in done
    data["action"] = "rename"
    done = desk.client.post(f"{CASES}bulk/", data, follow=True).content.decode()
    assert "Done: 0." in done
    bob.refresh_from_db()
    assert (bob.username, bob.is_limited) == ("bob", True)


def test_people_and_all_that_they_wrote_today_are_chosen_in_the_list_of_people(desk, bob, carol):
    publish_many(bob, 2)
    old = publish(bob, "an old one")
    yesterday = first_id_at(moment=time_of(id=old) - timedelta(hours=25))
    post = Post.objects.get(pk=old)
    Post.objects.filter(pk=old).delete()
    post.pk = yesterday
    post.save(force_insert=True)
    publish(carol)
    data = {"_selected_action": [bob.pk]}
    asked = desk.client.post(PEOPLE, {"action": "moderate_posts", **data})
    assert chosen(asked) == ["@bob: bob writes 1", "@bob: bob writes 0"]
    assert chosen(desk.client.get(f"{CASES}bulk/?person={bob.pk}")) == chosen(asked)
    assert chosen(desk.client.post(PEOPLE, {"action": "moderate", **data})) == ["@bob"]


def test_too_many_are_done_in_parts(desk, monkeypatch, bob):
    monkeypatch.setattr(bulk_actions, "MAX_SUBJECTS", 2)
    spam = publish_many(bob, 4)
    asked = desk.client.post(POSTS, {"action": "moderate", "_selected_action": spam})
    assert len(chosen(asked)) == 2
    assert "first 2" in asked.content.decode()
    data = {"kind": "post", "ids": spam, "action": "remove"}
    assert desk.client.post(f"{CASES}bulk/", data).status_code == 400


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
        {"kind": "post", "ids": [1], "action": "remove", "expiry": "5"},
    ],
)
def test_what_no_form_sends_is_refused(desk, bob, data):
    post = publish(bob)
    if data.get("ids") == [1]:
        data = {**data, "ids": [post]}
    assert desk.client.post(f"{CASES}bulk/", data).status_code == 400
    assert Action.objects.count() == 0


def test_nobody_or_nothing_chosen_is_said(desk, bob):
    assert desk.client.get(f"{CASES}bulk/").status_code == 404
    assert desk.client.get(f"{CASES}bulk/?person=x").status_code == 404
    nothing = desk.client.get(f"{CASES}bulk/?person={bob.pk}")
    assert "nothing to be done" in nothing.content.decode()
    gone = {"kind": "post", "ids": [1], "action": "remove", "reason": "Spam"}
    assert desk.client.post(f"{CASES}bulk/", gone).status_code == 302


def test_a_case_is_opened_for_what_nobody_has_reported_and_found_again(desk, alice, bob):
    post = publish(bob, "hm")
    path = f"{CASES}new/?kind=post&id={post}"
    assert path in desk.client.get(POSTS).content.decode().replace("&amp;", "&")
    assert path in desk.client.get(f"{POSTS}{post}/change/").content.decode().replace("&amp;", "&")
    assert "hm" in desk.client.get(path).content.decode()
    assert Case.objects.count() == 0
    opened = desk.client.post(f"{CASES}new/", {"kind": "post", "id": post})
    case = Case.objects.get()
    assert (case.source, case.reports) == ("moderator", 0)
    assert opened["Location"] == desk.client.get(path)["Location"] == f"{CASES}{case.pk}/change/"
    assert report(alice, "post", post).pk == case.pk
    desk.act(case, "remove")
    assert latest().case_id == case.pk
    person = desk.client.get(f"{PEOPLE}{bob.pk}/change/").content.decode()
    assert f"kind=person&amp;id={bob.pk}" in person


@pytest.mark.parametrize(
    "query",
    [
        *("", "?kind=post", "?kind=post&id=x", "?kind=post&id=1", "?kind=person&id=1"),
        *("?kind=comment&id=1", "?kind=comment&id=1&post=1", "?kind=nonsense&id=1"),
        "?kind=post&id=99999999999999999999",
    ],
)
def test_a_case_about_nothing_is_not_opened(desk, query):
    assert desk.client.get(f"{CASES}new/{query}").status_code == 404
    data = dict(part.split("=") for part in query[1:].split("&") if part)
    assert desk.client.post(f"{CASES}new/", data).status_code == 404


def test_lists_are_read_without_joins_and_counts(desk, record_commands, bob, alice, admin_user):
    from tests.accounts.test_admin import joins_and_counts

    for one in people(3):
        report(alice, "post", publish(one))
    desk.do(report(alice, "person", bob.pk), do="close")
    desk.client.force_login(admin_user)  # whose permissions need not be joined
    for query in ("", "?state=closed", "?state=all&source=report", "?assignee=me", "?p=2"):
        with record_commands() as commands:
            response = desk.client.get(CASES + query)
        assert response.status_code == 200
        assert joins_and_counts(commands) == []
        assert len(commands) <= 7
    listed = desk.client.get(CASES).content.decode()
    assert "@p2" in listed
    assert "@bob" not in listed
