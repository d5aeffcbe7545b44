"""Recognize viewers who were counted already, without storing who they are.

    counted_viewers      {_id: digest, expires_at}       deleted by the server then
    counted_viewer_keys  {_id: "2026-11-23", key, expires_at}

A digest is keyed with a random key of the day. The key is deleted when the day is over. From then on
nobody, not even with the database and all secrets of the site, can tell whose digest it is.
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
    """Return the key of this day, the same for all processes. One command."""
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
    """Store these digests until their expiry times. Return the digests that were new. One command."""
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
