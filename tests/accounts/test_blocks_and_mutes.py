"""Block, mute, hide shares and remove a follower: effects on follows, and how each is undone."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from accounts.infra.refusals import Refused
from accounts.selectors.profiles import get_profile_or_404
from accounts.selectors.relationships import hidden_users, relationships
from accounts.selectors.user_pages import blocked_or_muted_page
from accounts.services.blocks_and_mutes import block_user, mute_user, unblock_user, unmute_user
from accounts.services.follow_settings import hide_shares
from accounts.services.follows import CannotFollow, follow_user, remove_follower, unfollow_user
from accounts.services.imports import import_followers
from accounts.services.profiles import set_private
from accounts.signals import followed, unfollowed
from tests.accounts.graph_promises import check_relationships
from tests.factories import follow

pytestmark = pytest.mark.usefixtures("every_cache")


@pytest.fixture
def sent_signals():
    """Return the list of sent signals: (name, follower, followee)."""
    sent = []

    def on_followed(follower, followee, **_):
        sent.append(("followed", follower, followee))

    def on_unfollowed(follower, followee, **_):
        sent.append(("unfollowed", follower, followee))

    followed.connect(on_followed)
    unfollowed.connect(on_unfollowed)
    yield sent
    followed.disconnect(on_followed)
    unfollowed.disconnect(on_unfollowed)


def block(owner, other):
    return block_user(owner=owner.pk, other=other.pk)


def unblock(owner, other):
    return unblock_user(owner=owner.pk, other=other.pk)


def relationships_of(viewer, *others):
    return relationships(viewer=viewer.pk, uids=[user.pk for user in others])


def test_a_block_deletes_both_follows_and_sends_signals(alice, bob, sent_signals):
    follow(alice, bob)
    follow(bob, alice)
    sent_signals.clear()
    assert block(alice, bob) is True
    assert block(alice, bob) is False
    assert sorted(sent_signals) == sorted(
        [("unfollowed", alice.pk, bob.pk), ("unfollowed", bob.pk, alice.pk)]
    )
    assert check_relationships() == set()
    assert relationships_of(alice, bob).blocked == {bob.pk}
    assert relationships_of(bob, alice).blocked == {alice.pk}


def test_unblocking_restores_only_the_follow_of_the_blocker(alice, bob, sent_signals):
    follow(alice, bob)
    follow(bob, alice)
    hide_shares(owner=alice.pk, other=bob.pk, is_hidden=True)
    hide_shares(owner=bob.pk, other=alice.pk, is_hidden=True)
    block(alice, bob)
    check_relationships()
    sent_signals.clear()
    assert unblock(alice, bob) is True
    assert unblock(alice, bob) is False
    assert sent_signals == [("followed", alice.pk, bob.pk)]
    assert check_relationships() == {(alice.pk, bob.pk)}
    assert relationships_of(alice, bob).shares_hidden == {bob.pk}
    assert relationships_of(bob, alice).shares_hidden == set()
    assert relationships_of(bob, alice).blocked == set()


def test_unblocking_restores_no_follow_if_there_was_none(alice, bob):
    follow(bob, alice)
    block(alice, bob)
    unblock(alice, bob)
    assert check_relationships() == set()


def test_unfollowing_a_blocked_user_prevents_the_restored_follow(alice, bob):
    follow(alice, bob)
    block(alice, bob)
    assert unfollow_user(follower=alice.pk, followee=bob.pk) is True
    assert unfollow_user(follower=alice.pk, followee=bob.pk) is False
    unblock(alice, bob)
    assert check_relationships() == set()


def test_removing_a_follower_who_blocks_prevents_the_restored_follow(alice, bob):
    follow(alice, bob)
    block(alice, bob)
    assert remove_follower(uid=bob.pk, follower=alice.pk) is True
    unblock(alice, bob)
    assert check_relationships() == set()


@pytest.mark.parametrize("first_to_unblock", ["alice", "bob"])
def test_no_follow_is_restored_if_both_block_each_other(alice, bob, first_to_unblock):
    follow(alice, bob)
    follow(bob, alice)
    hide_shares(owner=alice.pk, other=bob.pk, is_hidden=True)
    block(alice, bob)
    block(bob, alice)
    check_relationships()
    pair = (alice, bob) if first_to_unblock == "alice" else (bob, alice)
    unblock(*pair)
    assert check_relationships() == set()
    assert relationships_of(alice, bob).blocked == {bob.pk}
    assert relationships_of(bob, alice).blocked == {alice.pk}
    unblock(*reversed(pair))
    assert check_relationships() == set()
    assert relationships_of(alice, bob).blocked == set()


def test_a_block_prevents_follows_in_both_directions_with_different_messages(alice, bob):
    block(alice, bob)
    with pytest.raises(CannotFollow, match="Unblock them first"):
        follow_user(follower=alice.pk, followee=bob.pk)
    for is_private in (False, True):
        set_private(uid=alice.pk, is_private=is_private)
        with pytest.raises(CannotFollow, match="cannot follow this person"):
            follow_user(follower=bob.pk, followee=alice.pk)
    assert connection.database["follow_requests"].count_documents({}) == 0
    assert check_relationships() == set()


def test_blocking_oneself_or_a_missing_user_and_muting_oneself_are_refused(alice):
    with pytest.raises(Refused):
        block(alice, alice)
    with pytest.raises(Refused, match="no longer available"):
        block_user(owner=alice.pk, other=1)
    with pytest.raises(Refused, match="mute yourself"):
        mute_user(owner=alice.pk, other=alice.pk, until=None)
    assert connection.database["blocks_and_mutes"].count_documents({}) == 0


def test_an_import_leaves_out_blocked_pairs(alice, bob, carol):
    block(alice, bob)
    new_count = import_followers(
        followers_by_followee={
            alice.pk: [bob.pk, carol.pk],
            bob.pk: [alice.pk, carol.pk],
            carol.pk: [alice.pk, bob.pk],
        }
    )
    assert new_count == 4
    assert check_relationships() == {
        (carol.pk, alice.pk),
        (carol.pk, bob.pk),
        (alice.pk, carol.pk),
        (bob.pk, carol.pk),
    }


def test_a_failure_in_the_middle_changes_nothing(alice, bob, monkeypatch):
    from accounts.store import blocks_and_mutes

    def fail(**_):
        raise OSError("killed")

    follow(alice, bob)
    follow(bob, alice)
    monkeypatch.setattr(blocks_and_mutes, "insert_block", fail)
    with pytest.raises(OSError, match="killed"):
        block(alice, bob)
    assert check_relationships() == {(alice.pk, bob.pk), (bob.pk, alice.pk)}


def test_a_removed_follower_can_follow_again(alice, bob, sent_signals):
    follow(alice, bob)
    hide_shares(owner=alice.pk, other=bob.pk, is_hidden=True)
    sent_signals.clear()
    removed = [remove_follower(uid=bob.pk, follower=alice.pk) for _ in range(2)]
    assert removed == [True, False]
    assert sent_signals == [("unfollowed", alice.pk, bob.pk)]
    assert check_relationships() == set()
    assert follow_user(follower=alice.pk, followee=bob.pk) is True
    assert relationships_of(alice, bob).shares_hidden == set()


def test_a_second_mute_replaces_the_expiry(alice, bob):
    soon, later = (timezone.now() + timedelta(hours=hours) for hours in (1, 24))
    for until, shown in ((soon, soon), (later, later), (None, None), (soon, soon)):
        mute_user(owner=alice.pk, other=bob.pk, until=until)
        (row,) = blocked_or_muted_page(uid=alice.pk, kind="mute").rows
        assert (row.muted_until is None) == (shown is None)
        if shown:
            assert abs(row.muted_until - shown) < timedelta(milliseconds=1)
    assert connection.database["blocks_and_mutes"].count_documents({}) == 1
    assert relationships_of(alice, bob).muted == {bob.pk}
    assert relationships_of(bob, alice).muted == set()
    assert [unmute_user(owner=alice.pk, other=bob.pk) for _ in range(2)] == [True, False]
    assert relationships_of(alice, bob).muted == set()


def test_an_expired_mute_has_no_effect_while_its_document_exists(alice, bob):
    mute_user(owner=alice.pk, other=bob.pk, until=timezone.now() - timedelta(seconds=1))
    assert relationships_of(alice, bob).muted == set()
    assert hidden_users(viewer=alice.pk).muted == set()
    assert blocked_or_muted_page(uid=alice.pk, kind="mute").rows == ()
    profile = get_profile_or_404(username="bob", viewer=alice.pk)
    assert (profile.is_muting, profile.muted_until) == (False, None)


def test_a_mute_keeps_the_follow_and_survives_a_block(alice, bob):
    follow(alice, bob)
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    assert check_relationships() == {(alice.pk, bob.pk)}
    block(alice, bob)
    unblock(alice, bob)
    assert relationships_of(alice, bob).muted == {bob.pk}
    unfollow_user(follower=alice.pk, followee=bob.pk)
    assert relationships_of(alice, bob).muted == {bob.pk}


def test_only_shares_of_followed_users_can_be_hidden(alice, bob):
    def hide(is_hidden):
        return hide_shares(owner=alice.pk, other=bob.pk, is_hidden=is_hidden)

    assert hide(True) is False
    follow(alice, bob)
    for is_hidden in (True, True, False, False, True):
        assert hide(is_hidden) is True
        assert (bob.pk in relationships_of(alice, bob).shares_hidden) is is_hidden
        check_relationships()
    unfollow_user(follower=alice.pk, followee=bob.pk)
    follow(alice, bob)
    assert relationships_of(alice, bob).shares_hidden == set()


def test_the_server_deletes_expired_mutes_and_nothing_else(alice):
    indexes = connection.database["blocks_and_mutes"].index_information().values()
    expiring = [index for index in indexes if "expireAfterSeconds" in index]
    assert [(index["key"], index["expireAfterSeconds"]) for index in expiring] == [
        ([("expires_at", 1)], 0)
    ]
