"""The benchmark ``python -m tests.bench`` reports every figure and leaves the site unchanged."""

import itertools
import json
import os
import re
from contextlib import nullcontext
from functools import cache
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.infra.cursors import PageBounds
from feed.store.collections import inbox_buckets, inbox_heads
from feed.timeline.home import home_page
from tests.actions import publish_post
from tests.bench import (
    against,
    cli,
    cold,
    follows,
    history,
    minute_designs,
    output,
    own_server,
    pages,
    site_data,
    speed,
    stages,
    tables,
    timelines,
    volume,
)
from tests.bench.database import MARKER_COLLECTION, throwaway_database
from tests.bench.entry_rivals import Clustered
from tests.bench.http_calls import CallResult
from tests.bench.own_server import ServerFailed
from tests.bench.progress import SilentProgress
from tests.bench.sizes import Sizes
from tests.bench.targets import Target
from tests.bench.volume import MissingEntries
from tests.bench.workload import Workload
from tests.database import copy_empty_site

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
STRATEGIES = {"buckets", "fan_out_on_read", "fan_out_on_write", "counted_buckets"}
WRITTEN = {"buckets", "fan_out_on_write", "clustered", "counted_batched", "counted_buckets"}
KINDS = {"first", "deep", "past"}


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


@pytest.fixture
def one_site(monkeypatch, settings):
    """Let the stages ``pages`` and ``large_site`` share a site. Return the sizes that they request.

    The site also shares the static files of the tests. It has no video, and is not migrated but copied.
    """
    sizes_of_sites, large_site, site_of_tests = [], {}, connection.database
    run_manage = pages.run_manage
    real_measure, measure_large_site = pages.measure, pages.measure_large_site

    def prepare_quickly(*command, env, **options):
        if command[0] == "migrate":
            copy_empty_site(source=site_of_tests, target=connection.database)
        elif command[0] == "collectstatic":
            (Path(env["DATA_DIR"]) / "static").symlink_to(Path(settings.STATIC_ROOT).resolve())
        else:
            run_manage(*command, env={**env, "CLIPS_ENABLED": "false"}, **options)

    def measure(**options):
        sizes = options["sizes"]
        with (
            pages._demo_site(sizes.demo_people, sizes.demo_posts, options["progress"]) as site,
            monkeypatch.context() as patched,
        ):

            def same_site(people, posts, progress):
                sizes_of_sites.append((people, posts))
                return nullcontext(site)

            patched.setattr(pages, "_demo_site", same_site)
            patched.setattr(pages, "prepared_requests", cache(pages.prepared_requests))
            large_site.update(measure_large_site(**options))
            return real_measure(**options)

    monkeypatch.setattr(pages, "WORKERS", 1)
    monkeypatch.setattr(pages, "CLIENTS", 2)
    monkeypatch.setattr(pages.publication, "WARM_UP_POSTS", 2)
    monkeypatch.setattr(pages, "run_manage", prepare_quickly)
    monkeypatch.setattr(pages, "measure", measure)
    monkeypatch.setattr(pages, "measure_large_site", lambda **_: large_site)
    return sizes_of_sites


