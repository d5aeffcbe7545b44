"""How inboxes come and go, whatever they look like: one head per warm reader, and its parts.

    <heads>  {_id: owner, gen, floor, built_at, begun_at, last_seen, dropping?, ...}
    <parts>  {owner, gen, ...}

``gen`` names one life of an inbox: parts of another one count no more. Each step is safe to repeat and
may stop anywhere; in which order they are taken: ``strategies.warmth``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Generic, TypeVar

from pymongo import ASCENDING, DESCENDING
from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError

from feed.store.collections import Document

VISIT_INTERVAL = timedelta(hours=1)
BUILD_TIMEOUT = timedelta(hours=1)
UNBUILT_FILTER: Document = {"built_at": {"$type": "null"}}
CollectionGetter = Callable[[], Collection[Document]]


@dataclass(frozen=True, slots=True)
class InboxHead:
    owner: int
    gen: int
    floor: int
    built_at: datetime | None
    build_requested_at: datetime


Head = TypeVar("Head", bound=InboxHead)


class InboxLifecycle(Generic[Head]):
    """The life cycle, for one pair of collections. ``fresh``: what else a new head begins with;
    ``shape``: makes of the document what callers get."""

    def __init__(
        self,
        *,
        heads: CollectionGetter,
        parts: CollectionGetter,
        new_head_fields: Document,
        from_document: Callable[[Document], Head],
    ) -> None:
        self._heads, self._parts = heads, parts
        self._fresh, self._shape = new_head_fields, from_document

    def create_indexes(self) -> None:
        self._heads().create_index([("last_seen", DESCENDING)])
        self._heads().create_index(
            [("begun_at", ASCENDING)], partialFilterExpression=UNBUILT_FILTER
        )

    def get_head(self, *, owner: int) -> Head | None:
        """The head that counts: not one that is being dropped."""
        found = self._heads().find_one({"_id": owner, "dropping": None})
        return None if found is None else self._shape(found)

    def reread_head(self, *, head: InboxHead) -> Head | None:
        """The head as it is now, after parts were read; None if that life has ended.

        Whoever trims raises the floor first, and whoever drops marks the head first. So if the head
        that is read *last* still says the same life, all entries above its floor were there to be read.
        """
        now = self.get_head(owner=head.owner)
        return now if now is not None and now.gen == head.gen else None

    def record_visit(self, *, owner: int, now: datetime) -> Head | None:
        """The head, with the visit noted at most once an hour: one command, which mostly writes nothing."""
        is_long_ago = {"$lt": ["$last_seen", now - VISIT_INTERVAL]}
        found = self._heads().find_one_and_update(
            {"_id": owner, "dropping": None},
            [{"$set": {"last_seen": {"$cond": [is_long_ago, now, "$last_seen"]}}}],
            return_document=True,
        )
        return None if found is None else self._shape(found)

    def create_head(self, *, owner: int, gen: int, now: datetime) -> Head:
        """Begin an inbox: from here on deliveries land in it. Returns the one there is.

        A head that is being dropped is taken over with a new ``gen``; what it held counts no more.
        """
        document = {
            "gen": gen,
            "floor": 0,
            "built_at": None,
            "begun_at": now,
            "last_seen": now,
            **self._fresh,
        }
        try:
            self._heads().replace_one({"_id": owner, "dropping": True}, document, upsert=True)
        except DuplicateKeyError:
            there = self.get_head(owner=owner)
            if there is not None:
                return there
            return self.create_head(owner=owner, gen=gen, now=now)  # dropped in this moment
        self._parts().delete_many({"owner": owner, "gen": {"$lt": gen}})
        return self._shape({"_id": owner, **document})

    def mark_build_requested(self, *, owner: int, gen: int, now: datetime) -> None:
        """Note that somebody has just been asked to build this inbox."""
        unbuilt = {"_id": owner, "gen": gen, "built_at": None}
        self._heads().update_one(unbuilt, {"$set": {"begun_at": now}})

    def raise_floor(self, *, owner: int, gen: int, floor: int) -> None:
        """Entries at or below it count no more; never falls."""
        self._heads().update_one({"_id": owner, "gen": gen}, {"$max": {"floor": floor}})

    def drop_dormant(self, *, before: datetime, limit: int) -> int:
        """End up to ``limit`` inboxes of readers who have not come since; returns how many.

        Also those that were begun more than an hour ago and never filled: deliveries make them grow,
        and nothing cuts them.

        First the heads are marked, guarded by ``last_seen``: a reader who comes back takes a marked
        head over with a new ``gen``. Then the parts of the marked lives are deleted, last the heads
        that are still marked. Stopped anywhere, the next call goes on.
        """
        unseen = _unseen(before)
        owners = [one["_id"] for one in self._heads().find(unseen, {"_id": 1}).limit(limit)]
        self._heads().update_many({"_id": {"$in": owners}, **unseen}, {"$set": {"dropping": True}})
        of_marked = {"_id": {"$in": owners}, "dropping": True}
        marked = [(one["_id"], one["gen"]) for one in self._heads().find(of_marked, {"gen": 1})]
        if not marked:
            return 0
        self._parts().delete_many({"$or": [{"owner": owner, "gen": gen} for owner, gen in marked]})
        self._heads().delete_many(
            {"$or": [{"_id": owner, "gen": gen, "dropping": True} for owner, gen in marked]}
        )
        return len(marked)

    def count_dormant(self, *, before: datetime) -> int:
        """How many inboxes ``drop_unseen`` would end without a limit: on indexes alone."""
        return self._heads().count_documents(_unseen(before))

    def recent_owners(self, *, limit: int) -> list[int]:
        """The readers who came last, the latest first."""
        found = self._heads().find({}, {"_id": 1}).sort("last_seen", DESCENDING).limit(limit)
        return [one["_id"] for one in found]

    def owners_among(self, *, owners: list[int]) -> set[int]:
        """Which of these readers have an inbox: one command, on the index alone."""
        found = self._heads().find({"_id": {"$in": owners}}, {"_id": 1})
        return {one["_id"] for one in found.hint([("_id", ASCENDING)])}

    def owners_after(self, *, above: int, limit: int) -> list[int]:
        """The readers who have an inbox, in the order of their ids."""
        found = self._heads().find({"_id": {"$gt": above}}, {"_id": 1})
        return [one["_id"] for one in found.sort("_id", ASCENDING).limit(limit)]

    def drop_generations(self, *, below: int) -> None:
        """End all lives with a lower ``gen``. Heads first, so that none is left that lacks its parts."""
        self._heads().delete_many({"gen": {"$lt": below}})
        self._parts().delete_many({"gen": {"$lt": below}})


def _unseen(before: datetime) -> Document:
    unfilled = {**UNBUILT_FILTER, "begun_at": {"$lt": datetime.now(UTC) - BUILD_TIMEOUT}}
    return {"$or": [{"last_seen": {"$lt": before}}, unfilled]}


def head_from_document(document: Document) -> InboxHead:
    return InboxHead(**head_fields(document))


def head_fields(document: Document) -> Document:
    """The fields of ``Life``, for shapes that have more."""
    built_at = document["built_at"]
    begun_at: datetime = document.get("begun_at") or document["last_seen"]
    return {
        "owner": document["_id"],
        "gen": document["gen"],
        "floor": document["floor"],
        "built_at": built_at and built_at.replace(tzinfo=UTC),
        "begun_at": begun_at.replace(tzinfo=UTC),
    }
