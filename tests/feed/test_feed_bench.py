"""``manage.py feed_bench`` measures, leaves nothing behind and touches nothing. How fast is no test."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from feed import services
from feed.bench import run
from feed.bench.throwaway import MARK, throwaway_database
from feed.store.collections import inbox_buckets, inbox_heads

SMALL = {"readers": 60, "posts": 60, "pairs": 2}


def bench_database() -> str:
    return f"{connection.settings_dict['NAME']}_bench"


def databases() -> list[str]:
    return connection.database.client.list_database_names()


@pytest.fixture
def site(alice):
    """What the bench must leave alone: a post, and the collections it has of the same names."""
    services.publish_post(author=alice.pk, text="Still here")
    inbox_heads().insert_one({"_id": 1, "ids": [5]})
    inbox_buckets().insert_one({"owner": 1, "gen": 1, "seq": 0, "ids": [4]})

    def contents() -> dict[str, list[object]]:
        database = connection.database
        return {
            name: list(database[name].find().sort("_id"))
            for name in sorted(database.list_collection_names())
            if name != "node_leases"
        }

    return contents


def test_the_bench_reports_every_figure_and_leaves_the_site_as_it_was(site, tmp_path):
    before, database, out = site(), connection.database, StringIO()
    call_command("feed_bench", json=tmp_path / "figures.json", stdout=out, **SMALL)

    figures = json.loads((tmp_path / "figures.json").read_text())
    rates = figures["deliveries_per_second"]
    assert rates.keys() == {"buckets", "bare", "counted_published"}
    assert figures["ratios"].keys() == {"buckets_to_bare", "buckets_to_counted"}
    assert figures["memory"].keys() == {"process_peak_bytes", "mongod_resident_bytes"}
    for group in (rates, figures["ratios"], figures["memory"], *figures["pairs"]):
        assert all(number > 0 for number in group.values())
    assert len(figures["pairs"]) == 2
    assert figures["workload"] == SMALL
    assert f"{rates['buckets']:,.0f}" in out.getvalue()

    assert bench_database() not in databases()
    assert connection.database is database
    assert database.name == connection.settings_dict["NAME"]
    assert site() == before


def test_every_design_delivers_every_post_to_every_reader():
    def count(collection: str) -> int:
        found = connection.database[collection].aggregate(
            [{"$group": {"_id": None, "n": {"$sum": {"$size": "$ids"}}}}]
        )
        return next(found)["n"]

    with throwaway_database():
        run.run(**SMALL, step=lambda: None)
        newest = connection.database["inbox_heads"].find_one()["ids"][-1]
        for collection in ("inbox_heads", "bare_heads"):
            assert connection.database[collection].count_documents({"ids": newest}) == 60
        assert count("counted_buckets") == 60 * (1 + 2 * run.COUNTED_POSTS)


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, ZeroDivisionError])
def test_a_bench_that_is_stopped_leaves_the_site_as_it_was(site, monkeypatch, interruption):
    before = site()

    def stop(**_: int) -> None:
        raise interruption

    monkeypatch.setattr(run.Bare, "deliver", lambda self, **_: stop())
    with pytest.raises((CommandError, ZeroDivisionError)):
        call_command("feed_bench", stdout=StringIO(), **SMALL)
    assert bench_database() not in databases()
    assert site() == before


def test_what_a_killed_bench_left_is_cleared_away():
    name = bench_database()
    left = connection.database.client[name]
    left[MARK].insert_one({})
    left["inbox_heads"].insert_one({"_id": 1})
    with throwaway_database():
        assert connection.database.name == connection.settings_dict["NAME"] == name
        assert inbox_heads().count_documents({}) == 0
    assert name not in databases()


def test_a_database_that_no_bench_made_is_refused_and_kept():
    foreign = connection.database.client[bench_database()]
    foreign["letters"].insert_one({"_id": 1})
    try:
        with pytest.raises(CommandError, match="in use for something else"):
            call_command("feed_bench", **SMALL)
        assert foreign["letters"].count_documents({}) == 1
    finally:
        foreign.client.drop_database(foreign.name)
