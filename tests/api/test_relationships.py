"""Follows, blocks and mutes through the API, and the lists of followed, blocked and muted accounts."""

import pytest
from django.urls import reverse

from accounts.infra.cursors import PageBounds
from accounts.models import User
from accounts.selectors.follow_graph import is_following
from accounts.services.account_status import deactivate_account
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.moderation import set_limited
from accounts.services.profiles import set_private, update_profile
from feed.timeline.home import home_page
from tests.actions import share_post
from tests.api.api_client import Api, link
from tests.factories import follow, people, publish


def names(response):
    assert response.status_code == 200, response.content
    return [account["username"] for account in response.json()]


def test_actions_can_be_repeated_and_return_the_relationship(alice, bob):
    api = Api(alice)

    def send_twice(name, **data):
        responses = [api.post(f"accounts/{bob.pk}/{name}", **data) for _ in range(2)]
        assert [response.status_code for response in responses] == [200, 200]
        assert responses[0].json() == responses[1].json()
        return {name for name, value in responses[0].json().items() if value is True}

    assert send_twice("follow") == {"following", "showing_reblogs"}
    assert send_twice("follow", reblogs=False) == {"following"}
    follow(bob, alice)
    assert send_twice("follow", reblogs=True) == {"following", "showing_reblogs", "followed_by"}
    assert send_twice("remove_from_followers") == {"following", "showing_reblogs"}
    assert send_twice("mute") >= {"muting", "muting_notifications"}
    assert send_twice("unmute") == {"following", "showing_reblogs"}
    assert send_twice("block") == {"blocking"}
    assert send_twice("unblock") == {"following", "showing_reblogs"}
    assert send_twice("unfollow") == set()


def test_shares_of_a_followed_user_can_be_hidden(alice, bob, carol):
    follow(alice, bob)
    share_post(post_id=publish(carol), actor=bob)
    assert home_page(viewer=alice.pk, bounds=PageBounds(limit=5)).posts
    Api(alice).post(f"accounts/{bob.pk}/follow", reblogs="false")
    assert not home_page(viewer=alice.pk, bounds=PageBounds(limit=5)).posts


def test_a_mute_has_an_end(alice, bob, carol):
    api = Api(alice)
    until = api.post(f"accounts/{bob.pk}/mute", duration=3600).json()["muting_expires_at"]
    assert until.endswith("Z")
    api.post(f"accounts/{carol.pk}/mute", duration=10**30)
    muted = api.get("mutes").json()
    assert [(row["username"], row["mute_expires_at"] is None) for row in muted] == [
        ("carol", False),
        ("bob", False),
    ]
    assert muted[1]["mute_expires_at"] == until
    assert api.post(f"accounts/{bob.pk}/mute").json()["muting_expires_at"] is None
    assert api.post(f"accounts/{bob.pk}/mute", duration=-1).status_code == 422


def test_a_mute_can_leave_notifications_on(alice, bob):
    api, path = Api(alice), f"accounts/{bob.pk}/mute"
    for data, mutes_notifications in (
        ({"notifications": False}, False),
        ({"notifications": "false", "duration": 60}, False),
        ({}, True),
        ({"notifications": None}, True),
        ({"notifications": False}, False),
        ({"notifications": True}, True),
    ):
        relationship = api.post(path, **data).json()
        assert relationship["muting"] is True
        assert relationship["muting_notifications"] is mutes_notifications
        assert (relationship["muting_expires_at"] is not None) is ("duration" in data)
    assert api.post(path, notifications="perhaps").status_code == 422
    relationship = api.post(f"accounts/{bob.pk}/unmute").json()
    assert (relationship["muting"], relationship["muting_notifications"]) == (False, False)


def test_private_users_approve_followers(alice, bob, carol):
    set_private(uid=bob.pk, is_private=True)
    for user in (alice, carol):
        relationship = Api(user).post(f"accounts/{bob.pk}/follow", reblogs=False).json()
        assert (relationship["requested"], relationship["following"]) == (True, False)
    api = Api(bob)
    assert names(api.get("follow_requests")) == ["carol", "alice"]
    assert api.get("accounts/relationships", id=alice.pk).json()[0]["requested_by"] is True
    for _ in range(2):
        response = api.post(f"follow_requests/{alice.pk}/authorize").json()
        assert (response["followed_by"], response["requested_by"]) == (True, False)
        assert api.post(f"follow_requests/{carol.pk}/reject").json()["followed_by"] is False
    assert names(api.get("follow_requests")) == []
    assert is_following(follower=alice.pk, followee=bob.pk)
    assert not is_following(follower=carol.pk, followee=bob.pk)


