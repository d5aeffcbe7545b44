"""Follows: an edge and a place in an audience bucket. Even concurrent calls write both or neither."""

import random
import threading
from datetime import timedelta

import pytest
from django.db import connection

from accounts.infra.cursors import PageBounds
from accounts.infra.ids import time_of
from accounts.selectors import follow_graph, user_pages
from accounts.selectors.follow_graph import audience_size, pending_backfills_by_follower
from accounts.selectors.user_pages import followers_page
from accounts.services.follows import CannotFollow, follow_user, unfollow_user
from accounts.store import audiences, edges, relationship_kinds
from accounts.store.collections import audience_buckets, follow_edges
from tests.factories import follow, follow_many, people


def assert_graph_is_consistent() -> None:
    """Assert that each follower is in exactly the bucket that the edge names.

    Buckets must not contain any other users.
    """
    by_edges = {
        (edge["followee"], edge["bucket"], edge["follower"]) for edge in follow_edges().find()
    }
    by_buckets = []
    for bucket in audience_buckets().find():
        assert bucket["n"] == len(bucket["uids"]) <= audiences.BUCKET_CAPACITY
        by_buckets += [(bucket["author"], bucket["seq"], uid) for uid in bucket["uids"]]
    assert len(by_buckets) == len(set(by_buckets))
    assert set(by_buckets) == by_edges
    assert follow_edges().count_documents({}) == len(by_edges)


def test_following_writes_the_edge_and_the_audience(alice, bob):
    assert follow_user(follower=alice.pk, followee=bob.pk)
    edge = edges.find_edge(follower=alice.pk, followee=bob.pk)
    (bucket,) = follow_graph.audience_buckets(author=bob.pk)
    assert (edge.bucket_seq, bucket.uids) == (0, [alice.pk])
    assert_graph_is_consistent()


def test_following_twice_creates_one_follow(alice, bob):
    assert follow_user(follower=alice.pk, followee=bob.pk) is True
    assert follow_user(follower=alice.pk, followee=bob.pk) is False
    assert audience_size(author=bob.pk).follower_count == 1
    assert_graph_is_consistent()


def test_unfollowing_touches_exactly_one_bucket(alice, bob, carol, record_commands):
    follow(alice, bob)
    follow(carol, bob)
    with record_commands() as commands:
        assert unfollow_user(follower=alice.pk, followee=bob.pk)
    updates = [command for _, command in commands if command.get("update") == "audience_buckets"]
    assert [statement["multi"] for update in updates for statement in update["updates"]] == [False]
    assert [bucket.uids for bucket in follow_graph.audience_buckets(author=bob.pk)] == [[carol.pk]]
    assert unfollow_user(follower=alice.pk, followee=bob.pk) is False
    assert_graph_is_consistent()


def test_following_oneself_or_a_missing_user_is_refused(alice):
    with pytest.raises(CannotFollow):
        follow_user(follower=alice.pk, followee=alice.pk)
    with pytest.raises(CannotFollow):
        follow_user(follower=alice.pk, followee=1)
    assert follow_edges().count_documents({}) == 0


def test_a_follow_costs_eight_commands_and_a_repeat_one(alice, bob, carol, record_commands):
    follow(carol, bob)
    commands_by_call = []
    for _ in range(2):
        with record_commands() as commands:
            follow_user(follower=alice.pk, followee=bob.pk)
        names = [(name, command.get(name)) for name, command in commands]
        commands_by_call.append(
            names[: names.index(("commitTransaction", 1)) + 1] if len(names) > 1 else names
        )
    first, second = commands_by_call
    assert first == [
        ("aggregate", "accounts_user"),
        ("findAndModify", "action_counts"),
        ("update", "pair_locks"),
        ("find", "blocks_and_mutes"),
        ("aggregate", "accounts_user"),
        ("findAndModify", "audience_buckets"),
        ("insert", "follow_edges"),
        ("commitTransaction", 1),
    ]
    assert second == [("aggregate", "accounts_user")]


def test_a_follow_created_concurrently_by_another_process_is_not_new(alice, bob, monkeypatch):
    follow(alice, bob)
    read_before_follow = relationship_kinds.UidsByKind({relationship_kinds.PUBLIC: {bob.pk}})
    monkeypatch.setattr(relationship_kinds, "find_before_follow", lambda **_: read_before_follow)
    assert follow_user(follower=alice.pk, followee=bob.pk) is False
    assert audience_size(author=bob.pk).follower_count == 1
    assert_graph_is_consistent()


