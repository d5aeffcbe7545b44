"""People whom users feature on their profiles."""

import re
from contextlib import suppress
from functools import partial

import pytest
from django.db import connection
from django.test import Client

from accounts.infra.refusals import Refused
from accounts.services import follow_settings
from accounts.services.account_status import (
    deactivate_account,
    request_deletion,
    suspend_user,
    unsuspend_user,
)
from accounts.services.blocks_and_mutes import block_user, unblock_user
from accounts.services.follow_settings import feature_user, unfeature_user
from accounts.services.follows import remove_follower, unfollow_user
from accounts.services.profiles import set_private
from tests.api.api_client import Api
from tests.at_once import at_once
from tests.factories import follow, people


@pytest.fixture
def as_alice(alice):
    as_user = Client()
    as_user.force_login(alice)
    return as_user


def featured(viewer, owner):
    """Return the usernames that the API lists, after checking that the profile shows the same."""
    response = Api(viewer).get(f"accounts/{owner.pk}/endorsements")
    assert response.status_code == 200
    return [account["username"] for account in response.json()]


def on_profile(client, path):
    html = client.get(path).content.decode()
    _before, section, after = html.partition('aria-labelledby="featured-people"')
    return re.findall(r'href="/@(\w+)/"', after.partition("</ul>")[0]) if section else []


def test_followed_users_are_featured_the_newest_first(as_alice, client, alice, bob, carol):
    follow(alice, bob, carol)
    for user in (bob, carol, bob):
        response = as_alice.post(f"/@{user.username}/feature/", {"is_featured": "1"}, follow=True)
        assert f"features {user.display_name}" in response.content.decode()
    assert on_profile(as_alice, "/@alice/") == ["carol", "bob"]
    assert on_profile(client, "/@alice/") == ["carol", "bob"]
    assert featured(bob, alice) == ["carol", "bob"]
    assert b"Remove from my profile" in as_alice.get("/@bob/").content
    as_alice.post("/@carol/feature/", {"is_featured": "0"})
    assert on_profile(as_alice, "/@alice/") == ["bob"]
    assert on_profile(as_alice, "/@alice/pictures/") == []
    assert b"Feature on my profile" in as_alice.get("/@carol/").content
    refused = as_alice.post("/@carol/feature/", {"is_featured": "perhaps"}, follow=True)
    assert "Choose whether to feature this person." in refused.content.decode()
    assert featured(bob, alice) == ["bob"]


def test_only_followed_users_can_be_featured(as_alice, alice, bob, carol):
    set_private(uid=carol.pk, is_private=True)
    follow(alice, carol)
    for user in (alice, bob, carol):
        with pytest.raises(Refused):
            feature_user(owner=alice.pk, other=user.pk)
        response = Api(alice).post(f"accounts/{user.pk}/endorse")
        assert (response.status_code, response.json()["error"]) == (
            422,
            "You can feature only people you follow.",
        )
    page = as_alice.post("/@bob/feature/", {"is_featured": "1"}, follow=True).content.decode()
    assert "You can feature only people you follow." in page
    assert "Feature on my profile" not in page
    assert featured(alice, alice) == []


@pytest.mark.parametrize(
    "end",
    [
        lambda alice, bob: unfollow_user(follower=alice.pk, followee=bob.pk),
        lambda alice, bob: remove_follower(uid=bob.pk, follower=alice.pk),
        lambda alice, bob: block_user(owner=bob.pk, other=alice.pk),
    ],
    ids=["unfollow", "removal by the followed user", "block by the followed user"],
)
def test_the_end_of_the_follow_ends_it(alice, bob, end):
    follow(alice, bob)
    feature_user(owner=alice.pk, other=bob.pk)
    end(alice, bob)
    assert featured(alice, alice) == []
    unblock_user(owner=bob.pk, other=alice.pk)
    follow(alice, bob)
    assert featured(alice, alice) == []


def test_a_follow_that_an_unblock_restores_is_not_featured(alice, bob):
    follow(alice, bob)
    feature_user(owner=alice.pk, other=bob.pk)
    block_user(owner=alice.pk, other=bob.pk)
    assert featured(alice, alice) == []
    unblock_user(owner=alice.pk, other=bob.pk)
    (relationship,) = Api(alice).get("accounts/relationships", id=bob.pk).json()
    assert (relationship["following"], relationship["endorsed"]) == (True, False)


