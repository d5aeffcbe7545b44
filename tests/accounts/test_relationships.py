"""A viewer's relationships to other users: complete, exact, and read with one command."""

import pytest
from django.db import connection

from accounts import user_cards
from accounts.infra.ids import new_id
from accounts.selectors.follow_graph import followers_among
from accounts.selectors.profiles import get_profile_or_404
from accounts.selectors.relationships import Relationships, hidden_users, relationships
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.follow_settings import hide_shares, set_languages
from accounts.services.follows import follow_user, remove_follower
from accounts.services.profiles import set_private, update_profile
from tests.factories import follow, people


@pytest.fixture
def users_by_relationship(alice, bob, carol):
    """Give alice one relationship of each kind. Return the other users by kind."""
    names = ("followed", "hidden", "muted", "blocked", "blocker", "private", "fan", "asked", "none")
    names += ("heard", "german")
    by_name = dict(zip(names, people(len(names)), strict=True))
    follow(alice, by_name["followed"], by_name["hidden"], by_name["german"])
    set_languages(follower=alice.pk, followee=by_name["german"].pk, languages=["de", "en"])
    mute_user(owner=alice.pk, other=by_name["heard"].pk, until=None, shows_notifications=True)
    hide_shares(owner=alice.pk, other=by_name["hidden"].pk, is_hidden=True)
    mute_user(owner=alice.pk, other=by_name["muted"].pk, until=None)
    block_user(owner=alice.pk, other=by_name["blocked"].pk)
    block_user(owner=by_name["blocker"].pk, other=alice.pk)
    set_private(uid=by_name["private"].pk, is_private=True)
    set_private(uid=by_name["asked"].pk, is_private=True)
    follow(alice, by_name["asked"])
    follow(by_name["fan"], alice)
    # Relationships between other users must not appear in alice's relationships.
    follow(bob, by_name["none"])
    mute_user(owner=bob.pk, other=by_name["none"].pk, until=None)
    block_user(owner=carol.pk, other=by_name["none"].pk)
    return by_name


def test_relationships_are_exact_for_the_given_users(alice, users_by_relationship):
    uid = {name: user.pk for name, user in users_by_relationship.items()}
    result = relationships(viewer=alice.pk, uids=uid.values())
    assert result == Relationships(
        followed=frozenset({uid["followed"], uid["hidden"], uid["german"]}),
        blocked=frozenset({uid["blocked"], uid["blocker"]}),
        muted=frozenset({uid["muted"], uid["heard"]}),
        notifications_muted=frozenset({uid["muted"]}),
        shares_hidden=frozenset({uid["hidden"]}),
        languages={uid["german"]: frozenset({"de", "en"})},
        hidden_from_home=frozenset(),
        private=frozenset({uid["private"], uid["asked"]}),
        unavailable=frozenset(),
    )
    users_by_relationship["followed"].is_active = False
    users_by_relationship["followed"].save()
    again = relationships(viewer=alice.pk, uids=uid.values())
    assert again.unavailable == {uid["followed"]}
    few = relationships(viewer=alice.pk, uids=[uid["followed"], uid["followed"], uid["none"]])
    assert few.followed == {uid["followed"]}
    assert not (few.blocked | few.muted | few.shares_hidden | few.private)


def test_an_anonymous_viewer_only_gets_private_users(users_by_relationship):
    uids = [user.pk for user in users_by_relationship.values()]
    result = relationships(viewer=None, uids=uids)
    assert result.private == {
        users_by_relationship["private"].pk,
        users_by_relationship["asked"].pk,
    }
    assert not (result.followed | result.blocked | result.muted | result.shares_hidden)


def test_hidden_users_are_all_mutes_and_all_hidden_shares(alice, bob, users_by_relationship):
    hidden = hidden_users(viewer=alice.pk)
    assert hidden.muted == {users_by_relationship[name].pk for name in ("muted", "heard")}
    assert hidden.shares_hidden == {users_by_relationship["hidden"].pk}
    assert hidden_users(viewer=bob.pk).muted == {users_by_relationship["none"].pk}


def mute_many(owner, users):
    """Mute the first user with the service. Insert copies of its document for the others, to save time."""
    first, *others = users
    mute_user(owner=owner.pk, other=first.pk, until=None)
    collection = connection.database["blocks_and_mutes"]
    document = collection.find_one({"owner": owner.pk, "other": first.pk})
    collection.insert_many({**document, "_id": new_id(), "other": other.pk} for other in others)


