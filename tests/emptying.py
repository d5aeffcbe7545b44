"""Empties the test database between tests and between histories."""

from collections.abc import Set
from typing import Any

from django.db import connection

Writes = dict[str, Any]

_when_emptied: Writes = {}
"""What ``_writes`` said of each collection when it was last emptied."""


def empty_the_database(*, but: Set[str]) -> None:
    """Delete all documents. One question finds the collections that were written to, whoever did it.

    To look into each takes ten times as long, and so does to empty all.
    """
    for name, writes in _writes(but).items():
        if writes != _when_emptied.get(name):
            connection.database[name].delete_many({})
    _when_emptied.update(_writes(but))


def _writes(but: Set[str]) -> Writes:
    """How often, and for how many microseconds, each collection was locked for a write."""
    database = connection.database
    start = f"{database.name}."
    found = {
        name.removeprefix(start): one["writeLock"]
        for name, one in database.client.admin.command("top")["totals"].items()
        if name.startswith(start)
    }
    return {
        name: writes
        for name, writes in found.items()
        if name not in but and not name.startswith("system.")
    }
