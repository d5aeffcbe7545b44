"""Imports of many follows write the same documents as single follows, even during concurrent changes."""

import threading
from functools import partial

import pytest
from django.db import connection
from django.utils import timezone

from accounts.infra.ids import new_id
from accounts.services.blocks_and_mutes import block_user
from accounts.services.follow_requests import accept_follow_request
from accounts.services.follows import follow_user
from accounts.services.imports import import_followers
from accounts.services.profiles import set_private
from accounts.store import audiences, blocks_and_mutes, bulk_follows, edges, follow_requests
from accounts.store.collections import audience_buckets, follow_edges
from tests.accounts.graph_promises import check_graph, check_relationships
from tests.at_once import at_once
from tests.factories import follow, people


@pytest.fixture
def small_buckets(monkeypatch):
    for module in (audiences, bulk_follows):
        monkeypatch.setattr(module, "BUCKET_CAPACITY", 2)


@pytest.fixture
def run_before(monkeypatch):
    """Return a function that runs ``action`` in another thread before the first call of a function."""

    def patch(module, name, action):
        original, has_run = getattr(module, name), threading.Event()

        def call(*args, **kwargs):
            if not has_run.is_set():
                has_run.set()
                at_once(action)
            return original(*args, **kwargs)

        monkeypatch.setattr(module, name, call)

    return patch


def write_audience(author: int, uids_by_seq: list[list[int]]) -> None:
    """Insert the buckets of an author, and the edges of the followers in the buckets."""
    audience_buckets().insert_many(
        {"author": author, "seq": seq, "uids": uids, "n": len(uids)}
        for seq, uids in enumerate(uids_by_seq)
    )
    follow_edges().insert_many(
        edges.new_edge_document(new_id(), uid, author, seq, timezone.now())
        for seq, uids in enumerate(uids_by_seq)
        for uid in uids
    )


def follow_each(*, followers_by_followee: dict[int, list[int]]) -> None:
    for followee, uids in followers_by_followee.items():
        for uid in uids:
            follow_user(follower=uid, followee=followee)


def stored_follows() -> tuple[list, list]:
    """Return the edges in the order of their ids, and the buckets, without ids and times.

    Follows of an import wait for their backfill. A single follow runs it at once.
    """
    rows = follow_edges().find({}, {"_id": 0, "at": 0, "backfill": 0}).sort("_id", 1)
    buckets = audience_buckets().find({}, {"_id": 0}).sort([("author", 1), ("seq", 1)])
    return list(rows), list(buckets)


def test_an_import_writes_the_same_documents_as_single_follows(small_buckets):
    old_fans, new_fans = [[fan.pk for fan in people(3, prefix)] for prefix in ("o", "n")]
    first, second, third = old_fans
    authors = [user.pk for user in people(4, "a")]
    _, is_full, has_gaps, was_left = authors
    documents = []
    for add in (follow_each, import_followers):
        follow_edges().delete_many({})
        audience_buckets().delete_many({})
        write_audience(is_full, [[first, second]])
        write_audience(has_gaps, [[first], [second, third]])
        audience_buckets().insert_one({"author": was_left, "seq": 0, "uids": [], "n": 0})
        add(followers_by_followee=dict.fromkeys(authors, new_fans))
        documents.append(stored_follows())
        check_graph()
    assert documents[0] == documents[1]


def test_an_import_skips_duplicates_self_follows_and_existing_follows(alice, bob, carol):
    follow(alice, bob)
    follow(bob, alice)
    existing = list(follow_edges().find())
    count = import_followers(
        followers_by_followee={
            bob.pk: [alice.pk, carol.pk, carol.pk, bob.pk],
            carol.pk: [carol.pk],
            alice.pk: [],
        }
    )
    assert count == 1
    assert check_graph() == {(alice.pk, bob.pk), (bob.pk, alice.pk), (carol.pk, bob.pk)}
    assert list(follow_edges().find({"follower": {"$ne": carol.pk}})) == existing


def import_commands(record_commands, followers_by_followee):
    with record_commands() as commands:
        import_followers(followers_by_followee=followers_by_followee)
    return [(name, command.get(name)) for name, command in commands]


@pytest.mark.parametrize("count", [2, 12])
def test_an_import_costs_the_same_for_few_followees_and_for_many(record_commands, count):
    authors, fans = people(count, "a"), [fan.pk for fan in people(3, "f")]
    followed, others = authors[::2], authors[1::2]
    import_followers(followers_by_followee={author.pk: fans[:1] for author in followed})
    follows = {author.pk: fans for author in authors}
    expected_reads = [
        ("find", "follow_edges"),
        ("find", "audience_buckets"),
        ("find", "follow_edges"),
    ]
    writes = [name for name in ("insert", "update") if name == "insert" or others]
    assert import_commands(record_commands, follows) == [
        *expected_reads,
        ("find", "blocks_and_mutes"),
        *((name, "audience_buckets") for name in writes),
        ("insert", "follow_edges"),
        ("commitTransaction", 1),
    ]
    assert import_commands(record_commands, follows) == [*expected_reads, ("commitTransaction", 1)]
    assert len(check_graph()) == 3 * count


