"""Under which key somebody has published what: ``publish_keys {author, key, made, at}``.

Unique (author, key), and gone a day later. The key comes with the form or the request; the same again is
the same post.
"""

from datetime import UTC, datetime

from pymongo import ASCENDING

from .collections import publish_keys, session

RETENTION_SECONDS = 86_400


def create_indexes() -> None:
    publish_keys().create_index([("author", ASCENDING), ("key", ASCENDING)], unique=True)
    publish_keys().create_index([("at", ASCENDING)], expireAfterSeconds=RETENTION_SECONDS)


def get_created_id(*, author: int, key: str) -> int | None:
    """The id of what was made."""
    found = publish_keys().find_one({"author": author, "key": key}, session=session())
    return None if found is None else int(found["made"])


def set_created_id(*, author: int, key: str, created_id: int) -> None:
    """In place of what was made under this key before, if anything."""
    publish_keys().update_one(
        {"author": author, "key": key},
        {"$set": {"made": created_id, "at": datetime.now(UTC)}},
        upsert=True,
        session=session(),
    )
