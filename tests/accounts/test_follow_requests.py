"""Follow requests to private accounts: send, accept, reject and withdraw, each safe to repeat."""

import pytest
from django.db import connection
from kombu.exceptions import OperationalError

from accounts import tasks
from accounts.infra.cursors import PageBounds
from accounts.selectors.user_pages import follow_requests_page
from accounts.services.blocks_and_mutes import block_user, unblock_user
from accounts.services.follow_requests import (
    accept_follow_request,
    accept_pending_requests,
    reject_follow_request,
)
from accounts.services.follows import follow_user, unfollow_user
from accounts.services.profiles import set_private
from accounts.signals import follow_requested, followed
from tests.accounts.graph_promises import check_relationships, pending_backfills
from tests.factories import UserFactory, follow, people
from tests.feed.query_plans import plan_of, stages


@pytest.fixture
def private_bob(bob):
    set_private(uid=bob.pk, is_private=True)
    return bob


@pytest.fixture
def sent_signals():
    """Return the list of sent signals: (name, follower, followee)."""
    sent = []

    def recorder(name):
        def receive(follower, followee, **_):
            sent.append((name, follower, followee))

        return receive

    receivers = [(followed, recorder("followed")), (follow_requested, recorder("requested"))]
    for signal, receive in receivers:
        signal.connect(receive, weak=False)
    yield sent
    for signal, receive in receivers:
        signal.disconnect(receive)


def broker_is_down(**_):
    raise OperationalError


def stored_requests():
    rows = connection.database["follow_requests"].find()
    return [(row["follower"], row["followee"]) for row in rows]


def test_following_a_private_user_sends_one_request(alice, private_bob, sent_signals):
    for _ in range(2):
        assert follow_user(follower=alice.pk, followee=private_bob.pk) is False
    assert stored_requests() == [(alice.pk, private_bob.pk)]
    assert sent_signals == [("requested", alice.pk, private_bob.pk)]
    assert check_relationships() == set()


def test_unlocking_accepts_pending_requests(alice, carol, private_bob, sent_signals, monkeypatch):
    monkeypatch.setattr(
        tasks.accept_pending_requests,
        "delay",
        lambda *, uid: tasks.accept_pending_requests(uid=uid),
    )
    monkeypatch.setattr(accept_pending_requests, "__kwdefaults__", {"limit": 1})
    follow(alice, private_bob)
    follow(carol, private_bob)
    set_private(uid=private_bob.pk, is_private=True)
    assert len(stored_requests()) == 2
    sent_signals.clear()
    set_private(uid=private_bob.pk, is_private=False)
    assert stored_requests() == []
    assert sorted(sent_signals) == [
        ("followed", follower.pk, private_bob.pk) for follower in (alice, carol)
    ]
    assert check_relationships() == {(user.pk, private_bob.pk) for user in (alice, carol)}


def test_requests_are_accepted_later_if_the_broker_is_down_at_the_unlock(
    alice, carol, private_bob, monkeypatch, record_commands
):
    dave = UserFactory()
    set_private(uid=dave.pk, is_private=True)
    follow(alice, private_bob, dave)
    follow(carol, private_bob)
    with monkeypatch.context() as down:
        down.setattr(tasks.accept_pending_requests, "delay", broker_is_down)
        set_private(uid=private_bob.pk, is_private=False)
    assert len(stored_requests()) == 3
    enqueued = []
    monkeypatch.setattr(tasks.accept_pending_requests, "delay", lambda *, uid: enqueued.append(uid))
    with record_commands() as commands:
        tasks.resume_unlocked_users()
    assert enqueued == [private_bob.pk]
    [(_name, command)] = commands
    assert "DISTINCT_SCAN" in [stage["stage"] for stage in stages(plan_of(command))]
    tasks.accept_pending_requests(uid=private_bob.pk)
    assert stored_requests() == [(alice.pk, dave.pk)]
    tasks.resume_unlocked_users()
    assert enqueued == [private_bob.pk]


def test_requests_wait_if_the_user_locks_again(alice, private_bob):
    follow(alice, private_bob)
    assert accept_pending_requests(followee=private_bob.pk) is False
    assert stored_requests() == [(alice.pk, private_bob.pk)]


