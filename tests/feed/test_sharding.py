"""Shard keys are valid on a real server, and ``manage.py prepare_collections`` sets them.

A mongos, the router of a sharded cluster, cannot be installed from a package. So ``FakeMongos`` replaces
``sharding.run_command``, the function that sends commands to clusters. Everything else is real, including
the indexes.
"""

import inspect
import json
from functools import partial
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
from socialsite import shard_keys as keys
from socialsite.management.commands.prepare_collections import Command
from socialsite.shard_keys import SHARD_KEYS, ClusterError

UNSHARDED_COLLECTIONS: dict[str, str] = {
    "large_authors": "Very few documents, and every page reads all of them.",
    "strategy_switch": "One document.",
    "counted_viewer_keys": "Two documents.",
    "demo_specs": "One document.",
    "push_devices": "A few small documents for some of the users. They have a unique index of their own.",
    "tags": "One small document per hashtag, read by prefix.",
}
"""Raw collections that stay on the database's first shard, like all collections of Django."""

RANGED = {name: list(key.fields.items()) for name, key in SHARD_KEYS.items() if not key.is_hashed}
HASHED = [name for name, key in SHARD_KEYS.items() if key.is_hashed]


def run(*options: str) -> str:
    out = StringIO()
    call_command("prepare_collections", *options, stdout=out)
    return out.getvalue()


def indexes_of(name):
    result = connection.database[name].index_information()
    return {name: (list(index["key"]), index) for name, index in result.items()}


class FakeMongos:
    """Answer commands like a cluster.

    Attributes:
        keys: the shard key of each sharded collection.
        refuses: a collection that cannot be sharded, or ``None``.
        sent: the names of the received commands.
    """

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
    for name, indexes in keys.index_names().items():
        for index in indexes - before.get(name, {"_id_"}) - {"_id_"}:
            connection.database[name].drop_index(index)


@pytest.fixture
def prepared(monkeypatch):
    """Skip the creation of indexes, because the test database already has all indexes."""
    monkeypatch.setattr(Command, "create_missing", lambda self: None)


def space(name):
    return f"{connection.settings_dict['NAME']}.{name}"


def test_a_ranged_key_has_an_index_that_begins_with_it():
    def supports(keys, index, fields):
        is_partial = "partialFilterExpression" in index or index.get("sparse")
        return keys[: len(fields)] == fields and not is_partial

    missing = [
        name
        for name, fields in RANGED.items()
        if not any(supports(keys, index, fields) for keys, index in indexes_of(name).values())
    ]
    assert missing == []


def test_unique_indexes_begin_with_the_shard_key():
    """A cluster can enforce a unique index only if the index begins with the shard key."""
    conflicting = [
        (name, index)
        for name, key in SHARD_KEYS.items()
        for index, (keys, options) in indexes_of(name).items()
        if options.get("unique") and keys[: len(key.fields)] != list(key.fields.items())
    ]
    assert conflicting == []


def test_shard_keys_have_a_supported_kind():
    for key in SHARD_KEYS.values():
        assert set(key.fields.values()) == {1} or list(key.fields.values()) == ["hashed"]
        assert key.reason


def test_every_collection_is_listed_as_sharded_or_unsharded():
    models = {model._meta.db_table for model in apps.get_models()}
    returned = [
        member()
        for module in (of_feed, of_accounts)
        for _, member in inspect.getmembers(module)
        if isinstance(member, partial)
        or (
            inspect.isfunction(member)
            and member.__module__ == module.__name__
            and not inspect.signature(member).parameters
        )
    ]
    collection_names = {result.name for result in returned if isinstance(result, Collection)}
    assert {"inbox_heads", "follow_edges", "feed_post"} <= collection_names
    assert not SHARD_KEYS.keys() & UNSHARDED_COLLECTIONS.keys()
    assert collection_names - models - SHARD_KEYS.keys() - UNSHARDED_COLLECTIONS.keys() == set()


@pytest.mark.slow
def test_missing_indexes_are_created_and_reported():
    inbox_buckets().drop_index("owner_1_gen_1_seq_1")
    assert run() == "inbox_buckets: created owner_1_gen_1_seq_1\n"
    assert indexes_of("inbox_buckets")["owner_1_gen_1_seq_1"][1]["unique"]
    assert run().startswith("Nothing is missing: ")


def test_a_missing_index_of_an_inbox_is_created(monkeypatch):
    indexes = keys.index_names()
    # Reading the names again would query every collection and slow the test down.
    monkeypatch.setattr(keys, "index_names", lambda: indexes)
    inbox_buckets().drop_index("owner_1_gen_1_seq_1")
    run()
    assert indexes_of("inbox_buckets")["owner_1_gen_1_seq_1"][1]["unique"]


def test_nothing_is_created_before_migrate():
    recorder = MigrationRecorder(connection)
    ((app, newest),) = MigrationLoader(connection).graph.leaf_nodes("feed")
    recorder.record_unapplied(app, newest)
    try:
        with pytest.raises(CommandError, match=r"manage\.py migrate"):
            run()
    finally:
        recorder.record_applied(app, newest)


def test_the_commands_are_printed_for_an_unsharded_server(prepared):
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


def test_a_dry_run_sends_no_commands(record_commands, mongos):
    with record_commands() as commands:
        text = run("--shard", "--dry-run")
    assert "nothing was changed" in text
    assert text.count("sh.shardCollection(") == len(SHARD_KEYS)
    assert commands == mongos.sent == []


def test_a_dry_run_without_shard_is_refused():
    with pytest.raises(CommandError, match="requires --shard"):
        run("--dry-run")


@pytest.mark.slow
def test_a_cluster_is_prepared_and_sharded(mongos):
    assert "Nothing is missing" in run("--shard")
    assert len(mongos.keys) == len(SHARD_KEYS)


def test_repeated_runs_shard_a_cluster_once(mongos, prepared):
    text = run("--shard")
    assert mongos.keys == {space(name): key.fields for name, key in SHARD_KEYS.items()}
    assert text.count("is now sharded by") == len(SHARD_KEYS)
    assert f"{len(SHARD_KEYS)} of {len(SHARD_KEYS)}: " in text
    for name in HASHED:
        assert ("_id", "hashed") in [keys[0] for keys, _ in indexes_of(name).values()]
    again = run("--shard")
    assert again.count("is already sharded by") == len(SHARD_KEYS)
    assert mongos.sent.count("shardCollection") == len(SHARD_KEYS)


def test_the_next_run_finishes_after_a_refused_command(mongos, prepared):
    mongos.refuses = space("feed_post")
    with pytest.raises(CommandError, match="not authorized"):
        run("--shard")
    assert 0 < len(mongos.keys) < len(SHARD_KEYS)
    mongos.refuses = None
    run("--shard")
    assert len(mongos.keys) == len(SHARD_KEYS)


def test_a_collection_with_another_key_prevents_all_sharding(mongos, prepared):
    mongos.keys[space("feed_post")] = {"author_id": 1}
    with pytest.raises(CommandError, match=r"feed_post is sharded by .*reshardCollection") as error:
        run("--shard")
    assert "Nothing was sharded." in str(error.value)
    assert mongos.sent == ["hello", "find"]


def test_an_unsharded_server_refuses_sharding():
    assert not keys.is_cluster()
    assert keys.sharded_collections() == {}
    with pytest.raises(ClusterError, match="enableSharding"):
        keys.enable_sharding()
