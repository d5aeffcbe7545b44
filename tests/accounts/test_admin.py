"""Users in the admin: permissions, and lists without joins and counts."""

import ast
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.utils import translation

from accounts.admin import UserAdmin
from accounts.infra.admin_lists import MAX_PAGE, NewestFirstAdmin, UncountedPaginator
from accounts.models import User
from tests.factories import PASSWORD, follow, people

PEOPLE = "/admin/accounts/user/"


@pytest.fixture
def as_admin(client, admin_user):
    client.force_login(admin_user)
    return client


def as_moderator(client, user, *codenames):
    user.is_staff = True
    user.save()
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    client.force_login(user)
    return client


def change_form(user, **changes):
    data = {"username": user.username, "email": user.email, "display_name": "", "bio": ""}
    return {**data, "is_active": "on", **changes}


def listed_names(response):
    return [row.username for row in response.context["cl"].result_list]


def joins_and_counts(commands):
    """Return the commands that a list must not send: joins and unbounded counts."""
    results = []
    for name, command in commands:
        if command["$db"].endswith("_jobs"):
            # The message broker sent this command, not the list.
            continue
        if command.get("aggregate") == "stat_hours":
            # This collection has one document per hour, so counting its documents is cheap.
            continue
        stages = [next(iter(stage)) for stage in command.get("pipeline", [])]
        unbounded = {"$count", "$group"} & set(stages) and "$limit" not in stages
        if name in ("count", "distinct") or "$lookup" in str(command) or unbounded:
            results.append(command)
    return results


QUERIES = (
    *("", "?p=2", "?q=p1", "?q=@p12", "?q=p1@example.org", "?is_staff__exact=0", "?_facets=True"),
    *("?q=nobody", "?is_active__exact=1&q=p", "?all=", "?o=1"),
)


def test_users_are_listed_and_searched_without_joins_or_counts(
    as_admin, record_commands, monkeypatch
):
    monkeypatch.setattr(UserAdmin, "list_per_page", 12)
    people(20)
    for query in QUERIES:
        with record_commands() as commands:
            response = as_admin.get(PEOPLE + query)
        assert response.status_code == 200, query
        assert joins_and_counts(commands) == [], query
        assert len(commands) <= 6, query


def test_pages_list_all_users_newest_first(as_admin):
    names = [user.username for user in people(120)][::-1]
    pages = [listed_names(as_admin.get(f"{PEOPLE}?p={n}")) for n in (1, 2, 3)]
    assert [*pages[0], *pages[1], *pages[2]] == [*names, "root_admin"]
    assert [len(page) for page in pages] == [50, 50, 21]


def test_search_matches_the_beginning_of_a_username_or_email_address(as_admin, alice, bob):
    people(12)
    assert listed_names(as_admin.get(PEOPLE + "?q=p1")) == ["p11", "p10", "p1"]
    assert listed_names(as_admin.get(PEOPLE + "?q=%20@ALICE%20")) == ["alice"]
    assert listed_names(as_admin.get(PEOPLE + "?q=@Alice@testserver")) == ["alice"]
    assert listed_names(as_admin.get(PEOPLE + "?q=bob@ex")) == ["bob"]
    for nothing in ("@alice@other.example", ".*", "lice", "al.ce", "x" * 5000, "\U0010ffff"):
        assert listed_names(as_admin.get(PEOPLE, {"q": nothing})) == []


def test_invalid_query_parameters_cause_no_server_error(as_admin):
    for query in (
        *("?p=abc", "?p=-1", "?p=99999999999999999999", "?p=0", "?q=%00", "?is_staff__exact=maybe"),
        *("?e=1", "?o=99", "?o=-x", "?no_such_field=1", "?password__startswith=p", "?pk__in=1"),
        *("?groups__name=x", "?q=" + "%22" * 50, "?q='", "?_popup=1", "?_to_field=id", "?id=abc"),
    ):
        assert as_admin.get(PEOPLE + query).status_code in (200, 302, 400), query


@pytest.mark.parametrize("path", ["accounts/user", "feed/post"])
def test_invalid_ids_cause_no_server_error(as_admin, path):
    for number in ("abc", "-1", "99999999999999999999", "9223372036854775808", "0", "_00", "٣"):
        for page in ("change", "history", "delete"):
            response = as_admin.get(f"/admin/{path}/{number}/{page}/")
            assert response.status_code in (302, 403, 404)


def test_a_deactivated_user_is_hidden_until_activated_again(as_admin, alice):
    path = f"{PEOPLE}{alice.pk}/change/"
    assert as_admin.post(path, change_form(alice, is_active="")).status_code == 302
    assert not User.objects.get(pk=alice.pk).is_active
    assert as_admin.get("/@alice/").status_code == 404
    as_admin.post(path, change_form(alice))
    assert as_admin.get("/@alice/").status_code == 200


def test_deactivating_a_user_is_logged_and_the_log_is_read_without_joins(
    as_admin, alice, record_commands
):
    path = f"{PEOPLE}{alice.pk}/change/"
    assert as_admin.post(path, change_form(alice, is_active="")).status_code == 302
    for page in ("/admin/", f"{PEOPLE}{alice.pk}/history/"):
        with record_commands() as commands:
            response = as_admin.get(page)
        assert response.status_code == 200
        assert joins_and_counts(commands) == []


def test_the_form_of_a_user_reads_all_permissions_at_once(as_admin, alice, record_commands):
    with record_commands() as commands:
        response = as_admin.get(f"{PEOPLE}{alice.pk}/change/")
    assert "Can change post" in response.text
    assert len(commands) <= 12