def test_the_bench_reports_every_figure_and_leaves_the_site_unchanged(
    contents, one_site, tmp_path, monkeypatch
):
    def measure_in_process(*, arguments):
        only, stage = arguments
        assert only == "--only"
        assert stage in stages.STAGES_WITH_OWN_SERVER
        return stages.run_stages(stages=[stage], sizes=TINY, progress=SilentProgress())

    monkeypatch.setattr(own_server, "measure_on_own_server", measure_in_process)
    before, database, out = contents(), connection.database, StringIO()
    page = tmp_path / "page.md"
    page.write_text(f"Before.\n\n{output.BEGIN_MARK}\nold\n{output.END_MARK}\n\nAfter.\n")
    places = {"json": tmp_path / "figures.json", "svg": tmp_path, "markdown": page}
    places |= {"record": "the tested version", "history": tmp_path / "history.csv"}
    call_command(cli.BenchCommand(), stdout=out, **places)

    figures = json.loads((tmp_path / "figures.json").read_text())
    rates = figures["deliveries_per_second"]
    others = {"bare", "buckets_in_threads", "counted_published", "recipients_in_post"}
    assert rates.keys() == figures["cpu_us"].keys() == WRITTEN | others
    for name, cpu in figures["cpu_us"].items():
        assert cpu.keys() == {"client", "server"}, name
        # Of both cores together, a delivery cannot use more than the cores of the machine.
        spent = rates[name] * min(cpu.values()) / 1e6
        assert 0 < spent < os.cpu_count(), name
    assert figures["ratios"].keys() >= {
        "threads_to_one_thread",
        "buckets_to_bare",
        "buckets_to_counted",
        "buckets_to_counted_batched",
    }
    assert figures["memory"].keys() == {"process_peak_bytes", "mongod_resident_bytes"}
    for group in (rates, figures["ratios"], figures["memory"], *figures["pairs"]):
        assert all(number > 0 for number in group.values())
    assert len(figures["pairs"]) == 2
    assert figures["workload"] == {"readers": READERS, "posts": 12, "pairs": 2, "threads": 2}

    assert (figures["admin"]["posts"], figures["admin"]["comments"]) == (60, 60)
    assert all(times["most"] > 0 for times in figures["admin"]["ms"].values())
    designs = figures["minutes"]["designs"]
    assert set(designs) == set(minute_designs.counter_designs())
    assert all(number > 0 for measured in designs.values() for number in measured.values())
    assert designs["hour_nested"]["hour_documents"] <= 1
    assert_pages_were_measured(figures["pages"])
    assert_the_large_site_was_measured(figures)
    assert sorted(one_site) == [(12, 60), (12, 70)]
    assert figures["commands_per_page"].keys() == KINDS
    assert figures["page_ms"].keys() == STRATEGIES | {"recipients_in_post"}
    for times in figures["page_ms"].values():
        assert times.keys() == KINDS
        assert all(0 < spread["p50"] <= spread["p99"] for spread in times.values())

    each = figures["bytes_per_delivery"]
    assert each.keys() == WRITTEN | {"fan_out_on_read", "recipients_in_post"}
    assert each["fan_out_on_read"] == 0
    assert each["buckets"] < each["fan_out_on_write"]
    assert [point["deliveries"] for point in figures["growth"]["deliveries"]["buckets"]] == [
        100,
        300,
    ]
    assert [point["readers"] for point in figures["growth"]["readers"]["buckets"]] == [10, 20]

    assert f"{rates['buckets']:,.0f}" in out.getvalue()
    assert "CPU of a post to 10 followers / to none" in out.getvalue()
    written = page.read_text()
    assert written.startswith("Before.")
    assert written.endswith("After.\n")
    assert "old" not in written
    assert "| bytes of home |" in written
    assert "the tested version" in (tmp_path / "history.csv").read_text()
    assert_the_docs_have_these_tables(written)
    drawn = sorted(path.stem for path in tmp_path.glob("*.svg"))
    assert drawn == [
        "deliveries",
        "disk",
        "growth-deliveries",
        "growth-readers",
        *sorted(f"pages-{kind}" for kind in KINDS),
    ]
    for path in tmp_path.glob("*.svg"):
        ElementTree.parse(path)  # noqa: S314 - the benchmark's own output

    assert bench_database() not in databases()
    assert connection.database is database
    assert database.name == connection.settings_dict["NAME"]
    assert contents() == before


def assert_the_docs_have_these_tables(written):
    """The generated part of the docs must have the same titles, columns and notes."""
    docs = Path(settings.BASE_DIR, "docs/strategies.md").read_text()
    assert without_rows(docs) == without_rows(written)


def without_rows(page):
    """Return the headings, and the other text without numbers, between the marks."""
    text = page.partition(output.BEGIN_MARK)[2].partition(output.END_MARK)[0]
    lines = text.splitlines()
    headings = [line for line, rule in itertools.pairwise(lines) if rule.startswith("| ---")]
    text = " ".join(line for line in lines if not line.startswith("|"))
    return headings, re.sub(r"\d+", "N", text).split()


def assert_pages_were_measured(pages):
    posts = pages["publication"]
    assert all(5 < commands < 30 for commands in posts["commands"])
    for key in ("cpu", "ms"):
        to_none, to_ten = posts["cpu_ms" if key == "cpu" else "ms"]
        assert posts[f"{key}_ratio"] == pytest.approx(to_ten / to_none, abs=0.01)
    responses = pages["responses"]
    assert {"home", "post with comments", "home, JSON"} < responses.keys()
    for name, response in responses.items():
        assert response["items"] > 0, name
        assert response["bytes"] > 500
        assert response["cpu_ms"] > 0
        assert 0 < response["commands"] < 30
        assert 0 < response["database_share"] < 1
        assert response["per_second"] > 0
        assert response["ready_made_per_second"] > 0
        assert response["ready_made_for_viewer_per_second"] > 0
        assert 0 < response["ms"]["p50"] <= response["ms"]["p99"]
        assert 0 < response["busy_ms"]["p50"] <= response["busy_ms"]["p99"]