def test_a_full_bucket_opens_a_new_one(alice, monkeypatch):
    monkeypatch.setattr(audiences, "BUCKET_CAPACITY", 3)
    fans = people(7)
    for fan in fans:
        follow(fan, alice)
    size = audience_size(author=alice.pk)
    assert (size.follower_count, size.bucket_count) == (7, 3)
    unfollow_user(follower=fans[0].pk, followee=alice.pk)
    follow(fans[0], alice)  # joins the newest bucket with room, not the bucket with the new gap
    assert edges.find_edge(follower=fans[0].pk, followee=alice.pk).bucket_seq == 2
    assert_graph_is_consistent()


@pytest.mark.parametrize(
    ("writers", "actions", "capacity"),
    [(2, 5, 2), pytest.param(8, 25, 10, marks=pytest.mark.slow)],
)
def test_concurrent_follows_and_unfollows_leave_a_consistent_graph(
    alice, monkeypatch, writers, actions, capacity
):
    monkeypatch.setattr(audiences, "BUCKET_CAPACITY", capacity)
    fans = people(3 * writers)
    failures = []

    def work(seed: int) -> None:
        rng = random.Random(seed)
        try:
            for _ in range(actions):
                fan = rng.choice(fans).pk
                if rng.random() < 0.65:
                    follow_user(follower=fan, followee=alice.pk)
                else:
                    unfollow_user(follower=fan, followee=alice.pk)
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert_graph_is_consistent()


def test_a_failure_in_the_middle_leaves_neither_edge_nor_audience(alice, bob, monkeypatch):
    def fail(**_):
        raise OSError("killed")

    monkeypatch.setattr(edges, "insert_edge", fail)
    with pytest.raises(OSError, match="killed"):
        follow_user(follower=alice.pk, followee=bob.pk)
    assert audience_buckets().count_documents({}) == 0


def test_the_audience_is_counted_on_the_index_alone(alice):
    for fan in people(3):
        follow(fan, alice)
    plan = connection.database.command(
        "explain",
        {
            "aggregate": "audience_buckets",
            "pipeline": [
                {"$match": {"author": alice.pk}},
                {"$project": {"_id": 0, "n": 1, "seq": 1}},
                {"$group": {"_id": None, "people": {"$sum": "$n"}, "last": {"$max": "$seq"}}},
            ],
            "cursor": {},
        },
        verbosity="executionStats",
    )
    text = str(plan)
    assert "IXSCAN" in text
    assert "'totalDocsExamined': 0" in text
    assert "COLLSCAN" not in text


@pytest.mark.parametrize("direction", ["followers", "following"])
def test_lists_page_in_both_directions_without_gaps_or_repeats(alice, direction):
    others = people(12)
    if direction == "followers":
        follow_many(others, alice)
    else:
        follow_many([alice], *others)
    get_page = getattr(user_pages, f"{direction}_page")

    def names(page):
        return [row.card.username for row in page.rows]

    pages = [get_page(uid=alice.pk, viewer=None, bounds=PageBounds(5))]
    while pages[-1].older_cursor:
        pages.append(
            get_page(
                uid=alice.pk,
                viewer=None,
                bounds=PageBounds(5, max_id=int(pages[-1].older_cursor)),
            )
        )
    expected = [other.username for other in reversed(others)]
    assert [name for page in pages for name in names(page)] == expected
    assert [len(page.rows) for page in pages] == [5, 5, 2]
    assert pages[0].newer_cursor is None
    back = get_page(
        uid=alice.pk,
        viewer=None,
        bounds=PageBounds(5, min_id=int(pages[-1].newer_cursor)),
    )
    assert names(back) == names(pages[1])


def test_a_list_costs_the_same_for_one_row_and_for_twenty(alice, bob, record_commands):
    from accounts import user_cards

    def cost():
        user_cards.clear_cards()
        with record_commands() as commands:
            followers_page(uid=alice.pk, viewer=bob.pk)
        return [name for name, _ in commands]

    follow(bob, alice)
    cost_of_one = cost()
    follow_many(people(19), alice)
    assert cost() == cost_of_one
    assert len(cost_of_one) == 3


def test_pending_backfills_include_follows_of_the_last_millisecond(alice, bob):
    follow_user(follower=alice.pk, followee=bob.pk)
    edge = edges.find_edge(follower=alice.pk, followee=bob.pk).id
    follow_edges().update_one({"_id": edge}, {"$set": {"backfill": "pending"}})
    moment = time_of(id=edge)
    assert pending_backfills_by_follower(followed_until=moment, limit=10) == {alice.pk: [edge]}
    just_before = moment - timedelta(milliseconds=1)
    assert pending_backfills_by_follower(followed_until=just_before, limit=10) == {}
