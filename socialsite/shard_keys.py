"""The shard key of each collection. No other module names shard keys.

``prepare_collections`` shards a cluster by these keys, or prints the commands. ``tests/bench/sharding``
simulates a workload with the same keys. A test checks that frequent commands contain the shard key.
``docs/sharding.md`` is the guide for operators.

MongoDB requires:

* The fields are ascending, or one is hashed.
* Some index begins with the key.
* Every unique index except the index on ``_id`` begins with the key. A hashed key allows no such index.

Ids grow with time. If ids were a ranged key, every insert would go to the shard with the last range.
Collections that are only read by id therefore have a hashed key.
"""

from dataclasses import dataclass
from typing import Any, Literal, cast

from django.db import connection
from pymongo.errors import OperationFailure

from accounts.infra.store.connection import Document

Direction = Literal[1, "hashed"]


@dataclass(frozen=True, slots=True)
class ShardKey:
    fields: dict[str, Direction]
    reason: str

    @property
    def is_hashed(self) -> bool:
        return "hashed" in self.fields.values()


def _hashed(reason: str) -> ShardKey:
    return ShardKey({"_id": "hashed"}, reason)


def _ranged(*fields: str, reason: str) -> ShardKey:
    return ShardKey(dict.fromkeys(fields, 1), reason)


SHARD_KEYS: dict[str, ShardKey] = {
    "inbox_heads": _hashed("One document per reader. A page reads it from one shard."),
    "inbox_buckets": _ranged(
        "owner",
        "gen",
        "seq",
        reason="A page reads the buckets of an inbox at once, from one range.",
    ),
    "entry_heads": _hashed("Like inbox_heads."),
    "inbox_entries": _ranged(
        "owner", "gen", reason="An inbox is a range of entries, too small to be split."
    ),
    "counted_heads": _hashed("Like inbox_heads."),
    "counted_buckets": _ranged("owner", "gen", "seq", reason="Like inbox_buckets."),
    "feed_post": _hashed(
        "Pages read posts by id, each from one shard. With the author as key, every page would query "
        "all shards for all ids, and famous authors would overload their shard."
    ),
    "shares": _ranged("author", "post", reason="Read by author. Unique by this key."),
    "like_buckets": _ranged(
        "post",
        reason="Read by post. The unique index that refuses a second like must begin with the whole key.",
    ),
    "answer_buckets": _ranged("post", reason="Like like_buckets."),
    "comment_buckets": _ranged(
        "post",
        reason="Like audience_buckets: adding a comment looks for the newest bucket with room.",
    ),
    "bookmarks": _ranged("owner", "post", reason="Read by owner. Unique by this key."),
    "conversations": _ranged(
        "owner",
        "post",
        reason="Read by owner. Unique by this key. A message writes to the shards of its participants.",
    ),
    "drafts": _ranged("owner", reason="Read by owner. The scheduler queries all shards."),
    "pins": _hashed("One document per author."),
    "pending_cleanups": _hashed("Few documents, read by id. The sweeper queries all shards."),
    "user_lists": _hashed("One document per owner."),
    "revisions": _ranged("post", reason="Read by post."),
    "idempotency_keys": _ranged(
        "author",
        "key",
        reason="Read by this key before each post. Unique by it.",
    ),
    "merged_posts": _ranged(
        "author",
        "post",
        reason="Pages read the newest of a few authors. Unique by this key.",
    ),
    "home_states": _hashed("One document per reader."),
    "tag_authors": _ranged(
        "tag",
        "author",
        reason="Read by this key when a post is published. Unique by it.",
    ),
    "stat_hours": _ranged(
        "subject",
        reason="A chart reads one subject. Unique with metric and hour. Trends query all shards.",
    ),
    "stat_days": _ranged("subject", reason="Like stat_hours."),
    "counted_viewers": _hashed("Small, short-lived documents, read by digest."),
    "link_cards": _hashed(
        "One document per URL, read by it. The nightly cleanup queries all shards."
    ),
    "active_hours": _hashed("One document per user, read by uid."),
    "follow_edges": _ranged(
        "follower",
        "followee",
        reason="Every page reads the users its reader follows. Unique by this key.",
    ),
    # The key excludes seq, because findAndModify looks for the newest bucket with room to add a follower.
    # Servers before 7.0 refuse this command if the buckets of an author are on several shards.
    "audience_buckets": _ranged(
        "author", reason="Deliveries read all buckets of an author. Unique with seq."
    ),
    "blocks_and_mutes": _ranged(
        "owner",
        "other",
        "kind",
        reason="Stored for both users, so always read by owner. Unique by this key.",
    ),
    "follow_requests": _ranged("follower", "followee", reason="Like follow_edges."),
    "user_notes": _ranged("owner", "other", reason="Read by owner. Unique by this key."),
    "notification_boxes": _hashed(
        "One document per user. A delivery reaches the shards of its recipients."
    ),
    "notification_history": _ranged(
        "owner", "seq", reason="Read by owner, newest first. Unique by this key."
    ),
    "thread_followers": _ranged("post", "uid", reason="Read by post. Unique by this key."),
    "subscriber_deliveries": _hashed("One short-lived document per post, read by id."),
    "action_counts": _hashed("One document per user and action, read by id."),
    "text_fingerprints": _hashed("One document per text of new accounts, read by id."),
    "pair_locks": _hashed(
        "Every follow writes one. On a single shard, all follows would wait for it."
    ),
}


