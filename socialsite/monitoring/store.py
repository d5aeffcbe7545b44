"""The state of the database, and when each kind of process last did its work.

    heartbeats {_id: name, seen_at}

All times are those of the database server, so the clocks of other machines do not matter.
"""

from contextlib import AbstractContextManager

import pymongo
from pymongo.collection import Collection

from accounts.infra.store.connection import Document, collection, database

WRITE_CHECK = "write check"


def record_heartbeat(*, name: str) -> None:
    """Record that a process of this kind works: "web", "streams", "worker" or "beat". One command."""
    _heartbeats().update_one({"_id": name}, [{"$set": {"seen_at": "$$NOW"}}], upsert=True)


def heartbeat_ages() -> dict[str, float]:
    """Return the seconds since the last heartbeat of each kind of process. One command."""
    age = {"$divide": [{"$subtract": ["$$NOW", "$seen_at"]}, 1000]}
    return {document["_id"]: document["age"] for document in _heartbeats().find({}, {"age": age})}


def check_write() -> None:
    """Write a document, and wait until a majority of the replica set has it. Raises PyMongoError."""
    record_heartbeat(name=WRITE_CHECK)


def time_limit(seconds: float) -> AbstractContextManager[None]:
    """Limit the time of all database commands in the block, including retries."""
    return pymongo.timeout(seconds)


def _heartbeats() -> Collection[Document]:
    return collection("heartbeats")


def server_version() -> str:
    return str(database().client.server_info()["version"])


def database_bytes() -> int:
    """Return the bytes on disk that all documents and indexes of the site use."""
    return int(database().command("dbStats")["totalSize"])
