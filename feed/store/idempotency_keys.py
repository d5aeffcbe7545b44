"""Idempotency keys of published posts: ``idempotency_keys {author, key, created_id, created_at}``.

Unique (author, key); entries expire after a day. The form or request sends the key. A repeated key returns
the same post.
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
    """Return the id of the post published with this key, if any."""
    document = idempotency_keys().find_one({"author": author, "key": key}, session=session())
    return None if document is None else int(document["created_id"])


def claim(*, author: int, key: str, created_id: int) -> int | None:
    """Store the post of a new key and return None, or return the post that the key already has.

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
    """Store the post of this key, replacing an earlier one."""
    idempotency_keys().update_one(
        {"author": author, "key": key},
        {"$set": {"created_id": created_id, "created_at": datetime.now(UTC)}},
        upsert=True,
        session=session(),
    )
