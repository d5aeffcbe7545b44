"""User lists through the API."""

import pytest

from accounts.services.blocks_and_mutes import block_user
from feed.store.user_lists import MAX_USERS, user_lists
from tests.api.api_client import Api, link
from tests.factories import follow, people, publish


@pytest.fixture
def friends(alice):
    return Api(alice).post("lists", title=" My  friends ").json()


def test_a_list_is_created_renamed_filled_read_and_deleted(alice, bob, carol, friends):
    api, path = Api(alice), f"lists/{friends['id']}"
    assert friends["title"] == "My friends"
    assert set(friends) == {"id", "title", "replies_policy", "exclusive"}
    follow(alice, bob, carol)
    renamed = api.put(path, title="Friends", replies_policy="list", exclusive=False).json()
    assert renamed == api.get(path).json() == friends | {"title": "Friends"}
    assert api.get("lists").json() == [renamed]
    for _ in range(2):
        added = api.post(f"{path}/accounts", account_ids=[str(bob.pk), str(carol.pk)])
        assert added.json() == {}
    members = api.get(f"{path}/accounts", limit=0).json()
    assert [account["username"] for account in members] == ["carol", "bob"]
    post = publish(bob)
    assert [status["id"] for status in api.get(f"timelines/list/{friends['id']}").json()] == [
        str(post)
    ]
    for _ in range(2):
        api.delete(f"{path}/accounts", account_ids=[str(bob.pk)])
    assert [account["username"] for account in api.get(f"{path}/accounts").json()] == ["carol"]
    assert api.delete(path).json() == {}
    assert api.get(path).status_code == 404


def test_accounts_of_a_list_are_paged_at_the_same_cost(alice, friends, record_commands):
    api, users, path = Api(alice), people(7), f"lists/{friends['id']}/accounts"
    follow(alice, *users)
    api.post(path, account_ids=[str(user.pk) for user in users])
    costs = []
    for limit in (2, 40):
        api.get(path, limit=limit)
        with record_commands() as commands:
            api.get(path, limit=limit)
        costs.append(len(commands))
    assert costs[0] == costs[1]
    responses = [api.get(path, limit=3)]
    while next_path := link(responses[-1], "next"):
        responses.append(api.get(next_path))
    names = [account["username"] for response in responses for account in response.json()]
    assert names == [user.username for user in reversed(users)]
    assert api.get(link(responses[-1], "prev")).json() == responses[-2].json()


def test_only_the_owner_can_use_a_list(alice, bob, friends):
    api, path = Api(bob), f"lists/{friends['id']}"
    assert api.get("lists").json() == []
    for response in (
        api.get(path),
        api.put(path, title="x"),
        api.delete(path),
        api.get(f"{path}/accounts"),
        api.post(f"{path}/accounts", account_ids=[str(bob.pk)]),
        api.delete(f"{path}/accounts", account_ids=[str(bob.pk)]),
        api.get(f"timelines/list/{friends['id']}"),
    ):
        assert response.status_code == 404
    assert Api(alice).get(path).json() == friends


def test_no_account_is_added_if_an_account_is_missing_or_blocked_or_the_list_is_full(
    alice, bob, carol, friends
):
    api, path = Api(alice), f"lists/{friends['id']}/accounts"
    follow(alice, bob)
    block_user(owner=carol.pk, other=alice.pk)
    for other in (carol.pk, 404):
        assert api.post(path, account_ids=[str(bob.pk), str(other)]).status_code == 404
    assert api.get(path).json() == []
    user_lists().update_one({}, {"$set": {"lists.0.uids": list(range(MAX_USERS))}})
    response = api.post(path, account_ids=[str(bob.pk)])
    assert (response.status_code, "is full" in response.json()["error"]) == (422, True)


@pytest.mark.parametrize(
    "sent", [{}, {"title": ""}, {"title": "x" * 61}, {"title": "x", "replies_policy": "y"}]
)
def test_invalid_lists_are_refused(alice, sent):
    assert Api(alice).post("lists", **sent).status_code == 422
    assert Api(alice).get("lists").json() == []
