"""Recognize viewers who were counted already, without storing who they are.

    counted_viewers      {_id: digest, expires_at}
    counted_viewer_keys  {_id: "2026-11-23", key, expires_at}

The server deletes both kinds of documents when they expire. Digests are computed with a random key of the
day, which expires an hour after the day ends. Without this key, a digest cannot be traced to a viewer, even
by an attacker who has the database and all secrets of the site.
"""

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import cast

from pymongo import ASCENDING, UpdateOne
from pymongo.collection import ReturnDocument
from pymongo.errors import BulkWriteError, DuplicateKeyError

from accounts.infra.store.connection import Document
from accounts.infra.transactions import duplicate_key_indexes

from .collections import counted_viewer_keys, counted_viewers

KEY_BYTES = 32
KEY_LIFETIME = timedelta(days=1, hours=1)


def create_indexes() -> None:
    for collection in (counted_viewers(), counted_viewer_keys()):
        collection.create_index([("expires_at", ASCENDING)], expireAfterSeconds=0)


def daily_key(*, day: datetime) -> bytes:
    """Return the key of the day that starts at ``day``. All processes get the same key. One command."""
    name = f"{day:%Y-%m-%d}"
    new = {"key": secrets.token_bytes(KEY_BYTES), "expires_at": day + KEY_LIFETIME}
    while True:
        try:
            row = counted_viewer_keys().find_one_and_update(
                {"_id": name},
                {"$setOnInsert": new},
                upsert=True,
                return_document=ReturnDocument.AFTER,
            )
        except DuplicateKeyError:  # another process inserts it at this moment
            continue
        return bytes(cast("Document", row)["key"])


def add_new(*, digests: Mapping[bytes, datetime], now: datetime) -> set[bytes]:
    """Store digests with their expiry times and return the digests that were not stored yet. One command.

    A stored digest that has expired counts as new, because the server deletes it with some delay.
    """
    order = list(digests)
    updates = [
        UpdateOne(
            {"_id": digest, "expires_at": {"$lte": now}},
            {"$set": {"expires_at": digests[digest]}},
            upsert=True,
        )
        for digest in order
    ]
    try:
        counted_viewers().bulk_write(updates, ordered=False)
    except BulkWriteError as error:
        return set(order) - {order[place] for place in duplicate_key_indexes(error)}
    return set(order)
