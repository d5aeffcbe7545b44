"""Lists of people through the API."""

import pytest

from accounts.services.blocks_and_mutes import block_user
from feed.store.user_lists import MAX_USERS, people_lists
from tests.api.calling import Api, link
from tests.factories import follow, people, publish


@pytest.fixture
def friends(alice):
    return Api(alice).post("lists", title=" My  friends ").json()


def test_a_list_is_made_named_anew_filled_read_and_deleted(alice, bob, carol, friends):
    api, path = Api(alice), f"lists/{friends['id']}"
    assert friends["title"] == "My friends"
    assert set(friends) == {"id", "title", "replies_policy", "exclusive"}
    follow(alice, bob, carol)
    changed = api.put(path, title="Friends", replies_policy="list", exclusive=False).json()
    assert changed == api.get(path).json() == friends | {"title": "Friends"}
    assert api.get("lists").json() == [changed]
    for _ in range(2):
        added = api.post(f"{path}/accounts", account_ids=[str(bob.pk), str(carol.pk)])
        assert added.json() == {}
    found = api.get(f"{path}/accounts", limit=0).json()
    assert [one["username"] for one in found] == ["carol", "bob"]
    post = publish(bob)
    assert [one["id"] for one in api.get(f"timelines/list/{friends['id']}").json()] == [str(post)]
    for _ in range(2):
        api.delete(f"{path}/accounts", account_ids=[str(bob.pk)])
    assert [one["username"] for one in api.get(f"{path}/accounts").json()] == ["carol"]
    assert api.delete(path).json() == {}
    assert api.get(path).status_code == 404


def test_the_people_on_a_list_come_page_by_page_at_the_same_cost(alice, friends, record_commands):
    api, crowd, path = Api(alice), people(7), f"lists/{friends['id']}/accounts"
    follow(alice, *crowd)
    api.post(path, account_ids=[str(one.pk) for one in crowd])
    costs = []
    for limit in (2, 40):
        api.get(path, limit=limit)
        with record_commands() as commands:
            api.get(path, limit=limit)
        costs.append(len(commands))
    assert costs[0] == costs[1]
    answers = [api.get(path, limit=3)]
    while further := link(answers[-1], "next"):
        answers.append(api.get(further))
    names = [one["username"] for answer in answers for one in answer.json()]
    assert names == [one.username for one in reversed(crowd)]
    assert api.get(link(answers[-1], "prev")).json() == answers[-2].json()


def test_a_list_is_its_owners_alone(alice, bob, friends):
    api, path = Api(bob), f"lists/{friends['id']}"
    assert api.get("lists").json() == []
    for answer in (
        api.get(path),
        api.put(path, title="x"),
        api.delete(path),
        api.get(f"{path}/accounts"),
        api.post(f"{path}/accounts", account_ids=[str(bob.pk)]),
        api.delete(f"{path}/accounts", account_ids=[str(bob.pk)]),
        api.get(f"timelines/list/{friends['id']}"),
    ):
        assert answer.status_code == 404
    assert Api(alice).get(path).json() == friends


def test_nobody_is_added_where_somebody_is_gone_or_apart_or_does_not_fit(
    alice, bob, carol, friends
):
    api, path = Api(alice), f"lists/{friends['id']}/accounts"
    follow(alice, bob)
    block_user(owner=carol.pk, other=alice.pk)
    for other in (carol.pk, 404):
        assert api.post(path, account_ids=[str(bob.pk), str(other)]).status_code == 404
    assert api.get(path).json() == []
    people_lists().update_one({}, {"$set": {"lists.0.uids": list(range(MAX_USERS))}})
    answer = api.post(path, account_ids=[str(bob.pk)])
    assert (answer.status_code, "is full" in answer.json()["error"]) == (422, True)


@pytest.mark.parametrize(
    "sent", [{}, {"title": ""}, {"title": "x" * 61}, {"title": "x", "replies_policy": "y"}]
)
def test_what_is_no_list_is_refused(alice, sent):
    assert Api(alice).post("lists", **sent).status_code == 422
    assert Api(alice).get("lists").json() == []
