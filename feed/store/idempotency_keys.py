"""Idempotency keys of published posts: ``idempotency_keys {author, key, created_id, created_at}``.

Unique (author, key). Documents expire after a day. The page or app sends a key with each new post. If it
arrives again, for example after a lost response, the first post is returned and no duplicate is published.
"""

from datetime import UTC, datetime

from pymongo import ASCENDING

from accounts.infra.store.connection import session

from .collections import idempotency_keys

RETENTION_SECONDS = 86_400


def create_indexes() -> None:
    idempotency_keys().create_index([("author", ASCENDING), ("key", ASCENDING)], unique=True)
    idempotency_keys().create_index(
        [("created_at", ASCENDING)], expireAfterSeconds=RETENTION_SECONDS
    )


def get_created_id(*, author: int, key: str) -> int | None:
    """Return the id of the post or comment created with this key, or None if the key is unused."""
    document = idempotency_keys().find_one({"author": author, "key": key}, session=session())
    return None if document is None else int(document["created_id"])


def claim(*, author: int, key: str, created_id: int) -> int | None:
    """Store ``created_id`` for a new key and return None. For a known key, return its stored id.

    One command. Only inside a transaction.
    """
    earlier = idempotency_keys().find_one_and_update(
        {"author": author, "key": key},
        {"$setOnInsert": {"created_id": created_id, "created_at": datetime.now(UTC)}},
        upsert=True,
        session=session(),
    )
    return None if earlier is None else int(earlier["created_id"])


def set_created_id(*, author: int, key: str, created_id: int) -> None:
    """Store ``created_id`` for this key, replacing an earlier id."""
    idempotency_keys().update_one(
        {"author": author, "key": key},
        {"$set": {"created_id": created_id, "created_at": datetime.now(UTC)}},
        upsert=True,
        session=session(),
    )
