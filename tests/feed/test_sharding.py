"""The shard keys are possible on the real server, and ``manage.py prepare_collections`` sets them.

There is no mongos in any package. So the answers of a cluster come from ``FakeMongos``, at the one function
that speaks of clusters (``sharding.run_command``); all else, the indexes too, is real.
"""

import inspect
import json
from io import StringIO

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from pymongo.collection import Collection

from accounts.store import collections as of_accounts
from feed.store import collections as of_feed
from feed.store.collections import inbox_buckets
from socialsite.management.commands.prepare_collections import Command
from socialsite.sharding import keys
from socialsite.sharding.keys import SHARD_KEYS, UNSHARDED_COLLECTIONS, ClusterError

RANGED = {name: list(key.fields.items()) for name, key in SHARD_KEYS.items() if not key.is_hashed}
HASHED = [name for name, key in SHARD_KEYS.items() if key.is_hashed]


def run(*options: str) -> str:
    out = StringIO()
    call_command("prepare_collections", *options, stdout=out)
    return out.getvalue()


def indexes_of(name):
    result = connection.database[name].index_information()
    return {index: (list(post["key"]), post) for index, post in result.items()}


class FakeMongos:
    """Answers as a cluster would, and keeps what is sharded by what."""

    def __init__(self):
        self.keys = {}
        self.refuses = None
        self.sent = []

    def __call__(self, *, database, command):
        self.sent.append(next(iter(command)))
        match self.sent[-1]:
            case "hello":
                return {"msg": "isdbgrid"}
            case "find":
                assert (database, command["find"]) == ("config", "collections")
                listed = [{"_id": space, "key": key} for space, key in self.keys.items()]
                return {"cursor": {"firstBatch": listed}}
            case "enableSharding":
                assert command["enableSharding"] == connection.settings_dict["NAME"]
            case "shardCollection":
                space = command["shardCollection"]
                if space == self.refuses:
                    raise ClusterError("shardCollection: not authorized")
                assert space not in self.keys
                self.keys[space] = command["key"]
        return {"ok": 1.0}


@pytest.fixture
def mongos(monkeypatch):
    fake = FakeMongos()
    monkeypatch.setattr(keys, "run_command", fake)
    before = keys.index_names()
    yield fake
    for name, existing in keys.index_names().items():
        for index in existing - before.get(name, {"_id_"}) - {"_id_"}:
            connection.database[name].drop_index(index)


@pytest.fixture
def prepared(monkeypatch):
    """All indexes are there: ``_prepare`` does nothing."""
    monkeypatch.setattr(Command, "create_missing", lambda self: None)


def space(name):
    return f"{connection.settings_dict['NAME']}.{name}"


def test_a_ranged_key_has_an_index_that_begins_with_it():
    def supports(keys, index, fields):
        is_partial = "partialFilterExpression" in index or index.get("sparse")
        return keys[: len(fields)] == fields and not is_partial

    lacking = [
        name
        for name, fields in RANGED.items()
        if not any(supports(keys, index, fields) for keys, index in indexes_of(name).values())
    ]
    assert lacking == []


def test_no_unique_index_forbids_the_shard_key():
    """A mongos can only promise what one shard can check: such an index begins with the shard key."""
    forbidding = [
        (name, index)
        for name, key in SHARD_KEYS.items()
        for index, (keys, post) in indexes_of(name).items()
        if post.get("unique") and keys[: len(key.fields)] != list(key.fields.items())
    ]
    assert forbidding == []


def test_keys_are_of_a_kind_that_the_server_knows():
    for key in SHARD_KEYS.values():
        assert set(key.fields.values()) == {1} or list(key.fields.values()) == ["hashed"]
        assert key.reason


def test_of_every_collection_it_is_decided_whether_it_is_sharded():
    models = {model._meta.db_table for model in apps.get_models()}
    results = [
        function()
        for module in (of_feed, of_accounts)
        for _, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not inspect.signature(function).parameters
    ]
    raw = {post.name for post in results if isinstance(post, Collection)}
    assert {"inbox_heads", "follow_edges", "feed_post"} <= raw
    assert not SHARD_KEYS.keys() & UNSHARDED_COLLECTIONS.keys()
    assert raw - models - SHARD_KEYS.keys() - UNSHARDED_COLLECTIONS.keys() == set()


