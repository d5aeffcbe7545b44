"""The contract of all strategies: no lost and no repeated entries, newest first.

``test_strategy_lives`` covers building and dropping inboxes, and concurrent or killed writers.
"""

import pytest

from accounts.infra.cursors import PageBounds
from feed.timeline import strategies
from feed.timeline.home import home_page
from feed.timeline.strategies import STRATEGIES
from tests.factories import follow, publish
from tests.feed.strategy_site import (
    EVERY_STRATEGY,
    TINY_INBOX_MAX,
    assert_complete,
    deliver,
    document_count,
    read_down,
    read_up,
    stored_inbox,
    stores_inboxes,
    use_tiny,
    write,
    write_and_deliver,
)


@pytest.fixture(params=EVERY_STRATEGY)
def strategy(request, settings, monkeypatch):
    use_tiny(request.param, settings, monkeypatch)
    return request.param


def test_every_strategy_is_tested():
    assert {getattr(name, "values", (name,))[0] for name in EVERY_STRATEGY} == set(STRATEGIES)


def test_pages_show_every_post_once_in_both_directions(alice, bob, carol, strategy):
    follow(alice, bob, carol)
    old = [*write(bob, 3), *write(carol, 3)]
    stored_inbox(alice)
    assert_complete(alice, old)
    new = [publish(author) for author in (bob, carol)]
    for _ in range(6):
        new += [*write_and_deliver(bob, 1, alice), *write_and_deliver(carol, 1, alice)]
    everything = [*old, *new]
    for limit in (7, 40):
        assert read_down(alice, limit) == everything[::-1]
        assert read_up(alice, limit) == everything
    assert stored_inbox(alice)[1] > new[0], "all of the old ones lie below the floor"


def test_home_has_own_posts_but_none_of_strangers(alice, bob, strategy):
    stored_inbox(alice)
    own = publish(alice)
    publish(bob)
    assert read_down(alice) == [own]


def test_a_repeated_delivery_changes_nothing(alice, bob, strategy):
    follow(alice, bob)
    stored_inbox(alice)
    post_ids = write_and_deliver(bob, 12, alice)
    for _ in range(2):
        deliver(post_ids, alice)
        assert_complete(alice, post_ids)
        assert read_down(alice) == post_ids[::-1]


def test_late_posts_take_their_place_or_stay_below_the_floor(alice, bob, strategy):
    follow(alice, bob)
    stored_inbox(alice)
    late = write(bob, 6)
    post_ids = write_and_deliver(bob, 3, alice)
    for _ in range(2):
        deliver(late[:3], alice)
        assert_complete(alice, [*late[:3], *post_ids])
    post_ids += write_and_deliver(bob, 11, alice)
    deliver(late[3:], alice)  # late posts below the floor are ignored
    assert_complete(alice, post_ids)
    assert read_down(alice, 7) == [*late, *post_ids][::-1]
    assert read_up(alice) == [*late, *post_ids]


def test_an_inbox_is_limited_and_has_no_gaps(alice, bob, strategy):
    follow(alice, bob)
    stored_inbox(alice)
    post_ids, floors = [], []
    for _ in range(16):
        post_ids += write_and_deliver(bob, 1, alice)
        assert_complete(alice, post_ids)
        contents = strategies.active_strategy().read_inbox(owner=alice.pk)
        assert len(contents.read_all()[0]) <= TINY_INBOX_MAX
        floors.append(contents.floor)
    assert floors == sorted(floors)
    if stores_inboxes(strategy):
        assert len(stored_inbox(alice)[0]) >= TINY_INBOX_MAX - 4
        assert document_count(strategy, alice) <= TINY_INBOX_MAX + 2


def test_following_adds_older_posts_above_and_below_the_floor(alice, bob, carol, strategy):
    follow(alice, carol)
    stored_inbox(alice)
    mixed = []
    for _ in range(16):
        mixed += [*write(bob, 1), *write_and_deliver(carol, 1, alice)]
    follow(alice, bob)
    assert_complete(alice, mixed)
    assert read_down(alice) == mixed[::-1]
    # Repeat a part of the backfill.
    strategies.add_older(owner=alice.pk, activities=mixed[::-1][:8], floor=0)
    assert read_down(alice) == mixed[::-1]


def test_following_an_author_with_many_posts_leaves_no_gap(alice, bob, carol, strategy):
    follow(alice, carol)
    stored_inbox(alice)
    everything = [
        *write_and_deliver(carol, 4, alice),
        *write(bob, 45),
        *write_and_deliver(carol, 4, alice),
    ]
    follow(alice, bob)
    assert_complete(alice, everything)
    assert read_down(alice) == everything[::-1]
    assert read_up(alice) == everything
    more = write(alice, 8)
    for _ in range(2):
        strategies.add_older(owner=alice.pk, activities=more[:2:-1], floor=more[2])
        assert_complete(alice, [*everything, *more])


def test_a_page_costs_a_constant_number_of_commands(alice, bob, strategy, record_commands):
    follow(alice, bob)
    stored_inbox(alice)
    costs = []
    for count in (12, 15):
        deliver(write(bob, count), alice)
        home_page(viewer=alice.pk, bounds=PageBounds(limit=4))
        with record_commands() as commands:
            home_page(viewer=alice.pk, bounds=PageBounds(limit=4))
        costs.append(len(commands))
    assert costs[0] == costs[1] <= 9
