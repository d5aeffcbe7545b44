"""How a viewer stands to others: all that is so, nothing that is not, in one command."""

import pytest
from django.db import connection

from accounts import selectors, services, user_cards
from accounts.ids import new_id
from tests.factories import follow, people


@pytest.fixture
def everything(alice, bob, carol):
    """alice follows, hides, mutes, blocks and is blocked; returns the people by what is so."""
    names = ("followed", "hidden", "muted", "blocked", "blocker", "private", "fan", "asked", "none")
    by_name = dict(zip(names, people(len(names)), strict=True))
    follow(alice, by_name["followed"], by_name["hidden"])
    services.hide_shares(owner=alice.pk, other=by_name["hidden"].pk, hidden=True)
    services.mute(owner=alice.pk, other=by_name["muted"].pk, until=None)
    services.block(owner=alice.pk, other=by_name["blocked"].pk)
    services.block(owner=by_name["blocker"].pk, other=alice.pk)
    services.set_private(uid=by_name["private"].pk, is_private=True)
    services.set_private(uid=by_name["asked"].pk, is_private=True)
    follow(alice, by_name["asked"])
    follow(by_name["fan"], alice)
    # What others do among themselves is not alice's.
    follow(bob, by_name["none"])
    services.mute(owner=bob.pk, other=by_name["none"].pk, until=None)
    services.block(owner=carol.pk, other=by_name["none"].pk)
    return by_name


def test_relations_are_what_is_so_of_those_asked_for(alice, everything):
    uid = {name: one.pk for name, one in everything.items()}
    found = selectors.relations(viewer=alice.pk, uids=uid.values())
    assert found == selectors.Relations(
        follows=frozenset({uid["followed"], uid["hidden"]}),
        blocks=frozenset({uid["blocked"], uid["blocker"]}),
        mutes=frozenset({uid["muted"]}),
        hides_shares=frozenset({uid["hidden"]}),
        private=frozenset({uid["private"], uid["asked"]}),
        gone=frozenset(),
    )
    everything["followed"].is_active = False
    everything["followed"].save()
    again = selectors.relations(viewer=alice.pk, uids=uid.values())
    assert again.gone == {uid["followed"]}
    few = selectors.relations(viewer=alice.pk, uids=[uid["followed"], uid["followed"], uid["none"]])
    assert few.follows == {uid["followed"]}
    assert not (few.blocks | few.mutes | few.hides_shares | few.private)


def test_of_a_visitor_it_is_only_said_who_is_private(everything):
    uids = [one.pk for one in everything.values()]
    found = selectors.relations(viewer=None, uids=uids)
    assert found.private == {everything["private"].pk, everything["asked"].pk}
    assert not (found.follows | found.blocks | found.mutes | found.hides_shares)


def test_hidden_by_are_all_mutes_and_all_whose_shares_are_hidden(alice, bob, everything):
    found = selectors.hidden_by(viewer=alice.pk)
    assert found.mutes == {everything["muted"].pk}
    assert found.hides_shares == {everything["hidden"].pk}
    assert selectors.hidden_by(viewer=bob.pk).mutes == {everything["none"].pk}


def mute_many(owner, people):
    """Mute the first person by the service, and the others by copies of what the service wrote."""
    first, *others = people
    services.mute(owner=owner.pk, other=first.pk, until=None)
    boundaries = connection.database["boundaries"]
    written = boundaries.find_one({"owner": owner.pk, "other": first.pk})
    boundaries.insert_many({**written, "_id": new_id(), "other": other.pk} for other in others)


def test_it_takes_one_command_for_a_thousand_and_none_for_nobody(alice, record_commands):
    many = people(300)
    mute_many(alice, many)
    uids = [one.pk for one in many]
    with record_commands() as commands:
        found = selectors.relations(viewer=alice.pk, uids=[*uids, *range(1, 700)])
        hidden = selectors.hidden_by(viewer=alice.pk)
        selectors.relations(viewer=None, uids=uids)
    assert [name for name, _ in commands] == ["aggregate", "find", "aggregate"]
    assert found.mutes == hidden.mutes == set(uids)
    with record_commands() as commands:
        for viewer in (alice.pk, None):
            nothing = selectors.relations(viewer=viewer, uids=[])
            assert nothing == selectors.relations(viewer=viewer, uids=iter(()))
    assert commands == []


def test_every_part_is_read_by_an_index(alice, everything, record_commands):
    with record_commands() as commands:
        selectors.relations(viewer=alice.pk, uids=[one.pk for one in everything.values()])
        selectors.hidden_by(viewer=alice.pk)
        services.follow(follower=alice.pk, followee=everything["none"].pk)
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
        found = selectors.followers_among(uid=alice.pk, uids=[bob.pk, carol.pk, 7])
    assert found == {bob.pk}
    assert len(commands) == 1


def test_a_profile_says_how_its_viewer_stands_to_the_person(alice, everything):
    def fields(name):
        profile = selectors.profile(username=everything[name].username, viewer=alice.pk)
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
    services.set_private(uid=bob.pk, is_private=True)
    assert selectors.profile(username="bob", viewer=alice.pk).may_see_posts
    assert selectors.profile(username="bob", viewer=bob.pk).may_see_posts
    assert not selectors.profile(username="bob", viewer=None).may_see_posts
    services.remove_follower(uid=bob.pk, follower=alice.pk)
    assert not selectors.profile(username="bob", viewer=alice.pk).may_see_posts


def test_a_profile_tells_somebody_blocked_neither_words_nor_numbers(alice, bob, carol):
    services.update_profile(uid=alice.pk, display_name="Alice Adams", bio="Plays the oboe")
    follow(carol, alice)
    follow(alice, carol)
    services.block(owner=alice.pk, other=bob.pk)
    found = selectors.profile(username="alice", viewer=bob.pk)
    assert (found.bio, found.followers_count, found.following_count) == ("", 0, 0)
    found = selectors.profile(username="alice", viewer=carol.pk)
    assert (found.bio, found.followers_count, found.following_count) == ("Plays the oboe", 1, 1)


@pytest.mark.parametrize("viewed_by", ["alice", "the person", "a visitor"])
def test_a_profile_costs_the_same_whoever_looks(alice, everything, record_commands, viewed_by):
    costs = set()
    for person in everything.values():
        viewer = {"alice": alice.pk, "the person": person.pk, "a visitor": None}[viewed_by]
        user_cards.forget_all()
        with record_commands() as commands:
            selectors.profile(username=person.username, viewer=viewer)
        costs.add(len(commands))
    assert costs == {5}
