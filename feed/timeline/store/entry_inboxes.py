"""Home timelines as one document for each reader and post: fan-out on write as it is mostly drawn.

    inbox_readers  {_id: owner, gen, floor, built_at, begun_at, last_seen, dropping?}
    inbox_entries  {owner, gen, activity}                  unique (owner, gen, activity descending)

The index keeps the order and refuses a repeat, so nothing is ever sorted or cut; the price is a document
and its keys in two indexes for each delivery. What the fields of a reader mean: ``lives``.
"""

from datetime import datetime

from pymongo import ASCENDING, DESCENDING, InsertOne, UpdateOne
from pymongo.errors import BulkWriteError

from feed.store.collections import Document, inbox_entries, inbox_readers

from .lifecycle import InboxHead, InboxLifecycle, head_from_document
from .seal import DUPLICATE_KEY

INDEX = [("owner", ASCENDING), ("gen", ASCENDING), ("activity", DESCENDING)]
ACTIVITY_ONLY = {"_id": 0, "activity": 1}


def create_indexes() -> None:
    lifecycle.create_indexes()
    inbox_entries().create_index(INDEX, unique=True)


def push_entry(*, owners: list[int], activity: int) -> dict[int, int]:
    """Bring the activity to those of these readers who have an inbox; returns their ``gen`` by owner.

    Two commands, or one if there are none. A repeat changes nothing.
    """
    found = inbox_readers().find({"_id": {"$in": owners}, "dropping": None}, {"gen": 1})
    warm = {one["_id"]: one["gen"] for one in found}
    _insert([{"owner": owner, "gen": gen, "activity": activity} for owner, gen in warm.items()])
    return warm


def add_entries(*, owner: int, gen: int, ids: list[int]) -> None:
    """Bring many activities to one reader. A repeat changes nothing."""
    _insert([{"owner": owner, "gen": gen, "activity": one} for one in ids])


def newest_ids(*, head: InboxHead, limit: int) -> tuple[list[int], int]:
    """The newest ids above the floor, newest first, and how many there are: one command, on the index
    alone."""
    counted = inbox_entries().aggregate(
        [
            {"$match": _above_floor(head)},
            {"$sort": dict(INDEX)},
            {
                "$group": {
                    "_id": None,
                    "newest": {"$firstN": {"n": limit, "input": "$activity"}},
                    "held": {"$sum": 1},
                }
            },
        ]
    )
    for one in counted:
        return one["newest"], one["held"]
    return [], 0


def all_ids(*, head: InboxHead) -> list[int]:
    """All ids above the floor, newest first: one command, on the index alone."""
    found = inbox_entries().find(_above_floor(head), ACTIVITY_ONLY).sort(INDEX)
    return [one["activity"] for one in found.batch_size(10_000)]


def trim_inboxes(*, generations: dict[int, int], max_entries: int) -> None:
    """Drop what these readers (generations by owner) hold beyond the ``keep`` newest: three commands.

    The floor is raised first. Who reads the floor after the entries and sees the higher one asks the
    posts for what lies below it, deleted already or not; so there is no gap, wherever this stops.
    """
    beyond: list[list[Document]] = [
        [
            {"$match": {"owner": owner, "gen": gen}},
            {"$sort": dict(INDEX)},
            {"$skip": max_entries},
            {"$limit": 1},
        ]
        for owner, gen in generations.items()
    ]
    if not beyond:
        return
    name = inbox_entries().name
    others = [{"$unionWith": {"coll": name, "pipeline": one}} for one in beyond[1:]]
    left_out = list(inbox_entries().aggregate([*beyond[0], *others]))
    if not left_out:
        return
    inbox_readers().bulk_write(
        [
            UpdateOne(
                {"_id": one["owner"], "gen": one["gen"]}, {"$max": {"floor": one["activity"]}}
            )
            for one in left_out
        ],
        ordered=False,
    )
    inbox_entries().delete_many(
        {
            "$or": [
                {"owner": one["owner"], "gen": one["gen"], "activity": {"$lte": one["activity"]}}
                for one in left_out
            ]
        }
    )


class _Entries(InboxLifecycle[InboxHead]):
    def finish_build(
        self, *, owner: int, gen: int, missing: list[int], floor: int, now: datetime
    ) -> bool:
        """Give a begun inbox what had been published before; False if somebody else has.

        Of two who do it at once both insert, and the floor of the first counts: whatever the other one
        has inserted above it belongs there too.
        """
        add_entries(owner=owner, gen=gen, ids=missing)
        built = inbox_readers().update_one(
            {"_id": owner, "gen": gen, "built_at": None},
            {"$max": {"floor": floor}, "$set": {"built_at": now}},
        )
        return bool(built.modified_count)


lifecycle = _Entries(
    heads=inbox_readers, parts=inbox_entries, new_head_fields={}, from_document=head_from_document
)


def _above_floor(life: InboxHead) -> Document:
    return {"owner": life.owner, "gen": life.gen, "activity": {"$gt": life.floor}}


def _insert(documents: list[Document]) -> None:
    if not documents:
        return
    try:
        inbox_entries().bulk_write([InsertOne(one) for one in documents], ordered=False)
    except BulkWriteError as error:
        if any(one["code"] != DUPLICATE_KEY for one in error.details["writeErrors"]):
            raise
