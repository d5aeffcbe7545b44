"""A Django cache in MongoDB, shared by all processes where there is no cache server.

    cache {_id: key, value: JSON text or a number, expires_at?}

Values are JSON, never pickles: who can write to the cache must not be able to run code. Whole numbers
are stored as such, so that ``incr`` is one atomic step. A TTL index clears away what has expired.
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
Timeout = Any  # seconds, None for ever, or Django's DEFAULT_TIMEOUT marker


class MongoCache(BaseCache):
    """``LOCATION`` names the collection."""

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        self._name = location

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        found = self._collection.find_one({"_id": self._key(key, version), **_alive()})
        return default if found is None else _decode(found["value"])

    def get_many(self, keys: Iterable[Any], version: int | None = None) -> dict[Any, Any]:
        wanted = {self._key(key, version): key for key in keys}
        found = self._collection.find({"_id": {"$in": list(wanted)}, **_alive()})
        return {wanted[one["_id"]]: _decode(one["value"]) for one in found}

    def add(
        self,
        key: Any,
        value: Any,
        timeout: Timeout = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> bool:
        # Replaces an expired entry, collides with a living one.
        name = self._key(key, version)
        expired = {"_id": name, "expires_at": {"$lte": _now()}}
        try:
            self._collection.replace_one(expired, self._entry(value, timeout), upsert=True)
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
                self._entry(value, timeout),
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
        alive = {"_id": self._key(key, version), **_alive()}
        return bool(self._collection.update_one(alive, change).matched_count)

    def delete(self, key: Any, version: int | None = None) -> bool:
        return bool(
            self._collection.delete_one({"_id": self._key(key, version), **_alive()}).deleted_count
        )

    def delete_many(self, keys: Iterable[Any], version: int | None = None) -> None:
        self._collection.delete_many({"_id": {"$in": [self._key(key, version) for key in keys]}})

    def has_key(self, key: Any, version: int | None = None) -> bool:
        return self.get(key, _MISSING, version) is not _MISSING

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        alive = {
            "_id": self._key(key, version),
            "value": {"$type": "number"},
            **_alive(),
        }
        after = self._collection.find_one_and_update(
            alive, {"$inc": {"value": delta}}, return_document=True
        )
        if after is None:
            raise ValueError(f"Key {key!r} not found, or not a whole number.")
        return int(after["value"])

    def clear(self) -> None:
        self._collection.delete_many({})

    @property
    def _collection(self) -> "Collection[Document]":
        # Looked up each time: after a fork the connection is another.
        entries = cast("Collection[Document]", cast("Any", connection).database[self._name])
        if self._name not in _prepared:
            entries.create_index("expires_at", expireAfterSeconds=0)
            _prepared.add(self._name)
        return entries

    def _key(self, key: Any, version: int | None) -> str:
        return str(self.make_and_validate_key(key, version))

    def _entry(self, value: Any, timeout: Timeout) -> Document:
        entry: Document = {"value": value if _is_countable(value) else json.dumps(value)}
        expires_at = self._expires_at(timeout)
        return entry if expires_at is None else {**entry, "expires_at": expires_at}

    def _expires_at(self, timeout: Timeout) -> datetime | None:
        seconds = self.default_timeout if timeout is DEFAULT_TIMEOUT else timeout
        return None if seconds is None else _now() + timedelta(seconds=seconds)


_MISSING = object()
_prepared: set[str] = set()  # collections whose index this process has made sure of


def _now() -> datetime:
    return datetime.now(UTC)


def _alive() -> Document:
    # Absent means "for ever", and null is also matched by absence.
    return {"$or": [{"expires_at": None}, {"expires_at": {"$gt": _now()}}]}


def _is_countable(value: Any) -> bool:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return is_whole and -(2**63) <= value < 2**63


def _decode(stored: Any) -> Any:
    # The driver has a type of its own for large numbers.
    return int(stored) if isinstance(stored, int) else json.loads(stored)