@pytest.mark.slow
def test_what_is_missing_is_made_and_told():
    inbox_buckets().drop_index("owner_1_gen_1_seq_1")
    assert run() == "inbox_buckets: created owner_1_gen_1_seq_1\n"
    assert indexes_of("inbox_buckets")["owner_1_gen_1_seq_1"][1]["unique"]
    assert run().startswith("Nothing is missing: ")


def test_a_missing_index_of_an_inbox_is_made(monkeypatch):
    indexes = keys.index_names()
    monkeypatch.setattr(keys, "index_names", lambda: indexes)  # the report asks every collection
    inbox_buckets().drop_index("owner_1_gen_1_seq_1")
    run()
    assert indexes_of("inbox_buckets")["owner_1_gen_1_seq_1"][1]["unique"]


def test_before_migrate_nothing_is_made():
    recorder = MigrationRecorder(connection)
    ((app, newest),) = MigrationLoader(connection).graph.leaf_nodes("feed")
    recorder.record_unapplied(app, newest)
    try:
        with pytest.raises(CommandError, match=r"manage\.py migrate"):
            run()
    finally:
        recorder.record_applied(app, newest)


def test_a_server_that_is_no_cluster_gets_the_commands_printed(prepared):
    before = keys.index_names()
    text = run("--shard")
    assert "not a sharded cluster" in text
    lines = text.splitlines()
    name = connection.settings_dict["NAME"]
    assert f'sh.enableSharding("{name}")' in lines
    for collection, key in SHARD_KEYS.items():
        fields = json.dumps(key.fields)
        assert f'sh.shardCollection("{name}.{collection}", {fields})' in lines
    for collection in HASHED:
        index = f'getCollection("{collection}").createIndex({{"_id": "hashed"}})'
        assert any(line.endswith(index) for line in lines)
    assert keys.index_names() == before


def test_a_dry_run_asks_the_server_nothing(record_commands, mongos):
    with record_commands() as commands:
        text = run("--shard", "--dry-run")
    assert "nothing was changed" in text
    assert text.count("sh.shardCollection(") == len(SHARD_KEYS)
    assert commands == mongos.sent == []


def test_a_dry_run_of_nothing_is_refused():
    with pytest.raises(CommandError, match="requires --shard"):
        run("--dry-run")


@pytest.mark.slow
def test_a_cluster_is_prepared_and_sharded(mongos):
    assert "Nothing is missing" in run("--shard")
    assert len(mongos.keys) == len(SHARD_KEYS)


def test_a_cluster_is_sharded_once_whatever_the_number_of_runs(mongos, prepared):
    text = run("--shard")
    assert mongos.keys == {space(name): key.fields for name, key in SHARD_KEYS.items()}
    assert text.count("is now sharded by") == len(SHARD_KEYS)
    assert f"{len(SHARD_KEYS)} of {len(SHARD_KEYS)}: " in text
    for name in HASHED:
        assert ("_id", "hashed") in [keys[0] for keys, _ in indexes_of(name).values()]
    again = run("--shard")
    assert again.count("is already sharded by") == len(SHARD_KEYS)
    assert mongos.sent.count("shardCollection") == len(SHARD_KEYS)


def test_what_a_refusal_stopped_is_finished_by_the_next_run(mongos, prepared):
    mongos.refuses = space("feed_post")
    with pytest.raises(CommandError, match="not authorized"):
        run("--shard")
    assert 0 < len(mongos.keys) < len(SHARD_KEYS)
    mongos.refuses = None
    run("--shard")
    assert len(mongos.keys) == len(SHARD_KEYS)


def test_a_collection_with_another_key_stops_all_before_anything_is_sharded(mongos, prepared):
    mongos.keys[space("feed_post")] = {"author_id": 1}
    with pytest.raises(CommandError, match=r"feed_post is sharded by .*reshardCollection") as error:
        run("--shard")
    assert "Nothing was sharded." in str(error.value)
    assert mongos.sent == ["hello", "find"]


def test_a_real_server_that_is_no_cluster_knows_nothing_sharded_and_refuses_to():
    assert not keys.is_cluster()
    assert keys.sharded_collections() == {}
    with pytest.raises(ClusterError, match="enableSharding"):
        keys.enable_sharding()
