"""Private accounts: following is asked for, accepted or refused, and twice is once."""

import pytest
from django.db import connection

from accounts.selectors.user_pages import follow_requests_page
from accounts.services.blocks_and_mutes import block_user, unblock_user
from accounts.services.follow_requests import accept_follow_request, reject_follow_request
from accounts.services.follows import follow_user, unfollow_user
from accounts.services.profiles import set_private
from accounts.signals import follow_requested, followed
from tests.accounts.graph_promises import check_relationships, pending_backfills
from tests.factories import follow, people


@pytest.fixture
def private_bob(bob):
    set_private(uid=bob.pk, is_private=True)
    return bob


@pytest.fixture
def told():
    """What was announced: (signal, follower, followee)."""
    heard = []

    def hear(name):
        def receive(follower, followee, **_):
            heard.append((name, follower, followee))

        return receive

    receivers = [(followed, hear("followed")), (follow_requested, hear("requested"))]
    for signal, receive in receivers:
        signal.connect(receive, weak=False)
    yield heard
    for signal, receive in receivers:
        signal.disconnect(receive)


def requested():
    found = connection.database["follow_requests"].find()
    return [(one["follower"], one["followee"]) for one in found]


def test_following_a_private_person_asks_them_once(alice, private_bob, told):
    for _ in range(2):
        assert follow_user(follower=alice.pk, followee=private_bob.pk) is False
    assert requested() == [(alice.pk, private_bob.pk)]
    assert told == [("requested", alice.pk, private_bob.pk)]
    assert check_relationships() == set()


def test_accepting_is_following_and_can_be_done_once(alice, private_bob, told):
    follow(alice, private_bob)
    told.clear()
    answers = [accept_follow_request(followee=private_bob.pk, follower=alice.pk) for _ in range(2)]
    assert answers == [True, False]
    assert told == [("followed", alice.pk, private_bob.pk)]
    assert requested() == []
    assert check_relationships() == {(alice.pk, private_bob.pk)}


def test_refusing_leaves_no_request_and_lets_them_ask_again(alice, private_bob):
    follow(alice, private_bob)
    answers = [reject_follow_request(followee=private_bob.pk, follower=alice.pk) for _ in range(2)]
    assert answers == [True, False]
    assert accept_follow_request(followee=private_bob.pk, follower=alice.pk) is False
    assert check_relationships() == set()
    follow(alice, private_bob)
    assert requested() == [(alice.pk, private_bob.pk)]


def test_unfollowing_withdraws_what_was_asked_for(alice, private_bob):
    follow(alice, private_bob)
    assert unfollow_user(follower=alice.pk, followee=private_bob.pk) is True
    assert unfollow_user(follower=alice.pk, followee=private_bob.pk) is False
    assert accept_follow_request(followee=private_bob.pk, follower=alice.pk) is False
    assert check_relationships() == set()


@pytest.mark.parametrize("blocker", ["who asked", "who was asked"])
def test_a_block_ends_a_request_and_there_is_nothing_left_to_accept(alice, private_bob, blocker):
    follow(alice, private_bob)
    owner, other = (alice, private_bob) if blocker == "who asked" else (private_bob, alice)
    block_user(owner=owner.pk, other=other.pk)
    assert accept_follow_request(followee=private_bob.pk, follower=alice.pk) is False
    unblock_user(owner=owner.pk, other=other.pk)
    assert requested() == []
    assert check_relationships() == set()


def test_becoming_private_keeps_the_followers_and_asks_only_newcomers(alice, bob, carol):
    follow(alice, bob)
    set_private(uid=bob.pk, is_private=True)
    assert follow_user(follower=alice.pk, followee=bob.pk) is False
    follow_user(follower=carol.pk, followee=bob.pk)
    assert requested() == [(carol.pk, bob.pk)]
    assert check_relationships() == {(alice.pk, bob.pk)}


def test_becoming_public_keeps_requests_until_they_are_answered_or_made_needless(
    alice, private_bob, carol
):
    follow(alice, private_bob)
    follow(carol, private_bob)
    set_private(uid=private_bob.pk, is_private=False)
    assert len(requested()) == 2
    assert follow_user(follower=alice.pk, followee=private_bob.pk) is True
    assert requested() == [(carol.pk, private_bob.pk)]
    assert accept_follow_request(followee=private_bob.pk, follower=carol.pk) is True
    assert check_relationships() == {(alice.pk, private_bob.pk), (carol.pk, private_bob.pk)}


def test_an_accepted_follow_is_back_filled_as_any_other(alice, private_bob, monkeypatch):
    from accounts.signals import followed as signal

    monkeypatch.setattr(signal, "send_robust", lambda **_: [])  # the process dies after the commit
    follow(alice, private_bob)
    accept_follow_request(followee=private_bob.pk, follower=alice.pk)
    assert pending_backfills() == 1


def test_requests_are_listed_newest_first_page_by_page(private_bob, monkeypatch):
    from accounts.selectors import user_pages

    monkeypatch.setattr(user_pages, "PAGE_SIZE", 3)
    fans = people(5)
    for fan in fans:
        follow(fan, private_bob)
    first = follow_requests_page(uid=private_bob.pk)
    second = follow_requests_page(uid=private_bob.pk, max_id=int(first.older_cursor))
    names = [row.card.username for page in (first, second) for row in page.rows]
    assert names == [fan.username for fan in reversed(fans)]
    assert (first.newer_cursor, second.older_cursor) == (None, None)
    back = follow_requests_page(uid=private_bob.pk, min_id=int(second.newer_cursor))
    assert back.rows == first.rows
