"""Inboxes with one document per owner and post: the usual form of fan-out on write.

    entry_heads  {_id: owner, gen, floor, built_at, build_requested_at, last_seen, is_dropping?}
    inbox_entries  {owner, gen, activity}                  unique (owner, gen, activity descending)

The unique index is ordered and refuses duplicates, so nothing has to be sorted or sealed. Each delivery to
an owner costs one document and its keys in two indexes. ``lifecycle`` explains the fields of
``entry_heads``.
"""

from datetime import datetime

from pymongo import ASCENDING, DESCENDING, UpdateOne

from accounts.infra.store.connection import Document
from feed.store.collections import entry_heads, inbox_entries

from .lifecycle import InboxHead, InboxLifecycle, insert_parts

INDEX = [("owner", ASCENDING), ("gen", ASCENDING), ("activity", DESCENDING)]
ACTIVITY_ONLY = {"_id": 0, "activity": 1}


def create_indexes() -> None:
    lifecycle.create_indexes()
    inbox_entries().create_index(INDEX, unique=True)


def push_entry(*, owners: list[int], activity: int) -> dict[int, int]:
    """Add the activity to the inboxes of these owners. Return the generations of these inboxes by owner.

    Two commands: find the owners with an inbox, then insert the entries. Safe to repeat.
    """
    heads = entry_heads().find({"_id": {"$in": owners}, "is_dropping": None}, {"gen": 1})
    generations = {head["_id"]: head["gen"] for head in heads}
    insert_parts(
        inbox_entries(),
        [{"owner": owner, "gen": gen, "activity": activity} for owner, gen in generations.items()],
    )
    return generations


def add_entries(*, owner: int, gen: int, ids: list[int]) -> None:
    """Add many activities to one inbox. Safe to repeat."""
    entries: list[Document] = [{"owner": owner, "gen": gen, "activity": id_} for id_ in ids]
    insert_parts(inbox_entries(), entries)


def newest_ids(*, head: InboxHead, limit: int) -> tuple[list[int], int]:
    """Return up to ``limit`` ids above the floor, newest first, and the number of all ids above the floor.

    One command, which reads only the index.
    """
    groups = inbox_entries().aggregate(
        [
            {"$match": _above_floor(head)},
            {"$sort": dict(INDEX)},
            {
                "$group": {
                    "_id": None,
                    "newest": {"$firstN": {"n": limit, "input": "$activity"}},
                    "count": {"$sum": 1},
                }
            },
        ]
    )
    for group in groups:
        return group["newest"], group["count"]
    return [], 0


def all_ids(*, head: InboxHead) -> list[int]:
    """Return all ids above the floor, newest first. One command, which reads only the index."""
    entries = inbox_entries().find(_above_floor(head), ACTIVITY_ONLY).sort(INDEX)
    return [entry["activity"] for entry in entries.batch_size(10_000)]


def trim_inboxes(*, generations: dict[int, int], max_entries: int) -> None:
    """Drop all but the ``max_entries`` newest entries of these inboxes. Three commands.

    ``generations`` maps owners to generations. The floor is raised before entries are deleted, and pages
    read the floor after the entries. Below the floor, pages ignore entries and read the posts themselves.
    So no page has a gap, even if the process dies midway.
    """
    pipelines: list[list[Document]] = [
        [
            {"$match": {"owner": owner, "gen": gen}},
            {"$sort": dict(INDEX)},
            {"$skip": max_entries},
            {"$limit": 1},
        ]
        for owner, gen in generations.items()
    ]
    if not pipelines:
        return
    name = inbox_entries().name
    others = [{"$unionWith": {"coll": name, "pipeline": pipeline}} for pipeline in pipelines[1:]]
    entries = inbox_entries().aggregate([*pipelines[0], *others])
    excess = [(entry["owner"], entry["gen"], entry["activity"]) for entry in entries]
    if not excess:
        return
    entry_heads().bulk_write(
        [
            UpdateOne({"_id": owner, "gen": gen}, {"$max": {"floor": newest}})
            for owner, gen, newest in excess
        ],
        ordered=False,
    )
    inbox_entries().delete_many(
        {
            "$or": [
                {"owner": owner, "gen": gen, "activity": {"$lte": newest}}
                for owner, gen, newest in excess
            ]
        }
    )


class _EntryLifecycle(InboxLifecycle[InboxHead]):
    def finish_build(
        self, *, owner: int, gen: int, missing: list[int], floor: int, now: datetime
    ) -> None:
        # If two processes build the inbox at once, both insert entries, and the floor of the first process
        # is stored. This is correct, because the entries of both processes belong in the inbox.
        add_entries(owner=owner, gen=gen, ids=missing)
        entry_heads().update_one(
            {"_id": owner, "gen": gen, "built_at": None},
            {"$max": {"floor": floor}, "$set": {"built_at": now}},
        )


lifecycle = _EntryLifecycle(
    heads=entry_heads, parts=inbox_entries, head_class=InboxHead, own_fields={}
)


def _above_floor(head: InboxHead) -> Document:
    return {"owner": head.owner, "gen": head.gen, "activity": {"$gt": head.floor}}
