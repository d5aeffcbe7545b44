"""The shard key of each collection. No other module names shard keys.

``prepare_collections`` shards a cluster by them, ``shard_plan`` simulates a workload with them, and a test
checks every command of the hot path against them. ``docs/sharding.md`` is for operators.

What MongoDB demands: fields are ascending, or one is hashed; some index begins with the key; and every
unique index but that on ``_id`` begins with it too, so a hashed key allows none. Ids grow with time: a
range of ids as key would send every insert to the shard of the last range. Hence ``hashed`` where a
document is only ever asked for by its id.
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


def _hashed(why: str) -> ShardKey:
    return ShardKey({"_id": "hashed"}, why)


def _ranged(*fields: str, why: str) -> ShardKey:
    return ShardKey(dict.fromkeys(fields, 1), why)


SHARD_KEYS: dict[str, ShardKey] = {
    "inbox_heads": _hashed("One for each reader, asked for by reader; a page needs one shard."),
    "inbox_buckets": _ranged(
        "owner", "gen", "seq", why="All buckets of an inbox are read at once and lie side by side."
    ),
    "entry_heads": _hashed("As inbox_heads."),
    "inbox_entries": _ranged(
        "owner", "gen", why="An inbox is a range of them, and is too small ever to be split."
    ),
    "counted_heads": _hashed("As inbox_heads."),
    "counted_buckets": _ranged("owner", "gen", "seq", why="As inbox_buckets."),
    "feed_post": _hashed(
        "Pages read posts by id, each from the one shard that has it. By author, every page would ask "
        "all shards for all its ids, and famous authors would heat theirs."
    ),
    "shares": _ranged("author", "post", why="Asked for by who shared; unique so."),
    "like_buckets": _ranged(
        "post",
        why="Likes are asked for by post; by more, the index that refuses a second like could not be.",
    ),
    "comment_buckets": _ranged(
        "post", why="As audience_buckets: to add one, the newest with room is looked for."
    ),
    "bookmarks": _ranged("owner", "post", why="Lists are of one owner; unique so."),
    "pins": _hashed("One for each author."),
    "pending_cleanups": _hashed("Few, and each asked for by itself; the sweeper asks all shards."),
    "user_lists": _hashed("One for each owner."),
    "revisions": _ranged("post", why="Asked for by post."),
    "idempotency_keys": _ranged("author", "key", why="Asked for so before each post; unique so."),
    "merged_posts": _ranged(
        "author",
        "post",
        why="Pages ask for those of a few authors, in the order of time; unique so.",
    ),
    "home_states": _hashed("One for each reader."),
    "tag_authors": _ranged(
        "tag", "author", why="Asked for so when a post is published; unique so."
    ),
    "stat_hours": _ranged(
        "subject",
        why="A chart reads one subject; unique with metric and hour. Trends ask all shards.",
    ),
    "stat_days": _ranged("subject", why="As stat_hours."),
    "counted_viewers": _hashed("Small and short-lived; asked for by digest."),
    "active_hours": _hashed("One for each user; asked for by it."),
    "follow_edges": _ranged(
        "follower", "followee", why="Every page asks whom its reader follows; unique so."
    ),
    # Not by seq too: to add a follower, one findAndModify looks for the newest bucket with room among
    # all of an author's, and servers before 7.0 refuse that where these lie on several shards.
    "audience_buckets": _ranged(
        "author", why="Deliveries go through all of an author's; unique with seq."
    ),
    "blocks_and_mutes": _ranged(
        "owner",
        "other",
        "kind",
        why="Kept from both sides, so always asked for by owner; unique so.",
    ),
    "follow_requests": _ranged("follower", "followee", why="As follow_edges."),
    "notification_boxes": _hashed(
        "One for each reader; a delivery asks the shards of its readers."
    ),
    "notification_history": _ranged(
        "owner", "seq", why="Read by owner from the newest on; unique so."
    ),
    "thread_followers": _ranged("post", "uid", why="Asked for by post; unique so."),
    "action_counts": _hashed("One for each person and action; asked for by it."),
    "text_fingerprints": _hashed("One for each text of new accounts; asked for by it."),
    "pair_locks": _hashed("Every follow writes one of them; on one shard all would wait for it."),
}

UNSHARDED_COLLECTIONS: dict[str, str] = {
    "large_authors": "Very few, and every page wants all of them.",
    "strategy_switch": "One document.",
    "counted_viewer_keys": "Two documents.",
    "demo_specs": "One document.",
    "push_devices": "A few small documents for each of the people who want them; unique by themselves.",
    "tags": "Small documents, and only one for each hashtag; asked for by how they begin.",
}
"""Raw collections that stay on the database's first shard, like all of Django's own."""


class ClusterError(RuntimeError):
    """The server did not do what it was told; the text says why."""


def is_cluster() -> bool:
    """Whether this is a mongos, the way into a sharded cluster."""
    return run_command(database="admin", command={"hello": 1}).get("msg") == "isdbgrid"


def index_names() -> dict[str, set[str]]:
    """The names of all indexes, by collection."""
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
    """The keys of those collections of ``KEYS`` that are sharded already; on a cluster only."""
    spaces = {_namespace(collection): collection for collection in SHARD_KEYS}
    # MongoDB 8 also lists here what is not sharded but was moved.
    wanted = {"_id": {"$in": list(spaces)}, "unsplittable": {"$ne": True}}
    listing = {"find": "collections", "filter": wanted, "singleBatch": True, "batchSize": 1000}
    answer = run_command(database="config", command=listing)
    return {
        spaces[document["_id"]]: dict(document["key"])
        for document in answer["cursor"]["firstBatch"]
    }


def enable_sharding() -> None:
    """Let collections of this database be sharded. Safe to repeat."""
    run_command(database="admin", command={"enableSharding": _database().name})


def shard_collection(*, collection: str) -> None:
    """Shard by the key in ``KEYS``. On an empty collection a hashed key spreads its chunks at once."""
    key = SHARD_KEYS[collection]
    if key.is_hashed:
        # The server makes it only where the collection is empty. Those of ranged keys are there anyway.
        try:
            _database()[collection].create_index(list(key.fields.items()))
        except OperationFailure as error:
            raise ClusterError(f"{collection}: {_reason(error)}") from error
    command = {"shardCollection": _namespace(collection), "key": dict(key.fields)}
    run_command(database="admin", command=command)


def run_command(*, database: str, command: Document) -> Document:
    """The seam to what only a mongos knows. Raises ClusterRefused."""
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