def test_usernames_are_saved_in_lower_case(as_admin, alice):
    path = f"{PEOPLE}{alice.pk}/change/"
    assert as_admin.post(path, change_form(alice, username="Alicia")).status_code == 302
    alice.refresh_from_db()
    assert alice.username == "alicia"


def test_staff_cannot_redirect_a_password_reset_to_their_own_address(
    client, as_admin, alice, bob, mailoutbox
):
    clients = [as_admin, client]
    as_moderator(client, bob, "change_user", "view_user")
    for row in clients:
        changed = change_form(alice, email="mine@example.org", bio="changed")
        assert row.post(f"{PEOPLE}{alice.pk}/change/", changed).status_code == 302
    alice.refresh_from_db()
    assert (alice.bio, alice.email) == ("changed", "alice@example.org")
    client.logout()
    client.post("/accounts/password/reset/", {"email": "mine@example.org"})
    assert not [mail for mail in mailoutbox if "/password/reset/key/" in mail.body]


def test_an_existing_user_with_a_reserved_name_can_be_saved(as_admin, admin_user):
    User.objects.filter(pk=admin_user.pk).update(username="admin")
    admin_user.refresh_from_db()
    data = change_form(admin_user, bio="Hello", is_staff="on", is_superuser="on")
    assert as_admin.post(f"{PEOPLE}{admin_user.pk}/change/", data).status_code == 302
    as_admin.force_login(admin_user)
    saved = as_admin.post("/settings/username/", {"username": "admin"})
    assert saved.status_code == 302


@pytest.mark.parametrize("name", ["bob", "BOB", "a b", ""])
def test_the_admin_rejects_invalid_usernames(as_admin, alice, bob, name):
    response = as_admin.post(f"{PEOPLE}{alice.pk}/change/", change_form(alice, username=name))
    assert response.status_code == 200
    assert "username" in response.context["adminform"].form.errors


def test_users_cannot_be_deleted_or_added_in_the_admin(as_admin, alice, bob):
    # Deleting a user in the admin would leave follows and pictures behind.
    follow(bob, alice)
    assert as_admin.post(f"{PEOPLE}{alice.pk}/delete/", {"post": "yes"}).status_code == 403
    data = {"action": "delete_selected", "_selected_action": [alice.pk], "post": "yes"}
    as_admin.post(PEOPLE, data)
    assert User.objects.filter(pk=alice.pk).exists()
    assert as_admin.get(f"{PEOPLE}add/").status_code == 403


def test_a_moderator_cannot_grant_permissions(client, alice, bob):
    as_moderator(client, alice, "change_user", "view_user")
    for user, status in ((alice, 403), (bob, 302)):
        path = f"{PEOPLE}{user.pk}/change/"
        changes = {"is_superuser": "on", "is_staff": "on", "bio": "changed"}
        permission_ids = Permission.objects.values_list("pk", flat=True)[:3]
        response = client.post(
            path, change_form(user, user_permissions=list(permission_ids), **changes)
        )
        assert response.status_code == status
        user.refresh_from_db()
        assert user.bio == ("changed" if status == 302 else "")
        assert not user.is_superuser
    assert not bob.is_staff
    assert bob.user_permissions.count() == 0


def test_a_moderator_cannot_change_an_administrator(client, alice, admin_user):
    as_moderator(client, alice, "change_user", "view_user")
    path = f"{PEOPLE}{admin_user.pk}/change/"
    assert client.get(path).status_code == 200
    assert client.post(path, change_form(admin_user, email="a@b.org")).status_code == 403


@pytest.mark.parametrize("path", ["/admin/", PEOPLE, "/admin/feed/post/", "/admin/nothing/"])
def test_other_users_have_no_access(client, alice, path):
    response = client.get(path)
    assert response.status_code == 302
    assert response["Location"].startswith("/admin/login/")
    assert client.get(response["Location"])["Location"].startswith("/accounts/login/?next=")
    client.force_login(alice)
    assert client.get(path, follow=True).status_code == 403
    as_moderator(client, alice)
    assert client.get(path).status_code in (200, 403, 404)


def test_the_admin_has_no_log_in_form_of_its_own(client, admin_user):
    response = client.post("/admin/login/", {"username": "root_admin", "password": PASSWORD})
    assert response["Location"].startswith("/accounts/login/")
    assert "_auth_user_id" not in client.session


def test_the_admin_shows_the_site_name(as_admin):
    assert b"Socialsite administration" in as_admin.get("/admin/").content


def test_the_paginator_counts_a_bounded_number_of_rows(admin_user, record_commands):
    people(30)
    paginator = UncountedPaginator(User.objects.order_by("-pk"), 2)
    with record_commands() as commands:
        assert paginator.num_pages == 16
    assert f"'$limit': {2 * MAX_PAGE}" in str(commands)


def test_admin_lists_use_no_joins():
    for model, model_admin in admin.site._registry.items():
        assert isinstance(model_admin, NewestFirstAdmin), model
        assert model_admin.list_select_related is False
        assert model_admin.show_full_result_count is False
        assert model_admin.show_facets is admin.ShowFacets.NEVER
        with translation.override("en"):
            foreign = {field.name for field in model._meta.fields if field.is_relation}
        assert not foreign & set(model_admin.list_display), "a foreign key there makes a join"


def test_select_related_is_only_called_with_none():
    lines = [
        ast.unparse(node)
        for app in ("accounts", "feed", "notifications", "socialsite")
        for file in Path(settings.BASE_DIR, app).rglob("*.py")
        if ".select_related" in (code := file.read_text())
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".select_related")
    ]
    assert lines
    assert all(line.endswith(".select_related(None)") for line in lines)
