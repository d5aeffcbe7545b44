"""People who do opposite things to each other at the same moment: never half of both."""

import contextlib
import random
import threading
from functools import partial

import pytest
from django.db import connection

from accounts.services.blocks_and_mutes import block_user, hide_shares, unblock_user
from accounts.services.follow_requests import accept_follow_request
from accounts.services.follows import CannotFollow, follow_user, remove_follower, unfollow_user
from accounts.services.imports import import_followers
from accounts.services.profiles import set_private
from accounts.store import audiences, edges
from tests.accounts.graph_promises import check_relationships
from tests.at_once import at_once
from tests.factories import follow, people

ACTS = {
    "follow": lambda one, two: follow_user(follower=one, followee=two),
    "unfollow": lambda one, two: unfollow_user(follower=one, followee=two),
    "block": lambda one, two: block_user(owner=one, other=two),
    "unblock": lambda one, two: unblock_user(owner=one, other=two),
    "accept": lambda one, two: accept_follow_request(followee=one, follower=two),
    "remove": lambda one, two: remove_follower(uid=one, follower=two),
    "hide": lambda one, two: hide_shares(owner=one, other=two, hidden=True),
    "import": lambda one, two: import_followers(followers={two: [one]}),
}


def act(name: str, one: int, two: int) -> None:
    with contextlib.suppress(CannotFollow):
        ACTS[name](one, two)


@pytest.mark.parametrize("count", [2, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("before", "mine", "theirs"),
    [
        ([], "follow", "block"),
        ([], "import", "block"),
        ([], "block", "block"),
        (["follow", "block"], "unblock", "block"),
        (["ask"], "accept", "block"),
        (["follow"], "unfollow", "block"),
        (["follow"], "hide", "remove"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value) or "nothing",
)
def test_opposites_at_once_leave_what_one_after_the_other_would(before, mine, theirs, count):
    """Each of ``pairs`` begins anew, for the two meet at another moment each time."""
    left, right = people(count, "a"), people(count, "b")
    pairs = [(first.pk, second.pk) for first, second in zip(left, right, strict=True)]
    for one, two in pairs:
        for name in before:
            if name == "ask":
                set_private(uid=one, is_private=True)
                follow_user(follower=two, followee=one)
            else:
                act(name, one, two)

    def do(name: str, is_swapped: bool) -> None:
        for one, two in pairs:
            act(name, *((two, one) if is_swapped else (one, two)))

    at_once(lambda: do(mine, False), lambda: do(theirs, True))
    follows = check_relationships()
    if theirs == "block":
        assert follows == set()
        blocks = connection.database["boundaries"].find({"kind": "block"})
        blocked = {(one["owner"], one["other"]) for one in blocks}
        assert blocked >= {(two, one) for one, two in pairs}


def test_a_block_in_the_middle_of_a_follow_ends_with_the_block_alone(alice, bob, monkeypatch):
    """The follow has looked for blocks and found none; the block comes before it is written."""
    began, insert, blockers = threading.Event(), edges.insert_edge, []

    def block() -> None:
        began.set()
        block_user(owner=bob.pk, other=alice.pk)
        connection.close()

    def insert_later(**edge):
        if not blockers:
            blockers.append(threading.Thread(target=block))
            blockers[0].start()
            began.wait()
        insert(**edge)

    monkeypatch.setattr(edges, "insert_edge", insert_later)
    with contextlib.suppress(CannotFollow):
        follow_user(follower=alice.pk, followee=bob.pk)
    blockers[0].join()
    assert check_relationships() == set()
    assert connection.database["boundaries"].count_documents({"kind": "block"}) == 1


@pytest.mark.parametrize(
    ("writers", "deeds"), [(2, 8), pytest.param(6, 40, marks=pytest.mark.slow)]
)
def test_writers_who_do_everything_to_each_other_leave_a_whole_site(monkeypatch, writers, deeds):
    monkeypatch.setattr(audiences, "BUCKET_CAPACITY", 3)
    uids = [one.pk for one in people(5)]
    for uid in uids[:2]:
        set_private(uid=uid, is_private=True)

    def work(seed: int) -> None:
        dice = random.Random(seed)
        for _ in range(deeds):
            names, weights = list(ACTS), (6, 2, 2, 2, 2, 1, 2, 1)
            act(dice.choices(names, weights)[0], *dice.sample(uids, 2))

    at_once(*(partial(work, seed) for seed in range(writers)))
    check_relationships()


@pytest.mark.parametrize("count", [4, pytest.param(12, marks=pytest.mark.slow)])
def test_strangers_do_not_wait_for_each_other(alice, count):
    """Many follow one author at once: each meets only the author and itself."""
    fans = people(count)
    at_once(*(partial(follow, fan, alice) for fan in fans))
    assert check_relationships() == {(fan.pk, alice.pk) for fan in fans}