def test_viewers_see_only_whom_they_may_see(as_alice, alice, bob, carol, client):
    dave, erin = people(2)
    follow(alice, bob, dave, erin)
    for user in (bob, dave, erin):
        feature_user(owner=alice.pk, other=user.pk)
    block_user(owner=bob.pk, other=carol.pk)
    deactivate_account(uid=dave.pk)
    assert featured(carol, alice) == [erin.username]
    assert featured(alice, alice) == [erin.username, "bob"]
    set_private(uid=alice.pk, is_private=True)
    assert featured(carol, alice) == []
    assert on_profile(client, "/@alice/") == []
    follow(carol, alice)
    assert featured(carol, alice) == []
    assert on_profile(as_alice, "/@alice/") == [erin.username, "bob"]
    block_user(owner=alice.pk, other=carol.pk)
    assert featured(carol, alice) == []


def test_the_number_is_limited(alice, monkeypatch):
    monkeypatch.setattr(follow_settings, "MAX_FEATURED_PEOPLE", 2)
    users = people(3)
    follow(alice, *users)
    api = Api(alice)
    codes = [api.post(f"accounts/{user.pk}/endorse").status_code for user in users]
    assert codes == [200, 200, 422]
    assert api.post(f"accounts/{users[0].pk}/endorse").json()["endorsed"] is True
    assert api.post(f"accounts/{users[0].pk}/unendorse").json()["endorsed"] is False
    assert api.post(f"accounts/{users[2].pk}/pin").json()["endorsed"] is True


def test_inactive_users_do_not_count_towards_the_limit(as_alice, client, alice, monkeypatch):
    monkeypatch.setattr(follow_settings, "MAX_FEATURED_PEOPLE", 3)
    deactivated, suspended, leaving, *others = people(7)
    names = [user.username for user in others][::-1]
    follow(alice, deactivated, suspended, leaving, *others)
    for user in (deactivated, suspended, leaving):
        feature_user(owner=alice.pk, other=user.pk)
    deactivate_account(uid=deactivated.pk)
    suspend_user(uid=suspended.pk)
    request_deletion(uid=leaving.pk)
    for user in others[:3]:
        feature_user(owner=alice.pk, other=user.pk)
    with pytest.raises(Refused, match="You can feature up to"):
        feature_user(owner=alice.pk, other=others[3].pk)
    unsuspend_user(uid=suspended.pk)
    assert on_profile(as_alice, "/@alice/") == [*names[1:], suspended.username]
    assert on_profile(client, "/@alice/") == featured(alice, alice)
    with pytest.raises(Refused, match="You can feature up to"):
        feature_user(owner=alice.pk, other=others[3].pk)
    for user in (suspended, others[0]):
        unfeature_user(owner=alice.pk, other=user.pk)
    feature_user(owner=alice.pk, other=others[3].pk)
    assert featured(alice, alice) == names[:3]


def test_apps_can_repeat_each_action(alice, bob):
    follow(alice, bob)
    for name, is_featured in (("endorse", True), ("unendorse", False), ("pin", True)):
        for _again in range(2):
            response = Api(alice).post(f"accounts/{bob.pk}/{name}")
            assert (response.status_code, response.json()["endorsed"]) == (200, is_featured)
    assert Api(alice).post(f"accounts/{bob.pk}/unpin").json()["endorsed"] is False


def test_concurrent_requests_do_not_exceed_the_limit(alice, monkeypatch):
    monkeypatch.setattr(follow_settings, "MAX_FEATURED_PEOPLE", 2)
    users = people(6)
    follow(alice, *users)

    def feature(uid):
        with suppress(Refused):
            feature_user(owner=alice.pk, other=uid)

    at_once(*(partial(feature, user.pk) for user in users))
    assert connection.database["follow_edges"].count_documents({"featured": {"$gt": 0}}) == 2


def test_the_list_of_an_account_is_paged_both_ways(alice, bob):
    users = people(5)
    follow(alice, *users)
    for user in users:
        feature_user(owner=alice.pk, other=user.pk)
    names = [user.username for user in reversed(users)]
    path = f"accounts/{alice.pk}/endorsements"
    api = Api(bob)
    first = api.get(path, limit=2)
    assert [account["username"] for account in first.json()] == names[:2]
    older = re.search(r'<([^>]+)>; rel="next"', first["Link"])[1].removeprefix("http://testserver")
    second = api.get(older)
    assert [account["username"] for account in second.json()] == names[2:4]
    newer = re.search(r'<([^>]+)>; rel="prev"', second["Link"])[1].removeprefix("http://testserver")
    assert [account["username"] for account in api.get(newer).json()] == names[:2]
    assert [account["username"] for account in Api(alice).get("endorsements").json()] == names
