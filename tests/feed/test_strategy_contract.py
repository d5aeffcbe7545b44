"""What every strategy promises, by one suite for all: nothing lost, nothing twice, newest first.

What happens when inboxes come and go, and writers meet or die: ``test_strategy_lives``.
"""

import pytest

from feed.timeline import strategies
from feed.timeline.home import home_page
from feed.timeline.strategies import STRATEGIES
from tests.factories import follow, publish
from tests.feed.strategy_site import (
    TINY_INBOX_MAX,
    assert_complete,
    deliver,
    documents,
    held,
    is_held,
    read_down,
    read_up,
    say,
    use_tiny,
    write,
)


@pytest.fixture(params=sorted(STRATEGIES))
def strategy(request, settings, monkeypatch):
    use_tiny(request.param, settings, monkeypatch)
    return request.param


def test_pages_show_every_post_once_in_both_directions(alice, bob, carol, strategy):
    follow(alice, bob, carol)
    old = [*write(bob, 3), *write(carol, 3)]
    held(alice)
    assert_complete(alice, old)
    new = [publish(author) for author in (bob, carol)]
    for _ in range(6):
        new += [*say(bob, 1, alice), *say(carol, 1, alice)]
    everything = [*old, *new]
    for limit in (7, 40):
        assert read_down(alice, limit) == everything[::-1]
        assert read_up(alice, limit) == everything
    assert held(alice)[1] > new[0], "all of the old ones lie below the floor"


def test_one_sees_ones_own_posts_and_no_strangers(alice, bob, strategy):
    held(alice)
    own = publish(alice)
    publish(bob)
    assert read_down(alice) == [own]


def test_delivering_again_changes_nothing(alice, bob, strategy):
    follow(alice, bob)
    held(alice)
    result = say(bob, 12, alice)
    for _ in range(2):
        deliver(result, alice)
        assert_complete(alice, result)
        assert read_down(alice) == result[::-1]


def test_what_arrives_late_takes_its_place_or_lies_below_the_floor(alice, bob, strategy):
    follow(alice, bob)
    held(alice)
    late = write(bob, 6)
    result = say(bob, 3, alice)
    for _ in range(2):
        deliver(late[:3], alice)
        assert_complete(alice, [*late[:3], *result])
    result += say(bob, 11, alice)
    deliver(late[3:], alice)  # too late: there is a floor above it
    assert_complete(alice, result)
    assert read_down(alice, 7) == [*late, *result][::-1]
    assert read_up(alice) == [*late, *result]


def test_an_inbox_has_an_end_and_there_is_no_gap_at_it(alice, bob, strategy):
    follow(alice, bob)
    held(alice)
    result, floors = [], []
    for _ in range(16):
        result += say(bob, 1, alice)
        assert_complete(alice, result)
        answer = strategies.active_strategy().read_inbox(owner=alice.pk)
        assert answer.count <= TINY_INBOX_MAX
        floors.append(answer.floor)
    assert floors == sorted(floors)
    if is_held(strategy):
        assert len(held(alice)[0]) >= TINY_INBOX_MAX - 4
        assert documents(strategy, alice) <= TINY_INBOX_MAX + 2


def test_following_brings_older_posts_above_and_below_the_floor(alice, bob, carol, strategy):
    follow(alice, carol)
    held(alice)
    mixed = []
    for _ in range(16):
        mixed += [*write(bob, 1), *say(carol, 1, alice)]
    follow(alice, bob)
    assert_complete(alice, mixed)
    assert read_down(alice) == mixed[::-1]
    strategies.add_older(owner=alice.pk, activities=mixed[::-1][:8], floor=0)  # again
    assert read_down(alice) == mixed[::-1]


def test_following_somebody_with_more_posts_than_fit_leaves_no_gap(alice, bob, carol, strategy):
    follow(alice, carol)
    held(alice)
    everything = [*say(carol, 4, alice), *write(bob, 45), *say(carol, 4, alice)]
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
    held(alice)
    costs = []
    for count in (12, 15):
        deliver(write(bob, count), alice)
        home_page(viewer=alice.pk, limit=4)
        with record_commands() as commands:
            home_page(viewer=alice.pk, limit=4)
        costs.append(len(commands))
    assert costs[0] == costs[1] <= 9
