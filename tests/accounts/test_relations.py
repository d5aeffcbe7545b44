"""How a viewer stands to others: all that is so, nothing that is not, in one command."""

import pytest
from django.db import connection

from accounts import user_cards
from accounts.infra.ids import new_id
from accounts.selectors.follow_graph import followers_among
from accounts.selectors.profiles import get_profile_or_404
from accounts.selectors.relationships import Relationships, hidden_users, relationships
from accounts.services.blocks_and_mutes import block_user, hide_shares, mute_user
from accounts.services.follows import follow_user, remove_follower
from accounts.services.profiles import set_private, update_profile
from tests.factories import follow, people


@pytest.fixture
def everything(alice, bob, carol):
    """alice follows, hides, mutes, blocks and is blocked; returns the people by what is so."""
    names = ("followed", "hidden", "muted", "blocked", "blocker", "private", "fan", "asked", "none")
    by_name = dict(zip(names, people(len(names)), strict=True))
    follow(alice, by_name["followed"], by_name["hidden"])
    hide_shares(owner=alice.pk, other=by_name["hidden"].pk, hidden=True)
    mute_user(owner=alice.pk, other=by_name["muted"].pk, until=None)
    block_user(owner=alice.pk, other=by_name["blocked"].pk)
    block_user(owner=by_name["blocker"].pk, other=alice.pk)
    set_private(uid=by_name["private"].pk, is_private=True)
    set_private(uid=by_name["asked"].pk, is_private=True)
    follow(alice, by_name["asked"])
    follow(by_name["fan"], alice)
    # What others do among themselves is not alice's.
    follow(bob, by_name["none"])
    mute_user(owner=bob.pk, other=by_name["none"].pk, until=None)
    block_user(owner=carol.pk, other=by_name["none"].pk)
    return by_name


def test_relations_are_what_is_so_of_those_asked_for(alice, everything):
    uid = {name: one.pk for name, one in everything.items()}
    found = relationships(viewer=alice.pk, uids=uid.values())
    assert found == Relationships(
        followed=frozenset({uid["followed"], uid["hidden"]}),
        blocked=frozenset({uid["blocked"], uid["blocker"]}),
        muted=frozenset({uid["muted"]}),
        shares_hidden=frozenset({uid["hidden"]}),
        private=frozenset({uid["private"], uid["asked"]}),
        unavailable=frozenset(),
    )
    everything["followed"].is_active = False
    everything["followed"].save()
    again = relationships(viewer=alice.pk, uids=uid.values())
    assert again.unavailable == {uid["followed"]}
    few = relationships(viewer=alice.pk, uids=[uid["followed"], uid["followed"], uid["none"]])
    assert few.followed == {uid["followed"]}
    assert not (few.blocked | few.muted | few.shares_hidden | few.private)


def test_of_a_visitor_it_is_only_said_who_is_private(everything):
    uids = [one.pk for one in everything.values()]
    found = relationships(viewer=None, uids=uids)
    assert found.private == {everything["private"].pk, everything["asked"].pk}
    assert not (found.followed | found.blocked | found.muted | found.shares_hidden)


def test_hidden_by_are_all_mutes_and_all_whose_shares_are_hidden(alice, bob, everything):
    found = hidden_users(viewer=alice.pk)
    assert found.muted == {everything["muted"].pk}
    assert found.shares_hidden == {everything["hidden"].pk}
    assert hidden_users(viewer=bob.pk).muted == {everything["none"].pk}


def mute_many(owner, people):
    """Mute the first person by the service, and the others by copies of what the service wrote."""
    first, *others = people
    mute_user(owner=owner.pk, other=first.pk, until=None)
    boundaries = connection.database["boundaries"]
    written = boundaries.find_one({"owner": owner.pk, "other": first.pk})
    boundaries.insert_many({**written, "_id": new_id(), "other": other.pk} for other in others)


def test_it_takes_one_command_for_a_thousand_and_none_for_nobody(alice, record_commands):
    many = people(300)
    mute_many(alice, many)
    uids = [one.pk for one in many]
    with record_commands() as commands:
        found = relationships(viewer=alice.pk, uids=[*uids, *range(1, 700)])
        hidden = hidden_users(viewer=alice.pk)
        relationships(viewer=None, uids=uids)
    assert [name for name, _ in commands] == ["aggregate", "find", "aggregate"]
    assert found.muted == hidden.muted == set(uids)
    with record_commands() as commands:
        for viewer in (alice.pk, None):
            nothing = relationships(viewer=viewer, uids=[])
            assert nothing == relationships(viewer=viewer, uids=iter(()))
    assert commands == []


