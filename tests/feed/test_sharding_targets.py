"""Which shards a command is for: reads what the driver sends as a mongos would.

A mongos makes intervals of the shard key from the filter and asks the shards that have chunks in them. An
equality, or some, on the key's *first* field is enough for that with a ranged key: one owner is one
interval, in one chunk or a few neighbours. It is not enough to write a single document: for that the
whole key must be there, each field with one value.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from socialsite.sharding.keys import SHARD_KEYS

Document = dict[str, Any]


@dataclass(frozen=True)
class Ask:
    """One filter, or one document to insert, of a command. ``exactly``: it is about one document."""

    collection: str
    query: Document
    exactly: bool = False

    @property
    def is_targeted(self) -> bool:
        if self.collection not in SHARD_KEYS:
            return True
        first, *others = SHARD_KEYS[self.collection].fields
        if self.exactly:
            return all(_has_one_value(self.query, field) for field in (first, *others))
        return has_values(self.query, first)


def asks(name: str, command: Document) -> Iterator[Ask]:
    """Of commands without a filter, such as getMore and commitTransaction, there are none."""
    collection = command.get(name)
    match name:
        case "find":
            yield Ask(collection, command.get("filter", {}))
        case "count" | "distinct":
            yield Ask(collection, command.get("query", {}))
        case "findAndModify":
            yield Ask(collection, command["query"], exactly=True)
        case "insert":
            for document in command["documents"]:
                yield Ask(collection, document, exactly=True)
        case "update":
            for update in command["updates"]:
                only_one = not update.get("multi") or update.get("upsert", False)
                yield Ask(collection, update["q"], exactly=only_one)
        case "delete":
            for delete in command["deletes"]:
                yield Ask(collection, delete["q"], exactly=delete["limit"] == 1)
        case "aggregate" if isinstance(collection, str):
            yield from _asks_of_pipeline(collection, command["pipeline"])


def _asks_of_pipeline(collection: str, pipeline: list[Document]) -> Iterator[Ask]:
    # Only what stands at the beginning tells a mongos where to go.
    matches = []
    for stage in pipeline:
        if "$match" not in stage:
            break
        matches.append(stage["$match"])
    yield Ask(collection, {"$and": matches} if matches else {})
    for stage in pipeline:
        for kind, value in stage.items():
            if kind == "$unionWith":
                other = {"coll": value} if isinstance(value, str) else value
                yield from _asks_of_pipeline(other["coll"], other.get("pipeline", []))
            elif kind == "$lookup":
                joined = value.get("pipeline", [])
                if "foreignField" in value:
                    # Asked once for each document, with its value.
                    joined = [{"$match": {value["foreignField"]: "joined"}}, *joined]
                yield from _asks_of_pipeline(value["from"], joined)
            elif kind == "$graphLookup":
                yield Ask(value["from"], {value["connectToField"]: "joined"})


def has_values(query: Document, field: str) -> bool:
    """Whether the filter names one or more values of the field that a document must have."""
    if any(has_values(part, field) for part in query.get("$and", [])):
        return True
    branches = query.get("$or")
    if branches and all(has_values(branch, field) for branch in branches):
        return True
    wanted = query.get(field, {"$exists": True})
    return not _is_operators(wanted) or not {"$eq", "$in"}.isdisjoint(wanted)


def _has_one_value(query: Document, field: str) -> bool:
    if any(_has_one_value(part, field) for part in query.get("$and", [])):
        return True
    wanted = query.get(field, {"$exists": True})
    return not _is_operators(wanted) or "$eq" in wanted


def _is_operators(value: Any) -> bool:
    return isinstance(value, dict) and any(key.startswith("$") for key in value)


TARGETED = {
    "a reader": ("find", {"find": "inbox_heads", "filter": {"_id": 5}}),
    "many readers": ("find", {"find": "inbox_heads", "filter": {"_id": {"$in": [5, 6]}}}),
    "the first field of a range": ("find", {"find": "inbox_buckets", "filter": {"owner": 5}}),
    "a collection that is not sharded": ("find", {"find": "django_session", "filter": {}}),
    "every branch": (
        "delete",
        {
            "delete": "inbox_buckets",
            "deletes": [{"q": {"$or": [{"owner": 5, "gen": 1}, {"owner": 6}]}, "limit": 0}],
        },
    ),
    "all parts of a union": (
        "aggregate",
        {
            "aggregate": "home_states",
            "pipeline": [
                {"$match": {"_id": 5}},
                {"$unionWith": {"coll": "large_authors", "pipeline": []}},
                {
                    "$unionWith": {
                        "coll": "blocks_and_mutes",
                        "pipeline": [{"$match": {"owner": 5}}],
                    }
                },
            ],
        },
    ),
    "a join by the key": (
        "aggregate",
        {
            "aggregate": "accounts_user",
            "pipeline": [
                {"$lookup": {"from": "feed_post", "localField": "a", "foreignField": "_id"}}
            ],
        },
    ),
    "a whole document": (
        "insert",
        {"insert": "inbox_buckets", "documents": [{"owner": 5, "gen": 1, "seq": 0, "ids": []}]},
    ),
    "one document by its whole key": (
        "update",
        {"update": "follow_edges", "updates": [{"q": {"follower": 5, "followee": 6}, "u": {}}]},
    ),
}

UNTARGETED = {
    "everything": ("find", {"find": "inbox_heads", "filter": {}}),
    "another field": ("find", {"find": "inbox_heads", "filter": {"last_seen": {"$lt": 5}}}),
    "a range of a hashed field": ("find", {"find": "feed_post", "filter": {"_id": {"$lt": 5}}}),
    "only a later field": ("find", {"find": "follow_edges", "filter": {"followee": 5}}),
    "one branch of two": (
        "find",
        {"find": "inbox_buckets", "filter": {"$or": [{"owner": 5}, {"seq": 1}]}},
    ),
    "an expression": (
        "aggregate",
        {
            "aggregate": "feed_post",
            "pipeline": [{"$match": {"$expr": {"$eq": ["$_id", 5]}}}],
        },
    ),
    "a match that comes late": (
        "aggregate",
        {"aggregate": "feed_post", "pipeline": [{"$limit": 9}, {"$match": {"_id": 5}}]},
    ),
    "one part of a union": (
        "aggregate",
        {
            "aggregate": "feed_post",
            "pipeline": [
                {"$match": {"_id": 5}},
                {"$unionWith": {"coll": "feed_post", "pipeline": [{"$match": {"text": "x"}}]}},
            ],
        },
    ),
    "a join by another field": (
        "aggregate",
        {
            "aggregate": "accounts_user",
            "pipeline": [
                {"$lookup": {"from": "feed_post", "localField": "a", "foreignField": "b"}}
            ],
        },
    ),
    "one of several updates": (
        "update",
        {
            "update": "inbox_heads",
            "updates": [{"q": {"_id": 5}, "u": {}}, {"q": {"n": 5}, "u": {}, "multi": True}],
        },
    ),
    "one document by half its key": (
        "delete",
        {"delete": "follow_edges", "deletes": [{"q": {"follower": 5}, "limit": 1}]},
    ),
    "one document among some": (
        "findAndModify",
        {"findAndModify": "inbox_heads", "query": {"_id": {"$in": [5, 6]}}},
    ),
    "a document without its key": (
        "insert",
        {"insert": "inbox_buckets", "documents": [{"owner": 5, "gen": 1, "ids": []}]},
    ),
}


def test_a_command_with_its_shard_key_is_told():
    results = {label: list(asks(*sent)) for label, sent in TARGETED.items()}
    assert all(results.values())
    assert not [
        label for label, some in results.items() if not all(post.is_targeted for post in some)
    ]


def test_a_command_without_its_shard_key_is_told():
    results = {label: list(asks(*sent)) for label, sent in UNTARGETED.items()}
    assert not [label for label, some in results.items() if all(post.is_targeted for post in some)]
