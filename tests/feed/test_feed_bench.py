"""The benchmark ``python -m tests.bench`` compares equal work and leaves the site unchanged.

No test runs all stages: only ``make bench`` does.
"""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from feed.store.collections import inbox_buckets, inbox_heads
from tests.actions import publish_post
from tests.bench import (
    against,
    cli,
    cold,
    history,
    own_server,
    speed,
    tables,
)
from tests.bench.database import MARKER_COLLECTION, throwaway_database
from tests.bench.entry_rivals import Clustered
from tests.bench.http_calls import CallResult
from tests.bench.own_server import ServerFailed
from tests.bench.progress import SilentProgress
from tests.bench.sizes import Sizes
from tests.bench.targets import Target
from tests.bench.workload import Workload

READERS = 12
TINY = Sizes(
    recipients=READERS,
    posts=12,
    pairs=2,
    warm_up_posts=2,
    rival_entries=50,
    audiences=(10, 20),
    audience_deliveries=20,
    followed=160,
    posts_per_author=2,
    page_viewers=1,
    page_samples=2,
    volume_recipients=30,
    volume_deliveries=(100, 300),
    cold_cache_mib=1,
    cold_posts=2,
    cold_rounds=2,
    cold_pages=5,
    followers=(10, 1001),
    graph_samples=2,
    admin_posts=60,
    admin_samples=2,
    minute_subjects=30,
    minute_events=2000,
    minute_reads=2,
    demo_people=12,
    demo_posts=60,
    large_demo_posts=70,
    http_samples=1,
    http_rounds=1,
    http_calls=2,
)


@pytest.fixture(autouse=True)
def tiny(monkeypatch, settings):
    monkeypatch.setattr(cli, "FULL", TINY)
    settings.FEED_INBOX_MAX = 250


def bench_database() -> str:
    return f"{connection.settings_dict['NAME']}_bench"


def databases() -> list[str]:
    return connection.database.client.list_database_names()


@pytest.fixture
def contents(alice):
    """Create data that the benchmark must not change. Return a function that reads all collections."""
    publish_post(author=alice.pk, text="Still here")
    inbox_heads().insert_one({"_id": 1, "ids": [5]})
    inbox_buckets().insert_one({"owner": 1, "gen": 1, "seq": 0, "ids": [4]})

    def read_collections() -> dict[str, list[object]]:
        database = connection.database
        return {
            name: list(database[name].find().sort("_id"))
            for name in sorted(database.list_collection_names())
            if name != "node_leases"
        }

    return read_collections


def test_every_design_delivers_every_post_to_every_reader():
    def count(collection: str, field: str = "ids") -> int:
        documents = connection.database[collection].aggregate(
            [{"$group": {"_id": None, "n": {"$sum": {"$size": f"${field}"}}}}]
        )
        return next(documents)["n"]

    with throwaway_database():
        speed.measure(sizes=TINY, progress=SilentProgress())
        newest = connection.database["bare_heads"].find_one()["ids"][-1]
        for collection, ids in (("bare_heads", [newest]), ("inbox_heads", [newest, newest + 1])):
            heads = connection.database[collection]
            assert heads.count_documents({"ids": {"$all": ids}}) == READERS
        entries = connection.database["inbox_entries"]
        assert entries.count_documents({"activity": newest}) == READERS
        assert count("published_buckets") == READERS * (1 + 2 * speed.PUBLISHED_POSTS)
        posts = TINY.warm_up_posts + 2 * TINY.posts
        initial_entries = sum(50 + i for i in range(READERS))
        assert (
            connection.database["clustered_entries"].count_documents({})
            == initial_entries + READERS * posts
        )
        assert count("bench_messages", "recipients") == initial_entries + READERS * posts
        assert count("batched_buckets") == initial_entries + READERS * posts
        slow_turns = 1 + 2 * 2  # the slow design delivers only every tenth post
        assert count("counted_buckets") == initial_entries + READERS * slow_turns


@pytest.fixture
def caches(monkeypatch):
    """Collect the requested cache sizes in MiB without changing the cache of the shared server."""
    results = []
    monkeypatch.setattr(cold, "set_cache_size", lambda *, mib: results.append(mib))
    return results


def test_the_cache_size_is_restored_after_an_error(caches, monkeypatch):
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(cold, "measure_page_reads", fail)
    contender, workload = Clustered(), Workload(user_count=READERS)
    with throwaway_database():
        contender.fill(recipients=workload.uids, patterns=[[1]], progress=SilentProgress())
        with pytest.raises(ZeroDivisionError):
            cold.measure(
                sizes=TINY, workload=workload, contenders=[contender], progress=SilentProgress()
            )
    assert caches[0] == 1 < caches[-1]


