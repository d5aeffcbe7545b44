"""``python -m tests.bench.sharding`` compares designs with repeatable simulations."""

import json

import pytest
from django.db import connection

from accounts.infra.ids import MAX_ID, new_id
from tests.bench.sharding.__main__ import main
from tests.bench.sharding.placement import HashedPlacement, RangedPlacement, shard_key_hash
from tests.bench.sharding.simulation import DESIGNS, simulate
from tests.bench.sharding.workload import PageView, make_workload

SHARDS = 4
SIZE = {"shards": SHARDS, "users": 150, "posts": 600, "seed": 1}
COMMAND_OPTIONS = {"shards": SHARDS, "readers": 150, "posts": 600, "seed": 1}
BROADCAST = ("fan_out_on_read", "recipients_in_post")
DELIVERED = ("fan_out_on_write", "buckets", "counted_buckets")


@pytest.fixture(scope="module")
def figures():
    return simulate(**SIZE)


def test_ids_are_hashed_as_on_the_server():
    values = [0, 1, -7, 2**31, MAX_ID, new_id()]
    numbers = connection.database["numbers"]
    numbers.insert_many({"_id": value} for value in values)
    documents = numbers.aggregate([{"$set": {"hash": {"$toHashedIndexKey": "$_id"}}}])
    assert {document["_id"]: document["hash"] for document in documents} == {
        value: shard_key_hash(value=value) for value in values
    }
    numbers.drop()


def test_growing_ids_are_spread_by_hash_but_not_by_range():
    keys = [(number << 22,) for number in range(1, 4001)]
    old, new = keys[:2000], keys[2000:]
    by_hash, by_range = (
        HashedPlacement(shards=SHARDS),
        RangedPlacement(shards=SHARDS, keys=old, field_count=1),
    )
    assert {by_range.shard_of(id_) for id_ in old} == set(range(SHARDS))
    assert len({by_range.shard_of(id_) for id_ in new}) == 1
    counts = [sum(by_hash.shard_of(id_) == shard for id_ in new) for shard in range(SHARDS)]
    assert min(counts) > 0.8 * len(new) / SHARDS


def test_a_query_by_key_prefix_goes_to_all_shards_with_matches():
    keys = [(owner, owner, seq) for owner in range(50) for seq in range(37)]
    at = RangedPlacement(shards=SHARDS, keys=keys, field_count=3)
    for owner in range(50):
        holding = {at.shard_of((owner, owner, seq)) for seq in range(37)}
        assert holding <= at.shards_of((owner,))
        assert holding <= at.shards_of((owner, owner))
    assert max(len(at.shards_of((owner,))) for owner in range(50)) < SHARDS


@pytest.mark.parametrize("shards", [1, SHARDS])
def test_a_range_without_documents_is_one_chunk(shards):
    assert RangedPlacement(shards=shards, keys=[], field_count=2).shards_of((7,)) == {0}


def test_fan_out_on_read_reads_from_all_shards_and_writes_once(figures):
    for name in BROADCAST:
        design = figures["designs"][name]
        assert design["broadcasts"] == 1
        assert design["copies"] == 1
        assert design["reads"]["first"]["shards"] == {"mean": SHARDS, "p99": SHARDS}
        assert design["writes"] == {"shards": {"mean": 1, "p99": 1}, "documents": 1}


def test_fan_out_on_write_reads_from_all_shards_only_for_profiles(figures):
    for name in DELIVERED:
        reads = figures["designs"][name]["reads"]
        assert reads["first"]["broadcast"] == reads["deep"]["broadcast"] == 0
        assert reads["profile"]["broadcast"] == 1
        assert reads["first"]["shards"]["p99"] <= 2


def test_a_first_page_of_buckets_reads_one_shard_and_one_extra_document(figures):
    first = figures["designs"]["buckets"]["reads"]["first"]
    assert first["shards"] == {"mean": 1, "p99": 1}
    assert first["documents"] <= 1 + 20


def test_delivery_writes_a_copy_per_reader_on_up_to_all_shards(figures):
    readers = figures["workload"]["readers_per_post"]
    for name in DELIVERED:
        design = figures["designs"][name]
        assert 1 < design["writes"]["shards"]["mean"] <= SHARDS
        assert design["writes"]["shards"]["p99"] == SHARDS
        assert design["copies"] == pytest.approx(1 + readers, abs=0.1)
        assert design["writes"]["documents"] >= design["copies"] - 0.1


def test_buckets_write_less_than_counted_buckets_and_read_less_than_fan_out_on_write(
    figures,
):
    designs = figures["designs"]
    written = {name: designs[name]["writes"]["documents"] for name in DELIVERED}
    assert written["buckets"] < 0.6 * written["counted_buckets"]
    read = {name: designs[name]["reads"]["first"]["documents"] for name in DELIVERED}
    assert read["buckets"] < 0.6 * read["fan_out_on_write"]


def test_hashed_posts_are_even_but_ranged_posts_go_to_one_shard(figures):
    keys = figures["post_keys"]
    assert keys["_id"]["inserts"] == SHARDS
    assert keys["_id hashed"]["inserts"] < 1.5
    assert keys["author_id, _id"]["page_by_ids"] == SHARDS
    assert keys["author_id, _id"]["profile"] < keys["_id hashed"]["profile"] == SHARDS


def test_data_and_load_are_even_in_all_designs(figures):
    for design in figures["designs"].values():
        for part in ("load", "data"):
            assert 1 <= design["evenness"][part] < 1.5


def test_every_design_works_on_one_shard():
    alone = simulate(**{**SIZE, "shards": 1, "posts": 50})
    for design in alone["designs"].values():
        assert design["evenness"] == {"load": 1, "data": 1}
        assert design["reads"]["first"]["shards_with_posts"]["p99"] == 1
        assert design["writes"]["shards"] == {"mean": 1, "p99": 1}


def test_only_the_same_seed_gives_the_same_figures():
    small = {"shards": SHARDS, "users": 40, "posts": 60}
    assert simulate(**small, seed=1) == simulate(**small, seed=1) != simulate(**small, seed=2)


def test_audiences_are_unequal_and_no_user_follows_themselves():
    workload = make_workload(users=200, posts=400, seed=3)
    sizes = sorted(map(len, workload.followers.values()))
    assert sizes[-1] > 4 * sizes[len(sizes) // 2]
    assert not [uid for uid, followed in workload.followees.items() if uid in followed]
    assert len({*workload.uids}) == 200
    ids = [post.id for post in workload.history]
    ids += [event.id for event in workload.live if not isinstance(event, PageView)]
    assert ids == sorted(set(ids))
    assert ids[0] > workload.uids[-1]


def test_the_command_prints_tables_and_writes_the_same_figures(figures, tmp_path, capsys):
    file = tmp_path / "plan.json"
    options = [f"--{name}={value}" for name, value in COMMAND_OPTIONS.items()]
    main([*options, f"--json={file}"])
    assert json.loads(file.read_text()) == figures
    printed = capsys.readouterr().out
    assert all(name in printed for name in DESIGNS)


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--shards=0"],
        ["--shards=many"],
        ["--shards=4", "--readers=1"],
        ["--shards=4", "--posts=1000000"],
        ["--shards=4", "--json=/no/such/folder/plan.json"],
        ["--shards=4", "--json=/"],
    ],
)
def test_invalid_options_are_refused(options):
    with pytest.raises(SystemExit, match="2"):
        main(options)


def test_the_smallest_site_can_be_planned():
    assert simulate(shards=1000, users=2, posts=2, seed=0)["designs"].keys() == DESIGNS.keys()
