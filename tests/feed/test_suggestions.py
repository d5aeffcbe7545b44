"""Whom one might want to follow: friends of friends, with the reason."""

import pytest
from django.core.cache import cache
from django.db import connection

from accounts import user_cards
from accounts.infra.ids import new_id
from accounts.selectors import suggestions
from accounts.selectors.suggestions import suggested_users
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.follows import unfollow_user
from accounts.services.profiles import set_private
from accounts.store import edges
from tests.factories import follow, follow_in_bulk, people

from .asking import plan_of, stages
from .reading_html import words


def suggested(viewer, limit=10):
    found = suggested_users(viewer=viewer.pk, limit=limit)
    return {one.card.username: (one.followed_by.username, one.other_count) for one in found}


def test_whom_most_friends_follow_comes_first_and_says_so(alice, bob, carol):
    often, once, never = people(3, "stranger")
    follow(alice, bob, carol)
    follow(bob, often, once)
    follow(carol, often)
    follow(never, alice)
    found = suggested(alice)
    assert list(found) == ["stranger0", "stranger1"]
    assert found == {"stranger0": ("carol", 1), "stranger1": ("bob", 0)}


def test_the_reason_is_on_the_page_of_people(client, alice, bob, carol):
    stranger, *friends = people(4, "stranger")
    follow(alice, bob, *friends)
    for one in (*friends, bob):
        follow(one, stranger)
    follow(bob, carol)
    client.force_login(alice)
    page = words(client.get("/people/").content.decode())
    assert "You might like to follow" in page
    assert "Followed by Bob Brown and 3 others" in page
    assert "Followed by Bob Brown" in page
    assert "You might like" not in client.get("/people/?max_id=9").content.decode()
    column = client.get("/beside/", headers={"HX-Request": "true"}).content.decode()
    assert "Followed by Bob Brown and 3 others" in words(column)


@pytest.mark.parametrize("warm", [False, True], ids=["counted anew", "kept from before"])
def test_nobody_is_suggested_whom_the_viewer_knows_or_does_not_want(alice, bob, warm):
    followed, asked, blocked, blocking, muted, gone, fine = people(7, "s")
    follow(alice, bob)
    follow(bob, alice, followed, asked, blocked, blocking, muted, gone, fine)
    if warm:
        assert len(suggested(alice)) == 7
    follow(alice, followed)
    set_private(uid=asked.pk, is_private=True)
    follow(alice, asked)
    block_user(owner=alice.pk, other=blocked.pk)
    block_user(owner=blocking.pk, other=alice.pk)
    mute_user(owner=alice.pk, other=muted.pk, until=None)
    gone.is_active = False
    gone.save()
    assert suggested(alice) == {"s6": ("bob", 0)}


def test_a_friend_who_is_none_any_more_is_no_reason(alice, bob, carol):
    stranger, *_ = people(1, "s")
    follow(alice, bob, carol)
    follow(bob, stranger)
    follow(carol, stranger)
    assert suggested(alice) == {"s0": ("carol", 1)}
    mute_user(owner=alice.pk, other=carol.pk, until=None)
    assert suggested(alice) == {"s0": ("bob", 0)}
    unfollow_user(follower=alice.pk, followee=bob.pk)
    assert suggested(alice) == {}


def test_who_follows_nobody_gets_none_and_then_at_once(alice, bob, carol):
    follow(bob, carol)
    assert suggested(alice) == {}
    follow(alice, bob)
    assert suggested(alice) == {"carol": ("bob", 0)}


def test_many_friends_cost_no_more_commands_and_no_more_work(alice, record_commands, monkeypatch):
    monkeypatch.setattr(suggestions, "MAX_FOLLOWEES_EXAMINED", 20)
    monkeypatch.setattr(suggestions, "MAX_FOLLOWS_COUNTED", 50)

    def commands():
        cache.clear()
        user_cards.clear_cards()
        with record_commands() as found:
            assert suggested(alice)
        return found

    friends, strangers = people(30, "f"), people(30, "s")
    follow(alice, friends[0])
    follow(friends[0], strangers[0])
    few = commands()
    follow_in_bulk(alice, friends[1:])
    connection.database["follow_edges"].insert_many(
        {"_id": new_id(), "follower": friend.pk, "followee": one.pk, "bucket": 0}
        for friend in friends[10:]
        for one in strangers
    )
    many = commands()
    assert [(name, one[name]) for name, one in many] == [(name, one[name]) for name, one in few]
    assert len([name for name, one in many if one[name] != "cache"]) <= 6
    (command,) = (
        one
        for name, one in many
        if name == "find" and "$in" in str(one.get("filter")) and "sort" in one
    )
    plan = plan_of(command)
    used = {one["stage"] for one in stages(plan)}
    assert "SORT_MERGE" in used
    assert not {"SORT", "COLLSCAN"} & used
    assert plan["executionStats"]["totalDocsExamined"] <= 50
    assert len(edges.newest_edges(followers=[one.pk for one in friends], limit=50)) == 50


def test_home_asks_nothing_of_the_database_for_its_column(
    client, alice, bob, carol, record_commands
):
    follow(alice, bob)
    follow(bob, carol)
    client.force_login(alice)
    with record_commands() as commands:
        page = client.get("/").content.decode()
    assert 'hx-get="/beside/"' in page
    assert not [one for name, one in commands if one.get(name) == "cache"]


def test_a_column_costs_the_same_for_one_as_for_three(client, alice, bob, record_commands):
    def commands():
        client.get("/beside/", headers={"HX-Request": "true"})
        cache.clear()
        user_cards.clear_cards()
        with record_commands() as found:
            client.get("/beside/", headers={"HX-Request": "true"})
        return [(name, one[name]) for name, one in found]

    strangers = people(5, "s")
    follow(alice, bob)
    follow(bob, strangers[0])
    client.force_login(alice)
    few = commands()
    follow(bob, *strangers[1:])
    assert commands() == few