def test_existing_follows_are_found_in_the_index(alice, bob, carol, record_commands):
    follow(alice, bob, carol)
    with record_commands() as commands:
        pairs = edges.existing_follows(
            followers_by_followee={bob.pk: [alice.pk, carol.pk], carol.pk: [alice.pk, bob.pk]}
        )
        assert set(pairs) == {(alice.pk, bob.pk), (alice.pk, carol.pk)}
    ((_, command),) = commands
    query = {name: command[name] for name in ("find", "filter", "projection", "hint")}
    plan = connection.database.command("explain", query, verbosity="executionStats")
    assert plan["executionStats"]["totalDocsExamined"] == 0
    assert "COLLSCAN" not in str(plan)


@pytest.mark.parametrize("blocker", ["follower", "followee"])
def test_a_block_in_the_middle_of_an_import_leaves_only_the_block(
    alice, bob, carol, run_before, blocker
):
    # The block is committed between the import's check for blocks and the insert of the edges.
    owner, other = (alice, bob) if blocker == "follower" else (bob, alice)
    run_before(bulk_follows, "insert_edges", lambda: block_user(owner=owner.pk, other=other.pk))
    count = import_followers(followers_by_followee={bob.pk: [alice.pk, carol.pk]})
    assert count == 1
    assert check_relationships() == {(carol.pk, bob.pk)}
    assert connection.database["blocks_and_mutes"].count_documents({"kind": "block"}) == 1


@pytest.mark.parametrize("blocker", ["follower", "followee"])
def test_an_import_in_the_middle_of_a_block_leaves_only_the_block(alice, bob, run_before, blocker):
    # The import is committed between the block's check for follows and the insert of the block.
    owner, other = (alice, bob) if blocker == "follower" else (bob, alice)
    run_before(
        blocks_and_mutes,
        "insert_block",
        lambda: import_followers(followers_by_followee={bob.pk: [alice.pk]}),
    )
    assert block_user(owner=owner.pk, other=other.pk)
    assert check_relationships() == set()
    assert connection.database["blocks_and_mutes"].count_documents({"kind": "block"}) == 1


def test_a_block_leaves_no_trace_in_the_edges(alice, bob, carol):
    follow(carol, alice)
    before = list(follow_edges().find())
    block_user(owner=alice.pk, other=bob.pk)
    assert list(follow_edges().find()) == before


def test_a_request_accepted_during_an_import_creates_one_follow(alice, bob, run_before):
    set_private(uid=bob.pk, is_private=True)
    follow(alice, bob)
    run_before(
        audiences,
        "add_follower",
        lambda: import_followers(followers_by_followee={bob.pk: [alice.pk]}),
    )
    assert accept_follow_request(followee=bob.pk, follower=alice.pk)
    assert not follow_requests.has_request(follower=alice.pk, followee=bob.pk)
    assert check_relationships() == {(alice.pk, bob.pk)}


@pytest.mark.parametrize("has_followers", [False, True])
@pytest.mark.parametrize("change", [follow_each, import_followers])
def test_a_follow_in_the_middle_of_an_import_is_created_once(
    alice, run_before, change, has_followers
):
    # The follow is committed between the import's check for follows and its first write.
    first, second, third = [fan.pk for fan in people(3)]
    if has_followers:
        write_audience(alice.pk, [[third]])
    follows = {alice.pk: [first]}
    run_before(bulk_follows, "add_to_audiences", lambda: change(followers_by_followee=follows))
    assert import_followers(followers_by_followee={alice.pk: [first, second]}) == 1
    expected = {first, second, third} if has_followers else {first, second}
    assert check_graph() == {(uid, alice.pk) for uid in expected}


@pytest.mark.parametrize("count", [3, pytest.param(10, marks=pytest.mark.slow)])
def test_concurrent_imports_of_the_same_follows_write_each_follow_once(small_buckets, count):
    uids = [user.pk for user in people(8)]
    follows = dict.fromkeys(uids[:4], uids)
    counts = []
    works = [partial(import_followers, followers_by_followee=follows) for _ in range(count)]
    at_once(*(lambda work=work: counts.append(work()) for work in works))
    assert sum(counts) == 4 * 7
    assert check_graph() == {
        (uid, followee) for followee in uids[:4] for uid in uids if uid != followee
    }