def test_accepting_creates_one_follow(alice, private_bob, sent_signals):
    follow(alice, private_bob)
    sent_signals.clear()
    results = [accept_follow_request(followee=private_bob.pk, follower=alice.pk) for _ in range(2)]
    assert results == [True, False]
    assert sent_signals == [("followed", alice.pk, private_bob.pk)]
    assert stored_requests() == []
    assert check_relationships() == {(alice.pk, private_bob.pk)}


def test_rejecting_deletes_the_request_and_allows_another(alice, private_bob):
    follow(alice, private_bob)
    results = [reject_follow_request(followee=private_bob.pk, follower=alice.pk) for _ in range(2)]
    assert results == [True, False]
    assert accept_follow_request(followee=private_bob.pk, follower=alice.pk) is False
    assert check_relationships() == set()
    follow(alice, private_bob)
    assert stored_requests() == [(alice.pk, private_bob.pk)]


def test_unfollowing_withdraws_the_request(alice, private_bob):
    follow(alice, private_bob)
    assert unfollow_user(follower=alice.pk, followee=private_bob.pk) is True
    assert unfollow_user(follower=alice.pk, followee=private_bob.pk) is False
    assert accept_follow_request(followee=private_bob.pk, follower=alice.pk) is False
    assert check_relationships() == set()


@pytest.mark.parametrize("blocker", ["follower", "followee"])
def test_a_block_deletes_the_request(alice, private_bob, blocker):
    follow(alice, private_bob)
    owner, other = (alice, private_bob) if blocker == "follower" else (private_bob, alice)
    block_user(owner=owner.pk, other=other.pk)
    assert accept_follow_request(followee=private_bob.pk, follower=alice.pk) is False
    unblock_user(owner=owner.pk, other=other.pk)
    assert stored_requests() == []
    assert check_relationships() == set()


def test_becoming_private_keeps_existing_followers(alice, bob, carol):
    follow(alice, bob)
    set_private(uid=bob.pk, is_private=True)
    assert follow_user(follower=alice.pk, followee=bob.pk) is False
    follow_user(follower=carol.pk, followee=bob.pk)
    assert stored_requests() == [(carol.pk, bob.pk)]
    assert check_relationships() == {(alice.pk, bob.pk)}


def test_becoming_public_keeps_requests_until_accepted_or_replaced_by_a_follow(
    alice, private_bob, carol
):
    follow(alice, private_bob)
    follow(carol, private_bob)
    set_private(uid=private_bob.pk, is_private=False)
    assert len(stored_requests()) == 2
    assert follow_user(follower=alice.pk, followee=private_bob.pk) is True
    assert stored_requests() == [(carol.pk, private_bob.pk)]
    assert accept_follow_request(followee=private_bob.pk, follower=carol.pk) is True
    assert check_relationships() == {(alice.pk, private_bob.pk), (carol.pk, private_bob.pk)}


def test_the_backfill_of_an_accepted_follow_is_pending(alice, private_bob, monkeypatch):
    from accounts.signals import followed as signal

    # The test suppresses the signal, as if the process had died directly after the commit.
    monkeypatch.setattr(signal, "send_robust", lambda **_: [])
    follow(alice, private_bob)
    accept_follow_request(followee=private_bob.pk, follower=alice.pk)
    assert pending_backfills() == 1


def test_requests_are_listed_newest_first_in_pages(private_bob):
    fans = people(5)
    for fan in fans:
        follow(fan, private_bob)
    first = follow_requests_page(uid=private_bob.pk, bounds=PageBounds(3))
    second = follow_requests_page(
        uid=private_bob.pk, bounds=PageBounds(3, max_id=int(first.older_cursor))
    )
    names = [row.card.username for page in (first, second) for row in page.rows]
    assert names == [fan.username for fan in reversed(fans)]
    assert (first.newer_cursor, second.older_cursor) == (None, None)
    back = follow_requests_page(
        uid=private_bob.pk, bounds=PageBounds(3, min_id=int(second.newer_cursor))
    )
    assert back.rows == first.rows
