"""Two users act on each other at the same moment. Their relationships must stay consistent."""

import contextlib
import random
import threading
from functools import partial

import pytest
from django.db import connection

from accounts.services.blocks_and_mutes import block_user, unblock_user
from accounts.services.follow_requests import accept_follow_request
from accounts.services.follow_settings import hide_shares
from accounts.services.follows import CannotFollow, follow_user, remove_follower, unfollow_user
from accounts.services.imports import import_followers
from accounts.services.profiles import set_private
from accounts.store import audiences, edges
from tests.accounts.graph_promises import check_relationships
from tests.at_once import at_once
from tests.factories import follow, people

ACTIONS = {
    "follow": lambda actor, target: follow_user(follower=actor, followee=target),
    "unfollow": lambda actor, target: unfollow_user(follower=actor, followee=target),
    "block": lambda actor, target: block_user(owner=actor, other=target),
    "unblock": lambda actor, target: unblock_user(owner=actor, other=target),
    "accept": lambda actor, target: accept_follow_request(followee=actor, follower=target),
    "remove": lambda actor, target: remove_follower(uid=actor, follower=target),
    "hide": lambda actor, target: hide_shares(owner=actor, other=target, is_hidden=True),
    "import": lambda actor, target: import_followers(followers_by_followee={target: [actor]}),
}


def act(name: str, actor: int, target: int) -> None:
    with contextlib.suppress(CannotFollow):
        ACTIONS[name](actor, target)


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
def test_opposites_at_once_have_the_same_result_as_in_sequence(before, mine, theirs, count):
    # Repeat with several pairs, because the two actions overlap differently each time.
    left, right = people(count, "a"), people(count, "b")
    pairs = [(first.pk, second.pk) for first, second in zip(left, right, strict=True)]
    for uid, other_uid in pairs:
        for name in before:
            if name == "ask":
                set_private(uid=uid, is_private=True)
                follow_user(follower=other_uid, followee=uid)
            else:
                act(name, uid, other_uid)

    def act_on_all(name: str, is_swapped: bool) -> None:
        for uid, other_uid in pairs:
            act(name, *((other_uid, uid) if is_swapped else (uid, other_uid)))

    at_once(lambda: act_on_all(mine, False), lambda: act_on_all(theirs, True))
    follows = check_relationships()
    if theirs == "block":
        assert follows == set()
        blocks = connection.database["blocks_and_mutes"].find({"kind": "block"})
        blocked = {(row["owner"], row["other"]) for row in blocks}
        assert blocked >= {(other_uid, uid) for uid, other_uid in pairs}


def test_a_block_in_the_middle_of_a_follow_leaves_only_the_block(alice, bob, monkeypatch):
    # The block is written between the follow's check for blocks and the insert of the edge.
    has_begun, insert, blockers = threading.Event(), edges.insert_edge, []

    def block() -> None:
        has_begun.set()
        block_user(owner=bob.pk, other=alice.pk)
        connection.close()

    def insert_later(**edge):
        if not blockers:
            blockers.append(threading.Thread(target=block))
            blockers[0].start()
            has_begun.wait()
        insert(**edge)

    monkeypatch.setattr(edges, "insert_edge", insert_later)
    with contextlib.suppress(CannotFollow):
        follow_user(follower=alice.pk, followee=bob.pk)
    blockers[0].join()
    assert check_relationships() == set()
    assert connection.database["blocks_and_mutes"].count_documents({"kind": "block"}) == 1


@pytest.mark.parametrize(
    ("writers", "action_count"), [(2, 8), pytest.param(6, 40, marks=pytest.mark.slow)]
)
def test_random_concurrent_actions_leave_consistent_relationships(
    monkeypatch, writers, action_count
):
    monkeypatch.setattr(audiences, "BUCKET_CAPACITY", 3)
    uids = [user.pk for user in people(5)]
    for uid in uids[:2]:
        set_private(uid=uid, is_private=True)

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(action_count):
            names, weights = list(ACTIONS), (6, 2, 2, 2, 2, 1, 2, 1)
            act(rng.choices(names, weights)[0], *rng.sample(uids, 2))

    at_once(*(partial(work, seed) for seed in range(writers)))
    check_relationships()


@pytest.mark.parametrize("count", [4, pytest.param(12, marks=pytest.mark.slow)])
def test_followers_of_one_author_do_not_lock_each_other(alice, count):
    # A follow locks the pair of follower and author, not the author alone. So these follows do not
    # conflict.
    fans = people(count)
    at_once(*(partial(follow, fan, alice) for fan in fans))
    assert check_relationships() == {(fan.pk, alice.pk) for fan in fans}
