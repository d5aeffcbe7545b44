"""Private accounts, follow requests and privacy settings over HTTP."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts import user_cards
from accounts.selectors import profiles, user_pages
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.follow_requests import accept_follow_request
from accounts.services.profiles import set_private, update_profile
from tests.accounts.graph_promises import check_relationships
from tests.accounts.test_people_pages import listed
from tests.factories import follow, people


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def client_of(user):
    other = Client()
    other.force_login(user)
    return other


def test_only_followers_see_the_lists_of_a_private_user(as_alice, alice, bob, carol):
    follow(carol, bob)
    set_private(uid=bob.pk, is_private=True)
    follow(alice, bob)
    for kind in ("followers", "following"):
        for client in (as_alice, Client()):
            assert client.get(f"/@bob/{kind}/").status_code == 404
        for user in (bob, carol):
            assert client_of(user).get(f"/@bob/{kind}/").status_code == 200
    accept_follow_request(followee=bob.pk, follower=alice.pk)
    assert listed(as_alice.get("/@bob/followers/")) == ["alice", "carol"]


def test_a_request_is_shown_and_can_be_withdrawn(as_alice, alice, bob):
    set_private(uid=bob.pk, is_private=True)
    for path in ("/explore/people/", "/@bob/"):
        as_alice.post("/@bob/follow/")
        html = as_alice.get(path).content.decode()
        assert "Requested" in html
        assert 'action="/@bob/unfollow/"' in html
        as_alice.post("/@bob/unfollow/")
        assert "Requested" not in as_alice.get(path).content.decode()


def test_accepting_and_rejecting_are_safe_to_repeat(as_alice, alice, bob, carol):
    set_private(uid=alice.pk, is_private=True)
    follow(bob, alice)
    follow(carol, alice)
    page = as_alice.get("/requests/")
    assert listed(page) == ["carol", "bob"]
    assert b'action="/requests/bob/accept/"' in page.content
    for _ in range(2):
        assert as_alice.post("/requests/bob/accept/")["Location"] == "/requests/"
        assert as_alice.post("/requests/carol/refuse/")["Location"] == "/requests/"
    assert check_relationships() == {(bob.pk, alice.pk)}
    assert b"No requests" in as_alice.get("/requests/").content


def test_requests_to_other_users_cannot_be_answered(as_alice, bob, carol):
    set_private(uid=bob.pk, is_private=True)
    follow(carol, bob)
    as_alice.post("/requests/carol/accept/")
    as_alice.post("/requests/carol/refuse/")
    assert listed(as_alice.get("/requests/")) == []
    assert check_relationships() == set()
    assert listed(client_of(bob).get("/requests/")) == ["carol"]


def test_follow_requests_require_a_log_in(client, bob):
    assert client.get("/requests/")["Location"] == "/accounts/login/?next=/requests/"
    for answer in ("accept", "refuse"):
        response = client.post(f"/requests/bob/{answer}/")
        assert response["Location"] == "/accounts/login/?next=/requests/"
        assert client.get(f"/requests/bob/{answer}/").status_code == 405


def test_an_account_becomes_private_and_public_again(as_alice, alice):
    page = as_alice.get("/settings/privacy/")
    assert page.status_code == 200
    assert "checked" not in str(page.context["form"]["is_private"])
    for data, is_private in (({"is_private": "on"}, True), ({}, False)):
        assert as_alice.post("/settings/privacy/", data)["Location"] == "/settings/privacy/"
        assert profiles.is_private(uid=alice.pk) is is_private
        page = as_alice.get("/settings/privacy/")
        assert ("checked" in str(page.context["form"]["is_private"])) is is_private


PRIVACY = ["/settings/privacy/", "/settings/privacy/blocked/", "/settings/privacy/muted/"]


def test_privacy_settings_require_a_log_in_and_are_marked_in_the_list(client, as_alice):
    for path in PRIVACY:
        assert Client().get(path)["Location"] == f"/accounts/login/?next={path}"
        html = as_alice.get(path).content.decode()
        assert f'<a href="{path}" aria-current="page">' in html
        assert html.count("<h1") == 1


@pytest.mark.parametrize(("kind", "undo"), [("blocked", "unblock"), ("muted", "unmute")])
def test_blocked_and_muted_users_are_listed_newest_first_with_an_undo_form(
    as_alice, alice, monkeypatch, kind, undo
):
    monkeypatch.setattr(user_pages, "PAGE_SIZE", 5)
    others = people(7)
    for other in others:
        if kind == "blocked":
            block_user(owner=alice.pk, other=other.pk)
        else:
            mute_user(owner=alice.pk, other=other.pk, until=None)
    seen, path = [], f"/settings/privacy/{kind}/"
    while path:
        page = as_alice.get(path)
        seen += listed(page)
        path = page.context["older"] and f"/settings/privacy/{kind}/?max_id={page.context['older']}"
    assert seen == [user.username for user in others][::-1]
    assert f'action="/@{others[0].username}/{undo}/"' in page.content.decode()
    back = {"next": f"/settings/privacy/{kind}/"}
    page = as_alice.post(f"/@{others[-1].username}/{undo}/", back, follow=True)
    assert others[-1].username not in listed(page)


def test_the_list_of_muted_users_shows_the_expiry(as_alice, alice, bob):
    mute_user(owner=alice.pk, other=bob.pk, until=timezone.now() + timedelta(hours=1))
    assert b"Until " in as_alice.get("/settings/privacy/muted/").content


def test_blocks_and_mutes_by_others_are_not_listed(as_alice, alice, bob):
    block_user(owner=alice.pk, other=bob.pk)
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    for path in PRIVACY[1:]:
        assert listed(client_of(bob).get(path)) == []


def test_lists_hide_the_bio_of_a_user_who_blocks_the_viewer(as_alice, alice, bob):
    update_profile(uid=bob.pk, display_name="Bob Brown", bio="Secret garden")
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    assert b"Secret garden" in as_alice.get("/settings/privacy/muted/").content
    block_user(owner=bob.pk, other=alice.pk)
    assert b"Secret garden" not in as_alice.get("/settings/privacy/muted/").content


@pytest.mark.parametrize("path", ["/requests/", *PRIVACY[1:]])
def test_pages_cost_the_same_for_few_and_many_users(as_alice, alice, path, record_commands):
    set_private(uid=alice.pk, is_private=True)
    costs = []
    for count in (1, 8):
        for user in people(count, prefix=f"c{count}x"):
            if path == "/requests/":
                follow(user, alice)
            elif "blocked" in path:
                block_user(owner=alice.pk, other=user.pk)
            else:
                mute_user(owner=alice.pk, other=user.pk, until=None)
        user_cards.clear_cards()
        with record_commands() as commands:
            assert as_alice.get(path).status_code == 200
        costs.append(len(commands))
    assert costs[0] == costs[1] <= 8
