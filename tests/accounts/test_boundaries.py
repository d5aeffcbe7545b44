"""Block, mute, hide shares, remove a follower: what each does to follows, and how it is undone."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from accounts.selectors.profiles import get_profile_or_404
from accounts.selectors.relationships import hidden_users, relationships
from accounts.selectors.user_pages import blocked_or_muted_page
from accounts.services.blocks_and_mutes import (
    CannotBlock,
    CannotMute,
    block_user,
    hide_shares,
    mute_user,
    unblock_user,
    unmute_user,
)
from accounts.services.follows import CannotFollow, follow_user, remove_follower, unfollow_user
from accounts.services.imports import import_followers
from accounts.services.profiles import set_private
from accounts.signals import followed, unfollowed
from tests.accounts.graph_promises import check_relationships
from tests.factories import follow


@pytest.fixture
def told():
    """What was announced: (signal, follower, followee)."""
    heard = []

    def on_followed(follower, followee, **_):
        heard.append(("followed", follower, followee))

    def on_unfollowed(follower, followee, **_):
        heard.append(("unfollowed", follower, followee))

    followed.connect(on_followed)
    unfollowed.connect(on_unfollowed)
    yield heard
    followed.disconnect(on_followed)
    unfollowed.disconnect(on_unfollowed)


def block(owner, other):
    return block_user(owner=owner.pk, other=other.pk)


def unblock(owner, other):
    return unblock_user(owner=owner.pk, other=other.pk)


def seen_by(viewer, *others):
    return relationships(viewer=viewer.pk, uids=[one.pk for one in others])


def test_a_block_ends_both_follows_and_says_so(alice, bob, told):
    follow(alice, bob)
    follow(bob, alice)
    told.clear()
    assert block(alice, bob) is True
    assert block(alice, bob) is False
    assert sorted(told) == sorted(
        [("unfollowed", alice.pk, bob.pk), ("unfollowed", bob.pk, alice.pk)]
    )
    assert check_relationships() == set()
    assert seen_by(alice, bob).blocked == {bob.pk}
    assert seen_by(bob, alice).blocked == {alice.pk}


def test_unblocking_brings_back_the_blockers_follow_and_not_the_other(alice, bob, told):
    follow(alice, bob)
    follow(bob, alice)
    hide_shares(owner=alice.pk, other=bob.pk, hidden=True)
    hide_shares(owner=bob.pk, other=alice.pk, hidden=True)
    block(alice, bob)
    check_relationships()
    told.clear()
    assert unblock(alice, bob) is True
    assert unblock(alice, bob) is False
    assert told == [("followed", alice.pk, bob.pk)]
    assert check_relationships() == {(alice.pk, bob.pk)}
    assert seen_by(alice, bob).shares_hidden == {bob.pk}
    assert seen_by(bob, alice).shares_hidden == set()
    assert seen_by(bob, alice).blocked == set()


def test_unblocking_somebody_one_did_not_follow_follows_nobody(alice, bob):
    follow(bob, alice)
    block(alice, bob)
    unblock(alice, bob)
    assert check_relationships() == set()


def test_unfollowing_somebody_blocked_ends_what_unblocking_would_bring_back(alice, bob):
    follow(alice, bob)
    block(alice, bob)
    assert unfollow_user(follower=alice.pk, followee=bob.pk) is True
    assert unfollow_user(follower=alice.pk, followee=bob.pk) is False
    unblock(alice, bob)
    assert check_relationships() == set()


def test_who_is_removed_while_they_block_does_not_come_back_by_unblocking(alice, bob):
    follow(alice, bob)
    block(alice, bob)
    assert remove_follower(uid=bob.pk, follower=alice.pk) is True
    unblock(alice, bob)
    assert check_relationships() == set()


@pytest.mark.parametrize("first_to_unblock", ["alice", "bob"])
def test_when_both_block_each_other_no_follow_comes_back(alice, bob, first_to_unblock):
    follow(alice, bob)
    follow(bob, alice)
    hide_shares(owner=alice.pk, other=bob.pk, hidden=True)
    block(alice, bob)
    block(bob, alice)
    check_relationships()
    pair = (alice, bob) if first_to_unblock == "alice" else (bob, alice)
    unblock(*pair)
    assert check_relationships() == set()
    assert seen_by(alice, bob).blocked == {bob.pk}
    assert seen_by(bob, alice).blocked == {alice.pk}
    unblock(*reversed(pair))
    assert check_relationships() == set()
    assert seen_by(alice, bob).blocked == set()


def test_neither_of_two_whom_a_block_parts_can_follow_and_each_is_told_their_side(alice, bob):
    block(alice, bob)
    with pytest.raises(CannotFollow, match="Unblock them first"):
        follow_user(follower=alice.pk, followee=bob.pk)
    for is_private in (False, True):
        set_private(uid=alice.pk, is_private=is_private)
        with pytest.raises(CannotFollow, match="cannot follow this person"):
            follow_user(follower=bob.pk, followee=alice.pk)
    assert connection.database["follow_requests"].count_documents({}) == 0
    assert check_relationships() == set()


def test_nobody_blocks_or_mutes_themselves_or_blocks_somebody_who_is_gone(alice):
    with pytest.raises(CannotBlock):
        block(alice, alice)
    with pytest.raises(CannotBlock):
        block_user(owner=alice.pk, other=1)
    with pytest.raises(CannotMute):
        mute_user(owner=alice.pk, other=alice.pk, until=None)
    assert connection.database["boundaries"].count_documents({}) == 0


def test_an_import_leaves_out_those_whom_a_block_parts(alice, bob, carol):
    block(alice, bob)
    new = import_followers(
        followers={
            alice.pk: [bob.pk, carol.pk],
            bob.pk: [alice.pk, carol.pk],
            carol.pk: [alice.pk, bob.pk],
        }
    )
    assert new == 4
    assert check_relationships() == {
        (carol.pk, alice.pk),
        (carol.pk, bob.pk),
        (alice.pk, carol.pk),
        (bob.pk, carol.pk),
    }


def test_a_failure_half_way_leaves_everything_as_it_was(alice, bob, monkeypatch):
    from accounts.store import blocks_and_mutes

    def fail(**_):
        raise OSError("killed")

    follow(alice, bob)
    follow(bob, alice)
    monkeypatch.setattr(blocks_and_mutes, "insert_block", fail)
    with pytest.raises(OSError, match="killed"):
        block(alice, bob)
    assert check_relationships() == {(alice.pk, bob.pk), (bob.pk, alice.pk)}


def test_a_removed_follower_follows_no_longer_and_may_follow_again(alice, bob, told):
    follow(alice, bob)
    hide_shares(owner=alice.pk, other=bob.pk, hidden=True)
    told.clear()
    removed = [remove_follower(uid=bob.pk, follower=alice.pk) for _ in range(2)]
    assert removed == [True, False]
    assert told == [("unfollowed", alice.pk, bob.pk)]
    assert check_relationships() == set()
    assert follow_user(follower=alice.pk, followee=bob.pk) is True
    assert seen_by(alice, bob).shares_hidden == set()


def test_a_second_mute_replaces_the_end_of_the_first(alice, bob):
    soon, later = (timezone.now() + timedelta(hours=hours) for hours in (1, 24))
    for until, shown in ((soon, soon), (later, later), (None, None), (soon, soon)):
        mute_user(owner=alice.pk, other=bob.pk, until=until)
        (row,) = blocked_or_muted_page(uid=alice.pk, kind="mute").rows
        assert (row.muted_until is None) == (shown is None)
        if shown:
            assert abs(row.muted_until - shown) < timedelta(milliseconds=1)
    assert connection.database["boundaries"].count_documents({}) == 1
    assert seen_by(alice, bob).muted == {bob.pk}
    assert seen_by(bob, alice).muted == set()
    assert [unmute_user(owner=alice.pk, other=bob.pk) for _ in range(2)] == [True, False]
    assert seen_by(alice, bob).muted == set()


def test_a_mute_that_has_ended_is_none_even_while_its_document_is_there(alice, bob):
    mute_user(owner=alice.pk, other=bob.pk, until=timezone.now() - timedelta(seconds=1))
    assert seen_by(alice, bob).muted == set()
    assert hidden_users(viewer=alice.pk).muted == set()
    assert blocked_or_muted_page(uid=alice.pk, kind="mute").rows == ()
    profile = get_profile_or_404(username="bob", viewer=alice.pk)
    assert (profile.is_muting, profile.muted_until) == (False, None)


def test_a_mute_neither_ends_a_follow_nor_ends_with_a_block(alice, bob):
    follow(alice, bob)
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    assert check_relationships() == {(alice.pk, bob.pk)}
    block(alice, bob)
    unblock(alice, bob)
    assert seen_by(alice, bob).muted == {bob.pk}
    unfollow_user(follower=alice.pk, followee=bob.pk)
    assert seen_by(alice, bob).muted == {bob.pk}


def test_shares_are_hidden_only_of_those_one_follows(alice, bob):
    def hide(hidden):
        return hide_shares(owner=alice.pk, other=bob.pk, hidden=hidden)

    assert hide(True) is False
    follow(alice, bob)
    for hidden in (True, True, False, False, True):
        assert hide(hidden) is True
        assert (bob.pk in seen_by(alice, bob).shares_hidden) is hidden
        check_relationships()
    unfollow_user(follower=alice.pk, followee=bob.pk)
    follow(alice, bob)
    assert seen_by(alice, bob).shares_hidden == set()


def test_ended_mutes_are_deleted_by_the_server_and_nothing_else_is(alice):
    indexes = connection.database["boundaries"].index_information().values()
    expiring = [index for index in indexes if "expireAfterSeconds" in index]
    assert [(index["key"], index["expireAfterSeconds"]) for index in expiring] == [
        ([("until", 1)], 0)
    ]