def test_a_thousand_users_take_one_command_and_none_take_none(alice, record_commands):
    users = people(300)
    mute_many(alice, users)
    uids = [user.pk for user in users]
    with record_commands() as commands:
        result = relationships(viewer=alice.pk, uids=[*uids, *range(1, 700)])
        hidden = hidden_users(viewer=alice.pk)
        relationships(viewer=None, uids=uids)
    assert [name for name, _ in commands] == ["aggregate"] * 3
    assert result.muted == hidden.muted == set(uids)
    with record_commands() as commands:
        for viewer in (alice.pk, None):
            empty = relationships(viewer=viewer, uids=[])
            assert empty == relationships(viewer=viewer, uids=iter(()))
    assert commands == []


def test_every_query_uses_an_index(alice, users_by_relationship, record_commands):
    with record_commands() as commands:
        relationships(viewer=alice.pk, uids=[user.pk for user in users_by_relationship.values()])
        hidden_users(viewer=alice.pk)
        follow_user(follower=alice.pk, followee=users_by_relationship["none"].pk)
    reads = [
        {key: value for key, value in command.items() if key in ("aggregate", "find", *QUERY_KEYS)}
        for name, command in commands
        if name in ("aggregate", "find")
    ]
    assert len(reads) >= 4
    for command in reads:
        if "aggregate" in command:
            command["cursor"] = {}
        plan = str(connection.database.command("explain", command, verbosity="executionStats"))
        assert "IXSCAN" in plan or "IDHACK" in plan
        assert "COLLSCAN" not in plan


QUERY_KEYS = ("pipeline", "filter", "projection", "hint")


def test_followers_among_returns_only_followers(alice, bob, carol, record_commands):
    follow(bob, alice)
    follow(alice, carol)
    with record_commands() as commands:
        followers = followers_among(followee=alice.pk, uids=[bob.pk, carol.pk, 7])
    assert followers == {bob.pk}
    assert len(commands) == 1


def test_a_profile_shows_the_relationship_to_its_viewer(alice, users_by_relationship):
    def fields(name):
        profile = get_profile_or_404(username=users_by_relationship[name].username, viewer=alice.pk)
        flags = ("is_private", "is_following", "is_requested", "is_followed_by")
        more = ("is_blocking", "is_blocked_by", "is_muting", "hides_shares", "can_view_posts")
        return {flag for flag in flags + more if getattr(profile, flag)}

    assert fields("followed") == {"is_following", "can_view_posts"}
    assert fields("hidden") == {"is_following", "hides_shares", "can_view_posts"}
    assert fields("muted") == {"is_muting", "can_view_posts"}
    assert fields("blocked") == {"is_blocking"}
    assert fields("blocker") == {"is_blocked_by"}
    assert fields("private") == {"is_private"}
    assert fields("asked") == {"is_private", "is_requested"}
    assert fields("fan") == {"is_followed_by", "can_view_posts"}
    assert fields("none") == {"can_view_posts"}


def test_only_followers_view_the_posts_of_a_private_user(alice, bob):
    follow(alice, bob)
    set_private(uid=bob.pk, is_private=True)
    assert get_profile_or_404(username="bob", viewer=alice.pk).can_view_posts
    assert get_profile_or_404(username="bob", viewer=bob.pk).can_view_posts
    assert not get_profile_or_404(username="bob", viewer=None).can_view_posts
    remove_follower(uid=bob.pk, follower=alice.pk)
    assert not get_profile_or_404(username="bob", viewer=alice.pk).can_view_posts


def test_a_profile_hides_bio_and_counts_from_blocked_viewers(alice, bob, carol):
    update_profile(uid=alice.pk, display_name="Alice Adams", bio="Plays the oboe")
    follow(carol, alice)
    follow(alice, carol)
    block_user(owner=alice.pk, other=bob.pk)
    profile = get_profile_or_404(username="alice", viewer=bob.pk)
    assert (profile.bio, profile.follower_count, profile.followee_count) == ("", 0, 0)
    profile = get_profile_or_404(username="alice", viewer=carol.pk)
    assert (profile.bio, profile.follower_count, profile.followee_count) == ("Plays the oboe", 1, 1)


@pytest.mark.parametrize("viewed_by", ["another user", "the owner", "anonymous"])
def test_a_profile_costs_the_same_for_every_viewer(
    alice, users_by_relationship, record_commands, viewed_by
):
    costs = set()
    for user in users_by_relationship.values():
        viewer = {"another user": alice.pk, "the owner": user.pk, "anonymous": None}[viewed_by]
        user_cards.clear_cards()
        with record_commands() as commands:
            get_profile_or_404(username=user.username, viewer=viewer)
        costs.add(len(commands))
    assert costs == {5}