class ClusterError(RuntimeError):
    """The server refused a command. The message contains its reason."""


def is_cluster() -> bool:
    """Return whether the server is a mongos, the router of a sharded cluster."""
    return run_command(database="admin", command={"hello": 1}).get("msg") == "isdbgrid"


def index_names() -> dict[str, set[str]]:
    """Return the names of all indexes by collection."""
    database = _database()
    try:
        return {
            name: set(database[name].index_information())
            for name in database.list_collection_names(filter={"type": "collection"})
            if not name.startswith("system.")
        }
    except OperationFailure as error:
        raise ClusterError(_reason(error)) from error


def sharded_collections() -> dict[str, Document]:
    """Return the shard keys of collections that are already sharded, by collection. Requires a cluster."""
    spaces = {_namespace(collection): collection for collection in SHARD_KEYS}
    # Exclude moved collections that are not sharded, which MongoDB 8 lists too.
    wanted = {"_id": {"$in": list(spaces)}, "unsplittable": {"$ne": True}}
    listing = {"find": "collections", "filter": wanted, "singleBatch": True, "batchSize": 1000}
    reply = run_command(database="config", command=listing)
    return {
        spaces[document["_id"]]: dict(document["key"]) for document in reply["cursor"]["firstBatch"]
    }


def enable_sharding() -> None:
    """Allow sharding for collections of this database. Safe to repeat."""
    run_command(database="admin", command={"enableSharding": _database().name})


def shard_collection(*, collection: str) -> None:
    """Shard a collection by its key. An empty collection with a hashed key is spread immediately."""
    key = SHARD_KEYS[collection]
    if key.is_hashed:
        # The server requires an index on the key unless the collection is empty. The site always has the
        # indexes for ranged keys.
        try:
            _database()[collection].create_index(list(key.fields.items()))
        except OperationFailure as error:
            raise ClusterError(f"{collection}: {_reason(error)}") from error
    command = {"shardCollection": _namespace(collection), "key": dict(key.fields)}
    run_command(database="admin", command=command)


def run_command(*, database: str, command: Document) -> Document:
    """Run a command. Raises ClusterError. Tests replace this function."""
    try:
        return cast("Document", _database().client[database].command(command))
    except OperationFailure as error:
        raise ClusterError(f"{next(iter(command))}: {_reason(error)}") from error


def database_name() -> str:
    return str(_database().name)


def _reason(error: OperationFailure) -> str:
    return str((error.details or {}).get("errmsg", error))


def _namespace(collection: str) -> str:
    return f"{database_name()}.{collection}"


def _database() -> Any:
    return cast("Any", connection).database
