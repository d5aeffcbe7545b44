"""``manage.py prepare_collections``: create missing collections and indexes (and shard them: ``--shard``).

``migrate`` also creates collections and indexes. This command restores dropped indexes, and sets up sharded
clusters. Safe to repeat. ``socialsite.shard_keys`` contains the shard keys and their reasons.
``docs/sharding.md`` is the guide for operators.
"""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.core.management.sql import emit_post_migrate_signal
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.migrations.executor import MigrationExecutor

from socialsite import shard_keys as keys
from socialsite.shard_keys import SHARD_KEYS, ClusterError

NOT_A_CLUSTER = (
    "This server is not a sharded cluster, so nothing was sharded. On a cluster, run these commands in "
    "mongosh:"
)
DRY_RUN_NOTE = "Dry run: nothing was changed. These commands in mongosh have the same effect:"


class Command(BaseCommand):
    help = "Create missing collections and indexes; with --shard, shard them. Safe to repeat."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--shard", action="store_true", help="shard the collections, on a cluster"
        )
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="with --shard: print the commands, but change nothing",
        )

    def handle(self, *, shard: bool, dry_run: bool, **options: Any) -> None:
        if dry_run and not shard:
            raise CommandError("--dry-run requires --shard.")
        try:
            if not dry_run:
                self.create_missing()
            if shard and not dry_run and keys.is_cluster():
                self._shard()
            elif shard:
                self.stdout.write(DRY_RUN_NOTE if dry_run else NOT_A_CLUSTER)
                self._print_commands()
        except ClusterError as error:
            raise CommandError(f"The server refused. {error}") from error

    def create_missing(self) -> None:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            raise CommandError("There are unapplied migrations. Run manage.py migrate first.")
        old_indexes = keys.index_names()
        # Each app has a receiver of this signal that creates the collections of the app.
        emit_post_migrate_signal(verbosity=0, interactive=False, db=DEFAULT_DB_ALIAS)
        all_indexes = keys.index_names()
        new_indexes = {
            collection: indexes - old_indexes.get(collection, set())
            for collection, indexes in all_indexes.items()
        }
        for collection in sorted(new_indexes):
            if new_indexes[collection]:
                self.stdout.write(
                    f"{collection}: created {', '.join(sorted(new_indexes[collection]))}"
                )
        if not any(new_indexes.values()):
            count = sum(map(len, all_indexes.values()))
            self.stdout.write(
                f"Nothing is missing: {len(all_indexes)} collections with {count} indexes."
            )

    def _shard(self) -> None:
        sharded = keys.sharded_collections()
        # Check all collections before the first change, because a partly sharded database is no help.
        differences = [
            f"{name} is sharded by {json.dumps(key)}, but the site needs "
            f"{json.dumps(SHARD_KEYS[name].fields)}. Change it with sh.reshardCollection in mongosh."
            for name, key in sharded.items()
            if list(key.items()) != list(SHARD_KEYS[name].fields.items())
        ]
        if differences:
            raise CommandError("\n".join([*differences, "Nothing was sharded."]))
        keys.enable_sharding()
        for number, name in enumerate(SHARD_KEYS, 1):
            if name not in sharded:
                keys.shard_collection(collection=name)
            result = "is already sharded" if name in sharded else "is now sharded"
            key = json.dumps(SHARD_KEYS[name].fields)
            self.stdout.write(f"{number:>2} of {len(SHARD_KEYS)}: {name} {result} by {key}")

    def _print_commands(self) -> None:
        database = json.dumps(keys.database_name())
        self.stdout.write(f"sh.enableSharding({database})")
        for name, key in SHARD_KEYS.items():
            fields = json.dumps(key.fields)
            if key.is_hashed:
                self.stdout.write(
                    f'db.getSiblingDB({database}).getCollection("{name}").createIndex({fields})'
                )
            namespace = json.dumps(f"{keys.database_name()}.{name}")
            self.stdout.write(f"sh.shardCollection({namespace}, {fields})")
