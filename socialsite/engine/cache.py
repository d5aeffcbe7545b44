"""A Django cache in MongoDB, for sites without a cache server. All processes share it.

    cache {_id: key, value: JSON text or a number, expires_at?}

Values are JSON, never pickles, because loading a pickle can run code that somebody else wrote to the cache.
Integers are stored as numbers, so that ``incr`` is atomic. A TTL index deletes expired entries.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.db import connection
from pymongo import ReplaceOne
from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError

Document = dict[str, Any]
Timeout = Any  # seconds, None for no expiry, or Django's DEFAULT_TIMEOUT marker


class MongoCache(BaseCache):
    """A cache in the collection named by ``LOCATION``."""

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        self._name = location

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        document = self._collection.find_one({"_id": self._key(key, version), **_not_expired()})
        return default if document is None else _decode(document["value"])

    def get_many(self, keys: Iterable[Any], version: int | None = None) -> dict[Any, Any]:
        keys_by_id = {self._key(key, version): key for key in keys}
        documents = self._collection.find({"_id": {"$in": list(keys_by_id)}, **_not_expired()})
        return {keys_by_id[document["_id"]]: _decode(document["value"]) for document in documents}

    def add(
        self,
        key: Any,
        value: Any,
        timeout: Timeout = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> bool:
        # This upsert replaces an expired document. If the document has not expired, the upsert tries to
        # insert a second document with the same key and fails.
        expired = {"_id": self._key(key, version), "expires_at": {"$lte": _now()}}
        try:
            self._collection.replace_one(expired, self._document(value, timeout), upsert=True)
        except DuplicateKeyError:
            return False
        return True

    def set(
        self,
        key: Any,
        value: Any,
        timeout: Timeout = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> None:
        self.set_many({key: value}, timeout, version)

    def set_many(
        self,
        data: dict[Any, Any],
        timeout: Timeout = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> list[Any]:
        writes = [
            ReplaceOne(
                {"_id": self._key(key, version)},
                self._document(value, timeout),
                upsert=True,
            )
            for key, value in data.items()
        ]
        if writes:
            self._collection.bulk_write(writes, ordered=False)
        return []

    def touch(
        self, key: Any, timeout: Timeout = DEFAULT_TIMEOUT, version: int | None = None
    ) -> bool:
        expires_at = self._expires_at(timeout)
        change = (
            {"$unset": {"expires_at": 1}}
            if expires_at is None
            else {"$set": {"expires_at": expires_at}}
        )
        current = {"_id": self._key(key, version), **_not_expired()}
        return bool(self._collection.update_one(current, change).matched_count)

    def delete(self, key: Any, version: int | None = None) -> bool:
        current = {"_id": self._key(key, version), **_not_expired()}
        return bool(self._collection.delete_one(current).deleted_count)

    def delete_many(self, keys: Iterable[Any], version: int | None = None) -> None:
        self._collection.delete_many({"_id": {"$in": [self._key(key, version) for key in keys]}})

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        current = {
            "_id": self._key(key, version),
            "value": {"$type": "number"},
            **_not_expired(),
        }
        document = self._collection.find_one_and_update(
            current, {"$inc": {"value": delta}}, return_document=True
        )
        if document is None:
            raise ValueError(f"Key {key!r} not found, or not an integer.")
        return int(document["value"])

    def clear(self) -> None:
        self._collection.delete_many({})

    @property
    def _collection(self) -> "Collection[Document]":
        # Do not store the collection in an attribute, because a forked process has another connection.
        collection = cast("Collection[Document]", cast("Any", connection).database[self._name])
        if self._name not in _indexed_collections:
            collection.create_index("expires_at", expireAfterSeconds=0)
            _indexed_collections.add(self._name)
        return collection

    def _key(self, key: Any, version: int | None) -> str:
        return str(self.make_and_validate_key(key, version))

    def _document(self, value: Any, timeout: Timeout) -> Document:
        document: Document = {"value": value if _is_int64(value) else json.dumps(value)}
        expires_at = self._expires_at(timeout)
        return document if expires_at is None else {**document, "expires_at": expires_at}

    def _expires_at(self, timeout: Timeout) -> datetime | None:
        seconds = self.default_timeout if timeout is DEFAULT_TIMEOUT else timeout
        return None if seconds is None else _now() + timedelta(seconds=seconds)


_indexed_collections: set[str] = set()  # collections whose index this process has created


def _now() -> datetime:
    return datetime.now(UTC)


def _not_expired() -> Document:
    # Entries that never expire have no ``expires_at``. A query for null matches missing fields.
    return {"$or": [{"expires_at": None}, {"expires_at": {"$gt": _now()}}]}


def _is_int64(value: Any) -> bool:
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return is_integer and -(2**63) <= value < 2**63


def _decode(value: Any) -> Any:
    # ``int`` converts large integers, which the driver returns as a subclass of int.
    return int(value) if isinstance(value, int) else json.loads(value)
