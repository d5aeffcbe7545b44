"""Decide whether a command goes to few shards, as a mongos does.

A mongos derives intervals of the shard key from the filter and queries the shards with matching chunks:

- For a ranged key, a filter needs values for the *first* field only. For example, all documents of one
  owner are in one chunk or a few neighbouring chunks.
- A write to a single document needs one value for each field of the key.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from socialsite.shard_keys import SHARD_KEYS

Document = dict[str, Any]


@dataclass(frozen=True)
class ShardQuery:
    """A filter or an inserted document of a command.

    ``is_single_document`` means that the command affects a single document.
    """

    collection: str
    query: Document
    is_single_document: bool = False

    @property
    def is_targeted(self) -> bool:
        if self.collection not in SHARD_KEYS:
            return True
        first, *others = SHARD_KEYS[self.collection].fields
        if self.is_single_document:
            return all(_has_one_value(self.query, field) for field in (first, *others))
        return has_values(self.query, first)


def shard_queries(name: str, command: Document) -> Iterator[ShardQuery]:
    """Yield each filter and each inserted document of a command.

    Commands without a filter, such as ``getMore``, yield nothing.
    """
    collection = command.get(name)
    match name:
        case "find":
            yield ShardQuery(collection, command.get("filter", {}))
        case "count" | "distinct":
            yield ShardQuery(collection, command.get("query", {}))
        case "findAndModify":
            yield ShardQuery(collection, command["query"], is_single_document=True)
        case "insert":
            for document in command["documents"]:
                yield ShardQuery(collection, document, is_single_document=True)
        case "update":
            for update in command["updates"]:
                only_one = not update.get("multi") or update.get("upsert", False)
                yield ShardQuery(collection, update["q"], is_single_document=only_one)
        case "delete":
            for delete in command["deletes"]:
                yield ShardQuery(collection, delete["q"], is_single_document=delete["limit"] == 1)
        case "aggregate" if isinstance(collection, str):
            yield from _pipeline_queries(collection, command["pipeline"])


def _pipeline_queries(collection: str, pipeline: list[Document]) -> Iterator[ShardQuery]:
    # A mongos chooses shards only by the $match stages at the beginning.
    matches = []
    for stage in pipeline:
        if "$match" not in stage:
            break
        matches.append(stage["$match"])
    yield ShardQuery(collection, {"$and": matches} if matches else {})
    for stage in pipeline:
        for kind, value in stage.items():
            if kind == "$unionWith":
                other = {"coll": value} if isinstance(value, str) else value
                yield from _pipeline_queries(other["coll"], other.get("pipeline", []))
            elif kind == "$lookup":
                joined = value.get("pipeline", [])
                if "foreignField" in value:
                    # The server runs this pipeline once per document, with a value for the foreign field.
                    joined = [{"$match": {value["foreignField"]: "joined"}}, *joined]
                yield from _pipeline_queries(value["from"], joined)
            elif kind == "$graphLookup":
                yield ShardQuery(value["from"], {value["connectToField"]: "joined"})


def has_values(query: Document, field: str) -> bool:
    """Return whether the filter limits the field to one or more exact values."""
    if any(has_values(part, field) for part in query.get("$and", [])):
        return True
    branches = query.get("$or")
    if branches and all(has_values(branch, field) for branch in branches):
        return True
    condition = query.get(field, {"$exists": True})
    return not _is_operators(condition) or not {"$eq", "$in"}.isdisjoint(condition)


def _has_one_value(query: Document, field: str) -> bool:
    if any(_has_one_value(part, field) for part in query.get("$and", [])):
        return True
    condition = query.get(field, {"$exists": True})
    return not _is_operators(condition) or "$eq" in condition


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


def test_targeted_commands_are_recognized():
    results = {label: list(shard_queries(*sent)) for label, sent in TARGETED.items()}
    assert all(results.values())
    assert not [
        label
        for label, queries in results.items()
        if not all(query.is_targeted for query in queries)
    ]


def test_untargeted_commands_are_recognized():
    results = {label: list(shard_queries(*sent)) for label, sent in UNTARGETED.items()}
    assert not [
        label for label, queries in results.items() if all(query.is_targeted for query in queries)
    ]