def assert_the_large_site_was_measured(figures):
    large_site = figures["large_site"]
    assert large_site["posts"] == TINY.large_demo_posts
    assert {"home", "home, JSON"} < large_site["responses"].keys()
    for response in large_site["responses"].values():
        assert response["items"] > 0
        assert response["cpu_ms"] > 0
    table = tables.TABLES["large_site"](figures)
    assert len(table.rows) == len(large_site["responses"])


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


def test_the_speed_of_a_server_without_cpu_times_is_reported(monkeypatch):
    monkeypatch.setattr(speed.database_info, "cpu_us", lambda: None)
    with throwaway_database():
        figures = speed.measure(sizes=TINY, progress=SilentProgress())
    assert {cpu["server"] for cpu in figures["cpu_us"].values()} == {0}
    table = next(iter(tables.measured_tables(figures=figures)))
    assert len(table.rows) == len(figures["cpu_us"])
    assert {row[-1] for row in table.rows} == {""}
    assert "" not in {row[-2] for row in table.rows}


def test_missing_entries_are_reported(monkeypatch):
    monkeypatch.setattr(volume.BUCKETS, "deliver", lambda **_: None)
    with throwaway_database(), pytest.raises(MissingEntries):
        volume.measure(sizes=TINY, progress=SilentProgress(), own_server=False)


@pytest.fixture
def caches(monkeypatch):
    """Collect the requested cache sizes in MiB without changing the cache of the shared server."""
    results = []
    monkeypatch.setattr(cold, "set_cache_size", lambda *, mib: results.append(mib))
    return results


def test_designs_are_measured_with_a_small_cache_that_is_restored(caches):
    with throwaway_database():
        figures = volume.measure(sizes=TINY, progress=SilentProgress(), own_server=True)
        assert caches == [1, cold.MIN_CACHE_MIB, cold.cache_size_bytes() // 2**20]
        assert "filler" not in connection.database.list_collection_names()
    designs = {"buckets", "fan_out_on_write", "clustered"}
    assert figures["cold"]["deliveries_per_second"].keys() == designs
    assert figures["cold"]["pages_read_per_page"].keys() == designs
    assert all(len(blocks) == 2 for blocks in figures["cold"]["blocks"].values())
    assert figures["ratios"]["buckets_to_fan_out_on_write_cold"] > 0


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


def test_commands_of_a_page_are_counted_exactly(record_commands):
    with throwaway_database():
        site = site_data.build_site(sizes=TINY, progress=SilentProgress())
        reader = site.viewers[0]
        for strategy in sorted(STRATEGIES):
            counted = timelines.count_commands(site, strategy)
            for kind, cursor in (("first", None), ("past", site.floor)):
                timelines.use_strategy(strategy)
                timelines.user_cards.clear_cards()
                with record_commands() as commands:
                    page = home_page(
                        viewer=reader, bounds=PageBounds(limit=timelines.PAGE_SIZE, max_id=cursor)
                    )
                assert len(page.posts) == timelines.PAGE_SIZE
                assert counted[kind] == len(commands), (strategy, kind)


def test_pages_from_arrays_and_from_the_site_are_the_same():
    with throwaway_database():
        site = site_data.build_site(sizes=TINY, progress=SilentProgress())
        timelines.use_strategy("buckets")
        cursors: dict[str, int | None] = {"first": None, "deep": timelines.deep_cursor(site, 1)}
        for cursor in (*cursors.values(), site.floor):
            from_array = timelines.page_from_array(site.viewers[0], cursor)
            assert from_array == timelines.page_from_site(site.viewers[0], cursor)


def test_following_is_measured_for_edges_and_for_arrays():
    with throwaway_database():
        result = follows.measure(sizes=TINY, progress=SilentProgress())["graph"]
    for design in ("edges", "arrays"):
        assert [point["followers"] for point in result["followers"][design]] == [10, 1001]
    few, many = result["followers"]["arrays"]
    assert few["largest_document"] < many["largest_document"]
    assert result["continuation"].keys() == {"numbered", "listed"}


def test_a_site_that_does_not_start_is_reported(monkeypatch):
    monkeypatch.setattr(pages, "run_manage", lambda *_, env, **__: env.update(SECRET_KEY=""))
    with throwaway_database(), pytest.raises(ServerFailed, match="does not answer"):
        pages.measure(sizes=TINY, progress=SilentProgress())


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


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, ZeroDivisionError])
def test_an_interrupted_bench_leaves_the_site_unchanged(contents, monkeypatch, interruption):
    before = contents()

    def stop(**_: int) -> None:
        raise interruption

    monkeypatch.setattr(Clustered, "fill", lambda self, **_: stop())
    with pytest.raises((CommandError, ZeroDivisionError)):
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