def test_every_part_is_read_by_an_index(alice, everything, record_commands):
    with record_commands() as commands:
        relationships(viewer=alice.pk, uids=[one.pk for one in everything.values()])
        hidden_users(viewer=alice.pk)
        follow_user(follower=alice.pk, followee=everything["none"].pk)
    read = [
        {key: value for key, value in command.items() if key in ("aggregate", "find", *ASKED)}
        for name, command in commands
        if name in ("aggregate", "find")
    ]
    assert len(read) >= 4
    for command in read:
        if "aggregate" in command:
            command["cursor"] = {}
        plan = str(connection.database.command("explain", command, verbosity="executionStats"))
        assert "IXSCAN" in plan or "IDHACK" in plan
        assert "COLLSCAN" not in plan


ASKED = ("pipeline", "filter", "projection", "hint")


def test_followers_among_are_those_who_follow(alice, bob, carol, record_commands):
    follow(bob, alice)
    follow(alice, carol)
    with record_commands() as commands:
        found = followers_among(uid=alice.pk, uids=[bob.pk, carol.pk, 7])
    assert found == {bob.pk}
    assert len(commands) == 1


def test_a_profile_says_how_its_viewer_stands_to_the_person(alice, everything):
    def fields(name):
        profile = get_profile_or_404(username=everything[name].username, viewer=alice.pk)
        flags = ("is_private", "is_following", "is_requested", "follows_me", "blocks_them")
        more = ("blocked_by_them", "mutes_them", "hides_shares", "may_see_posts")
        return {flag for flag in flags + more if getattr(profile, flag)}

    assert fields("followed") == {"is_following", "may_see_posts"}
    assert fields("hidden") == {"is_following", "hides_shares", "may_see_posts"}
    assert fields("muted") == {"mutes_them", "may_see_posts"}
    assert fields("blocked") == {"blocks_them"}
    assert fields("blocker") == {"blocked_by_them"}
    assert fields("private") == {"is_private"}
    assert fields("asked") == {"is_private", "is_requested"}
    assert fields("fan") == {"follows_me", "may_see_posts"}
    assert fields("none") == {"may_see_posts"}


def test_a_private_person_is_read_by_their_followers_and_themselves(alice, bob):
    follow(alice, bob)
    set_private(uid=bob.pk, is_private=True)
    assert get_profile_or_404(username="bob", viewer=alice.pk).can_view_posts
    assert get_profile_or_404(username="bob", viewer=bob.pk).can_view_posts
    assert not get_profile_or_404(username="bob", viewer=None).can_view_posts
    remove_follower(uid=bob.pk, follower=alice.pk)
    assert not get_profile_or_404(username="bob", viewer=alice.pk).can_view_posts


def test_a_profile_tells_somebody_blocked_neither_words_nor_numbers(alice, bob, carol):
    update_profile(uid=alice.pk, display_name="Alice Adams", bio="Plays the oboe")
    follow(carol, alice)
    follow(alice, carol)
    block_user(owner=alice.pk, other=bob.pk)
    found = get_profile_or_404(username="alice", viewer=bob.pk)
    assert (found.bio, found.follower_count, found.followee_count) == ("", 0, 0)
    found = get_profile_or_404(username="alice", viewer=carol.pk)
    assert (found.bio, found.follower_count, found.followee_count) == ("Plays the oboe", 1, 1)


@pytest.mark.parametrize("viewed_by", ["alice", "the person", "a visitor"])
def test_a_profile_costs_the_same_whoever_looks(alice, everything, record_commands, viewed_by):
    costs = set()
    for person in everything.values():
        viewer = {"alice": alice.pk, "the person": person.pk, "a visitor": None}[viewed_by]
        user_cards.clear_cards()
        with record_commands() as commands:
            get_profile_or_404(username=person.username, viewer=viewer)
        costs.add(len(commands))
    assert costs == {5}
