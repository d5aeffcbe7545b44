"""``manage.py prepare_collections``: makes the collections and indexes that are missing; shards them.

``migrate`` does the first by itself, so this is for servers whose indexes somebody has dropped, and, with
``--shard``, for sharded clusters. By what is sharded, and why: ``socialsite.sharding.keys``. For operators:
``docs/sharding.md``. Safe to repeat.
"""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.core.management.sql import emit_post_migrate_signal
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.migrations.executor import MigrationExecutor

from socialsite.sharding import keys
from socialsite.sharding.keys import SHARD_KEYS, ClusterError

NOT_A_CLUSTER = (
    "This server is no sharded cluster, so nothing was sharded. On a cluster, these commands do it in "
    "mongosh:"
)
DRY_RUN_NOTE = "A dry run: nothing was changed. These commands do the same in mongosh:"


class Command(BaseCommand):
    help = "Make the collections and indexes that are missing; with --shard, shard them. Safe to repeat."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--shard", action="store_true", help="shard the collections, on a cluster"
        )
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="with --shard: print the commands, change nothing",
        )

    def handle(self, *, shard: bool, dry_run: bool, **options: Any) -> None:
        if dry_run and not shard:
            raise CommandError("--dry-run goes with --shard.")
        try:
            if not dry_run:
                self.create_missing()
            if shard and not dry_run and keys.is_cluster():
                self._shard()
            elif shard:
                self._say(DRY_RUN_NOTE if dry_run else NOT_A_CLUSTER)
                self._print_commands()
        except ClusterError as error:
            raise CommandError(f"The server refused. {error}") from error

    def create_missing(self) -> None:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            raise CommandError("There are migrations to be done first: manage.py migrate.")
        before = keys.index_names()
        # All apps listen to it, so nobody has to know here who keeps collections of their own.
        emit_post_migrate_signal(verbosity=0, interactive=False, db=DEFAULT_DB_ALIAS)
        after = keys.index_names()
        made = {name: there - before.get(name, set()) for name, there in after.items()}
        for name in sorted(made):
            if made[name]:
                self._say(f"{name}: made {', '.join(sorted(made[name]))}")
        if not any(made.values()):
            count = sum(map(len, after.values()))
            self._say(f"Nothing is missing: {len(after)} collections with {count} indexes.")

    def _shard(self) -> None:
        there = keys.sharded_collections()
        # Before anything is changed: to shard only some would help nobody.
        if others := [name for name, key in there.items() if not _is_planned(name, key)]:
            lines = [_difference(name, there[name]) for name in others]
            raise CommandError("\n".join([*lines, "Nothing was sharded."]))
        keys.enable_sharding()
        for number, name in enumerate(SHARD_KEYS, 1):
            if name not in there:
                keys.shard_collection(collection=name)
            done = "is sharded already" if name in there else "is now sharded"
            key = json.dumps(SHARD_KEYS[name].fields)
            self._say(f"{number:>2} of {len(SHARD_KEYS)}: {name} {done} by {key}")

    def _print_commands(self) -> None:
        database = json.dumps(keys.database_name())
        self._say(f"sh.enableSharding({database})")
        for name, key in SHARD_KEYS.items():
            fields = json.dumps(key.fields)
            if key.is_hashed:
                self._say(
                    f'db.getSiblingDB({database}).getCollection("{name}").createIndex({fields})'
                )
            namespace = json.dumps(f"{keys.database_name()}.{name}")
            self._say(f"sh.shardCollection({namespace}, {fields})")

    def _say(self, text: str) -> None:
        self.stdout.write(text)


def _is_planned(name: str, key: dict[str, Any]) -> bool:
    return list(key.items()) == list(SHARD_KEYS[name].fields.items())


def _difference(name: str, key: dict[str, Any]) -> str:
    return (
        f"{name} is sharded by {json.dumps(key)}, but the site asks by "
        f"{json.dumps(SHARD_KEYS[name].fields)}: sh.reshardCollection in mongosh mends that."
    )
