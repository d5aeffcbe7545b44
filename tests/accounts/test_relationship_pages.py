"""Block, mute, hide shares and remove followers over HTTP."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.selectors.profiles import get_profile_or_404
from accounts.services.blocks_and_mutes import block_user, mute_user
from tests.accounts.graph_promises import check_relationships
from tests.accounts.test_people_pages import ELSEWHERE, listed
from tests.factories import follow


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def client_of(user):
    other = Client()
    other.force_login(user)
    return other


def profile_of(viewer, other):
    return get_profile_or_404(username=other.username, viewer=viewer.pk)


def messages_of(response):
    return [str(message) for message in response.context["messages"]]


ACTIONS = ["block", "unblock", "mute", "unmute", "shares", "remove"]


@pytest.mark.parametrize("action", ACTIONS)
def test_every_action_is_safe_to_repeat_and_redirects_back(as_alice, alice, bob, action):
    follow(alice, bob)
    follow(bob, alice)
    for _ in range(2):
        data = {"next": "/explore/people/?max_id=5", "is_hidden": "1"}
        response = as_alice.post(f"/@bob/{action}/", data)
        assert (response.status_code, response["Location"]) == (302, "/explore/people/?max_id=5")
        assert as_alice.post(f"/@bob/{action}/", {"is_hidden": "1"})["Location"] == "/@bob/"
    check_relationships()


def test_anonymous_actions_redirect_to_the_log_in_page_and_change_nothing(client, bob):
    for action in ACTIONS:
        response = client.post(f"/@bob/{action}/", {"is_hidden": "1"})
        assert response["Location"] == "/accounts/login/?next=/%40bob/"
    assert connection.database["blocks_and_mutes"].count_documents({}) == 0


def test_missing_users_are_not_found_and_get_changes_nothing(as_alice, bob):
    for action in ACTIONS:
        for name in ("nobody_here", "%00", "%ED%A0%80", "a" * 3000):
            assert as_alice.post(f"/@{name}/{action}/").status_code == 404
        assert as_alice.get(f"/@bob/{action}/").status_code == (200 if action == "block" else 405)
    assert connection.database["blocks_and_mutes"].count_documents({}) == 0


@pytest.mark.parametrize("action", ["/@bob/mute/", "/@bob/block/", "/requests/bob/accept/"])
def test_no_form_redirects_to_another_site(as_alice, alice, bob, action):
    for target in ELSEWHERE:
        response = as_alice.post(action, {"next": target})
        assert response.status_code == 302
        assert re.match(r"/(?![/\\\t])", response["Location"]), response["Location"]


def test_actions_on_oneself_change_nothing(as_alice, alice):
    for action in ACTIONS:
        response = as_alice.post(f"/@alice/{action}/", {"is_hidden": "1"}, follow=True)
        assert response.status_code == 200
        if action in ("block", "mute"):
            assert messages_of(response) == [f"You cannot {action} yourself."]
    assert connection.database["blocks_and_mutes"].count_documents({}) == 0


def test_blocking_asks_for_confirmation(as_alice, alice, bob):
    page = as_alice.get("/@bob/block/")
    assert b"Bob Brown" in page.content
    assert b'action="/@bob/block/"' in page.content
    assert not profile_of(alice, bob).is_blocking
    response = as_alice.post("/@bob/block/", follow=True)
    assert messages_of(response) == ["You have blocked Bob Brown."]
    assert profile_of(alice, bob).is_blocking
    assert profile_of(bob, alice).is_blocked_by
    assert b'action="/@bob/unblock/"' in response.content
    assert as_alice.get("/@alice/block/")["Location"] == "/@alice/"
    assert Client().get("/@bob/block/")["Location"] == "/accounts/login/?next=/%40bob/block/"


def test_following_despite_a_block_is_refused_with_a_message_for_each_side(as_alice, alice, bob):
    block_user(owner=alice.pk, other=bob.pk)
    response = as_alice.post("/@bob/follow/", {"next": "/explore/people/"}, follow=True)
    assert messages_of(response) == ["You have blocked this person. Unblock them first."]
    response = client_of(bob).post("/@alice/follow/", {"next": "/explore/people/"}, follow=True)
    assert messages_of(response) == ["You cannot follow this person."]


def test_a_mute_lasts_the_chosen_number_of_hours(as_alice, alice, bob):
    for hours, expected_hours in (("1", 1), ("24", 24), ("168", 168), (" 7 ", 7)):
        as_alice.post("/@bob/mute/", {"hours": hours})
        time_left = profile_of(alice, bob).muted_until - timezone.now()
        assert (
            timedelta(hours=expected_hours, minutes=-1)
            < time_left
            <= timedelta(hours=expected_hours)
        )


def test_without_hours_a_mute_is_permanent(as_alice, alice, bob):
    for data in ({}, {"hours": ""}):
        as_alice.post("/@bob/mute/", data)
        assert (profile_of(alice, bob).is_muting, profile_of(alice, bob).muted_until) == (
            True,
            None,
        )
        assert "You have muted this person." in as_alice.get("/@bob/").content.decode()
        as_alice.post("/@bob/unmute/")
        assert not profile_of(alice, bob).is_muting
        assert "You have muted" not in as_alice.get("/@bob/").content.decode()


def test_invalid_input_is_refused_with_a_message(as_alice, alice, bob):
    follow(alice, bob)
    errors = {"mute": "Choose how long to mute this person."}
    errors["shares"] = "Choose whether to show or hide shares."
    hours = ["abc", "0", "-1", "1.5", "1e3", "9" * 6000, "10000000", "nan", "\x00", "1;2"]
    forms = [("mute", {"hours": value}) for value in hours]
    forms += [("shares", {"is_hidden": value}) for value in ("", "2", "yes", "\x00")]
    for action, data in [*forms, ("shares", {})]:
        as_alice.post(f"/@bob/{action}/", {**data, "next": "/explore/people/"})
        assert messages_of(as_alice.get("/explore/people/")) == [errors[action]]
    assert connection.database["blocks_and_mutes"].count_documents({}) == 0


def test_shares_are_hidden_and_shown_again(as_alice, alice, bob):
    response = as_alice.post("/@bob/shares/", {"is_hidden": "1"}, follow=True)
    assert messages_of(response) == ["Follow Bob Brown first to hide or show their shares."]
    follow(alice, bob)
    for hidden in ("1", "0"):
        as_alice.post("/@bob/shares/", {"is_hidden": hidden})
        assert profile_of(alice, bob).hides_shares is (hidden == "1")


def test_a_follower_is_removed_only_from_the_users_own_list(as_alice, alice, bob, carol):
    follow(carol, alice)
    follow(carol, bob)
    assert b'action="/@carol/remove/"' in as_alice.get("/@alice/followers/").content
    assert b"/remove/" not in as_alice.get("/@bob/followers/").content
    response = as_alice.post("/@carol/remove/", {"next": "/@alice/followers/"}, follow=True)
    assert listed(response) == []
    assert check_relationships() == {(carol.pk, bob.pk)}


def test_blocked_users_see_no_lists_and_are_in_none(as_alice, alice, bob, carol):
    follow(bob, carol)
    follow(carol, bob)
    follow(alice, carol)
    block_user(owner=bob.pk, other=alice.pk)
    for client in (as_alice, client_of(bob)):
        name = "bob" if client is as_alice else "alice"
        for kind in ("followers", "following"):
            assert client.get(f"/@{name}/{kind}/").status_code == 404
        assert name not in listed(client.get("/explore/people/"))
        assert name not in listed(client.get("/@carol/followers/"))
        assert name not in listed(client.get("/@carol/following/"))
    visitor = Client()
    assert listed(visitor.get("/@carol/followers/")) == ["alice", "bob"]
    assert visitor.get("/@bob/followers/").status_code == 200


def test_the_menu_of_a_profile_offers_the_current_actions(as_alice, alice, bob):
    def offered_actions():
        html = as_alice.get("/@bob/").content.decode()
        menu = html[html.index("user-menu") :]
        return set(re.findall(r'(?:action|href)="/@bob/(\w+)/"', menu[: menu.index("</details>")]))

    assert offered_actions() == {"mute", "lists", "note", "block"}
    follow(alice, bob)
    follow(bob, alice)
    following = {"lists", "note", "shares", "languages", "feature", "remove", "block"}
    assert offered_actions() == {"mute", *following}
    mute_user(owner=alice.pk, other=bob.pk, until=timezone.now() + timedelta(hours=1))
    assert offered_actions() == {"unmute", *following}
    page = as_alice.get("/@bob/").content.decode()
    assert "muted until" in page
    assert "You have muted this person until" in page
    block_user(owner=alice.pk, other=bob.pk)
    assert offered_actions() == {"unmute", "note", "unblock"}
    assert "user-menu" not in as_alice.get("/@alice/").content.decode()
    assert "user-menu" not in Client().get("/@bob/").content.decode()