def test_blocked_users_and_the_caller_cannot_be_followed(alice, bob):
    block_user(owner=bob.pk, other=alice.pk)
    api = Api(alice)
    assert api.post(f"accounts/{bob.pk}/follow").status_code == 422
    for name in ("follow", "block", "mute"):
        response = api.post(f"accounts/{alice.pk}/{name}")
        assert response.status_code == 422
        assert response.json()["error"]
    assert api.get("accounts/relationships", id=bob.pk).json()[0]["blocked_by"] is True


def test_relationships_keep_the_requested_order_at_constant_cost(alice, record_commands):
    users = people(20)
    follow(alice, users[3])
    follow(users[4], alice)
    costs = []
    for requested_users in (users[3:5], users):
        relationship = {"id[]": [str(user.pk) for user in requested_users] + ["1"]}
        api = Api(alice)
        api.get("accounts/relationships", **relationship)
        with record_commands() as commands:
            rows = api.get("accounts/relationships", **relationship).json()
        costs.append(len(commands))
        assert [relationship["id"] for relationship in rows] == [
            str(user.pk) for user in requested_users
        ]
    assert costs[0] == costs[1]
    assert [relationship["following"] for relationship in rows[2:5]] == [False, True, False]
    assert [relationship["followed_by"] for relationship in rows[2:5]] == [False, False, True]


@pytest.mark.parametrize("kind", ["followers", "following", "blocks", "mutes", "follow_requests"])
def test_every_list_is_paged_both_ways_at_constant_cost(alice, bob, kind, record_commands):
    others = people(6)
    for user in others:
        match kind:
            case "followers":
                follow(user, bob)
            case "following":
                follow(bob, user)
            case "blocks":
                block_user(owner=alice.pk, other=user.pk)
            case "mutes":
                mute_user(owner=alice.pk, other=user.pk, until=None)
            case "follow_requests":
                set_private(uid=alice.pk, is_private=True)
                follow(user, alice)
    path = kind if kind not in ("followers", "following") else f"accounts/{bob.pk}/{kind}"
    newest_first = [user.username for user in reversed(others)]
    api = Api(alice)
    seen, response = [], api.get(path, limit=2)
    while True:
        seen.append(names(response))
        if not (next_path := link(response, "next")):
            break
        response = api.get(next_path)
    assert seen == [newest_first[0:2], newest_first[2:4], newest_first[4:6]]
    assert names(api.get(link(response, "prev"))) == newest_first[2:4]
    newest_path = link(api.get(path, limit=2), "prev")
    assert names(api.get(newest_path)) == []
    assert names(api.get(link(api.get(newest_path), "next"))) == newest_first[0:2]
    since = newest_path.replace("min_id", "since_id")
    assert names(api.get(since)) == []
    costs = []
    for limit in (2, 6):
        api.get(path, limit=limit)
        with record_commands() as commands:
            assert len(names(api.get(path, limit=limit))) == limit
        costs.append(len(commands))
    assert costs[0] == costs[1]


def test_lists_show_the_same_accounts_as_the_pages(client, alice, bob, carol):
    dora, eve, frank = people(3, prefix="guest")
    for user in (carol, dora, eve, frank):
        follow(user, bob)
    update_profile(uid=carol.pk, display_name="", bio="Words of carol")
    block_user(owner=carol.pk, other=alice.pk)
    deactivate_account(uid=dora.pk)
    set_limited(uid=eve.pk, is_limited=True)
    mute_user(owner=alice.pk, other=carol.pk, until=None)
    client.force_login(alice)
    page = client.get("/@bob/followers/").content.decode()
    listed = names(Api(alice).get(f"accounts/{bob.pk}/followers"))
    assert listed == ["guest2"]
    for name in ("carol", "guest0", "guest1", "guest2"):
        assert (f"/@{name}/" in page) == (name in listed)
    (muted,) = Api(alice).get("mutes").json()
    assert (muted["note"], muted["followers_count"], muted["statuses_count"]) == ("", 0, 0)
    page = client.get(reverse("muted_users")).content.decode()
    assert "/@carol/" in page
    assert "Words of carol" not in page