def test_a_small_cache_is_measured_on_a_server_of_its_own(monkeypatch):
    started = []

    def record_command(command, *, env, **_):
        started.append((command, env))
        return type("Done", (), {"returncode": 1})

    monkeypatch.setenv("TEST_MONGODB_URI", "mongodb://somebody.example/")
    monkeypatch.setattr(own_server.subprocess, "run", record_command)
    with pytest.raises(ServerFailed):
        own_server.measure_on_own_server(arguments=["--only", "volume"])
    ((command, env),) = started
    assert "tests.with_mongodb" in command
    assert command[-2:] == ["--only", "volume"]
    assert "TEST_MONGODB_URI" not in env


def test_another_commit_is_compared_in_pairs():
    def results(*cpu_ms: float) -> list[CallResult]:
        return [CallResult(1, 1, cpu, 1, 8, b"a page") for cpu in cpu_ms]

    page = against._compared(results(10, 30, 20), results(20, 40, 10))
    assert page == {
        "cpu_ms": [20, 20],
        "ratio": 0.75,
        "commands": [8, 8],
        "bytes": [6, 6],
    }
    figures = {"against": {"commit": "abc", "pages": {"home": page}}}
    (table,) = tables.measured_tables(figures=figures)
    assert table.rows == [["home", "20.0", "20.0", "0.75", "8", "8", "0.0", "0.0"]]


@pytest.mark.parametrize("only", [[], ["graph"], ["pages", "graph"]])
def test_only_the_pages_are_compared_with_another_commit(only):
    with pytest.raises(CommandError, match="--only pages"):
        call_command(cli.BenchCommand(), only=only, against="abc", stdout=StringIO())


def test_an_unknown_commit_is_reported():
    with pytest.raises(ServerFailed, match="git worktree add"), against._checkout("0" * 40):
        pass


def test_an_interrupted_bench_leaves_the_site_unchanged(contents, monkeypatch):
    before = contents()

    def stop(**_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Clustered, "fill", lambda self, **_: stop())
    with pytest.raises(CommandError):
        call_command(cli.BenchCommand(), only=["speed"], stdout=StringIO())
    assert bench_database() not in databases()
    assert contents() == before


def test_figures_are_written_after_each_stage_and_can_be_extended(tmp_path, monkeypatch):
    file = tmp_path / "figures.json"

    def measured(stage, options):
        if stage == "timelines":
            raise KeyboardInterrupt
        return {"ratios": {stage: 2.0}}

    monkeypatch.setattr(cli, "measure_stage", measured)
    with pytest.raises(CommandError, match="Stopped"):
        call_command(cli.BenchCommand(), json=file, stdout=StringIO())
    assert json.loads(file.read_text()) == {"ratios": {"speed": 2.0, "audience": 2.0}}
    places = {"from": file, "json": file}
    call_command(cli.BenchCommand(), only=["volume"], stdout=StringIO(), **places)
    assert set(json.loads(file.read_text())["ratios"]) == {"speed", "audience", "volume"}


def test_the_database_of_a_killed_bench_is_cleared():
    name = bench_database()
    left = connection.database.client[name]
    left[MARKER_COLLECTION].insert_one({})
    left["inbox_heads"].insert_one({"_id": 1})
    with throwaway_database():
        assert connection.database.name == connection.settings_dict["NAME"] == name
        assert inbox_heads().count_documents({}) == 0
    assert name not in databases()


def test_a_database_of_another_program_is_refused_and_kept():
    foreign = connection.database.client[bench_database()]
    foreign["letters"].insert_one({"_id": 1})
    try:
        with pytest.raises(CommandError, match="in use for something else"):
            call_command(cli.BenchCommand(), only=["graph"])
        assert foreign["letters"].count_documents({}) == 1
    finally:
        foreign.client.drop_database(foreign.name)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"json": "missing/figures.json"}, "no folder"),
        ({"svg": "missing"}, "no folder"),
        ({"markdown": "missing.md"}, "no place"),
        ({"from": "missing.json"}, "cannot be read"),
        ({"from": "page.md"}, "no figures"),
    ],
)
def test_an_invalid_output_path_is_reported_before_measuring(tmp_path, options, words):
    (tmp_path / "page.md").write_text("no JSON, and no mark")
    places = {name: tmp_path / place for name, place in options.items()}
    with pytest.raises(CommandError, match=words):
        call_command(cli.BenchCommand(), **places)


def test_the_history_keeps_the_newest_figures_of_each_version(tmp_path):
    file = tmp_path / "history.csv"
    history.record(file=file, version="1", targets=[Target("speed", 1.0), Target("size", 30)])
    history.record(file=file, version="2", targets=[Target("speed", 1.234567)])
    history.record(file=file, version="1", targets=[Target("speed", 2.0)])
    assert file.read_text().splitlines() == [
        "version,figure,measured",
        "1,speed,2",
        "1,size,30",
        "2,speed,1.23",
    ]