@pytest.mark.parametrize("kind", ["following", "blocks", "mutes", "follow_requests"])
def test_every_list_matches_its_page(client, alice, bob, kind):
    others = people(5, prefix="guest")
    page = {
        "following": "/@bob/following/",
        "blocks": reverse("blocked_users"),
        "mutes": reverse("muted_users"),
        "follow_requests": reverse("follow_requests"),
    }[kind]
    set_private(uid=alice.pk, is_private=kind == "follow_requests")
    for user in others:
        match kind:
            case "following":
                follow(bob, user)
            case "blocks":
                block_user(owner=alice.pk, other=user.pk)
            case "mutes":
                mute_user(owner=alice.pk, other=user.pk, until=None)
            case "follow_requests":
                follow(user, alice)
    deactivate_account(uid=others[0].pk)
    set_limited(uid=others[1].pk, is_limited=True)
    if kind != "follow_requests":  # a block would delete the follow request
        block_user(owner=others[2].pk, other=alice.pk)
    set_private(uid=others[3].pk, is_private=True)
    client.force_login(alice)
    page_html = client.get(page).content.decode()
    path = f"accounts/{bob.pk}/following" if kind == "following" else kind
    listed = names(Api(alice).get(path))
    assert listed == [
        user.username for user in reversed(others) if f"/@{user.username}/" in page_html
    ]
    assert others[4].username in listed


def test_an_empty_page_before_the_end_has_a_next_link(alice, bob):
    others = people(3)
    for user in others:
        follow(user, bob)
    deactivate_account(uid=others[2].pk)
    response = Api(alice).get(f"accounts/{bob.pk}/followers", limit=1)
    assert response.json() == []
    assert names(Api(alice).get(link(response, "next"))) == [others[1].username]


def test_familiar_followers_are_listed_unless_hidden(alice, bob, carol):
    dora, eve = people(2)
    follow(alice, bob, carol)
    follow(bob, dora, eve)
    follow(carol, dora)
    set_private(uid=eve.pk, is_private=True)
    relationship = {"id[]": [str(dora.pk), str(eve.pk)]}
    rows = Api(alice).get("accounts/familiar_followers", **relationship).json()
    assert [relationship["id"] for relationship in rows] == relationship["id[]"]
    assert {account["username"] for account in rows[0]["accounts"]} == {"bob", "carol"}
    assert rows[1]["accounts"] == []


def test_suggestions_can_be_dismissed(alice, bob, carol):
    follow(alice, bob)
    follow(bob, carol)
    api = Api(alice)
    (suggestion,) = api.get("/api/v2/suggestions").json()
    assert suggestion["account"]["username"] == "carol"
    assert suggestion["sources"] == ["friends_of_friends"]
    assert names(api.get("suggestions")) == ["carol"]
    for _ in range(2):
        assert api.delete(f"suggestions/{carol.pk}").json() == {}
    assert names(api.get("suggestions")) == []
    assert api.delete("suggestions/1").status_code == 404


def test_suggestions_have_the_reasons_of_mastodon(alice, bob, carol):
    User.objects.filter(pk=bob.pk).update(is_recommended=True)
    publish(carol, "#tea")
    suggestions = Api(alice).get("/api/v2/suggestions").json()
    reasons = {row["account"]["username"]: (row["source"], row["sources"]) for row in suggestions}
    assert reasons == {
        "bob": ("staff", ["featured"]),
        "carol": ("global", ["most_interactions"]),
    }


def test_the_directory_lists_active_accounts_first(alice, bob, carol):
    people(2)
    for author in (alice, bob):
        publish(author)
    order = names(Api().get("directory", order="active"))
    assert set(order[:2]) == {"alice", "bob"}
    assert order[2:] == ["p1", "p0", "carol"]
    pages = [names(Api().get("directory", offset=offset, limit=2)) for offset in (0, 2, 4, 6)]
    assert pages == [order[:2], order[2:4], order[4:], []]
    assert names(Api().get("directory", order="new")) == ["p1", "p0", "carol", "bob", "alice"]


def test_the_directory_lists_public_accounts(alice, bob, carol):
    set_private(uid=bob.pk, is_private=True)
    dora, _eve = people(2)
    set_limited(uid=dora.pk, is_limited=True)
    assert names(Api().get("directory")) == ["p1", "carol", "alice"]
    assert names(Api().get("directory", offset=1, limit=1)) == ["carol"]
    block_user(owner=carol.pk, other=alice.pk)
    assert names(Api(alice).get("directory")) == ["p1", "alice"]
    assert Api().get("directory", order="oldest").status_code == 422
