"""The life cycle of inboxes in any strategy: one head per warm user, and its parts.

    <heads>  {_id: owner, gen, floor, built_at, build_requested_at, last_seen, is_dropping?, ...}
    <parts>  {owner, gen, ...}

``gen`` is the generation of an inbox; parts of another generation do not count. Each step is safe to
repeat and may stop anywhere. ``strategies.warmup`` combines the steps.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Generic, TypeVar

from pymongo import ASCENDING, DESCENDING
from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError

from accounts.infra.store.connection import Document

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
    """The life cycle for one pair of collections.

    ``new_head_fields``: additional fields of a new head. ``from_document``: turns a document into the
    head that callers get.
    """

    def __init__(
        self,
        *,
        heads: CollectionGetter,
        parts: CollectionGetter,
        new_head_fields: Document,
        from_document: Callable[[Document], Head],
    ) -> None:
        self._heads, self._parts = heads, parts
        self._new_head_fields, self._from_document = new_head_fields, from_document

    def create_indexes(self) -> None:
        self._heads().create_index([("last_seen", DESCENDING)])
        self._heads().create_index(
            [("build_requested_at", ASCENDING)], partialFilterExpression=UNBUILT_FILTER
        )

    def get_head(self, *, owner: int) -> Head | None:
        """Return the head, unless it is being dropped."""
        document = self._heads().find_one({"_id": owner, "is_dropping": None})
        return None if document is None else self._from_document(document)

    def reread_head(self, *, head: InboxHead) -> Head | None:
        """Return the current head after its parts were read; None if its generation has ended.

        Trimming raises the floor first and dropping marks the head first. So if the head read *last* has
        the same generation, the parts contained all entries above its floor.
        """
        current_head = self.get_head(owner=head.owner)
        is_same = current_head is not None and current_head.gen == head.gen
        return current_head if is_same else None

    def record_visit(self, *, owner: int, now: datetime) -> Head | None:
        """Return the head and record the visit, at most once an hour: one command, usually no write."""
        is_long_ago = {"$lt": ["$last_seen", now - VISIT_INTERVAL]}
        document = self._heads().find_one_and_update(
            {"_id": owner, "is_dropping": None},
            [{"$set": {"last_seen": {"$cond": [is_long_ago, now, "$last_seen"]}}}],
            return_document=True,
        )
        return None if document is None else self._from_document(document)

    def create_head(self, *, owner: int, gen: int, now: datetime) -> Head:
        """Create an inbox, which gets deliveries from now on, or return the existing one.

        A head that is being dropped is reused with a new ``gen``; its old entries no longer count.
        """
        document = {
            "gen": gen,
            "floor": 0,
            "built_at": None,
            "build_requested_at": now,
            "last_seen": now,
            **self._new_head_fields,
        }
        try:
            self._heads().replace_one({"_id": owner, "is_dropping": True}, document, upsert=True)
        except DuplicateKeyError:
            existing_head = self.get_head(owner=owner)
            if existing_head is not None:
                return existing_head
            return self.create_head(owner=owner, gen=gen, now=now)  # it was dropped just now
        self._parts().delete_many({"owner": owner, "gen": {"$lt": gen}})
        return self._from_document({"_id": owner, **document})

    def mark_build_requested(self, *, owner: int, gen: int, now: datetime) -> None:
        """Record that a worker has just been asked to build this inbox."""
        unbuilt = {"_id": owner, "gen": gen, "built_at": None}
        self._heads().update_one(unbuilt, {"$set": {"build_requested_at": now}})

    def raise_floor(self, *, owner: int, gen: int, floor: int) -> None:
        """Raise the floor. Entries at or below it no longer count. It never falls."""
        self._heads().update_one({"_id": owner, "gen": gen}, {"$max": {"floor": floor}})

    def drop_dormant(self, *, before: datetime, limit: int) -> int:
        """Drop up to ``limit`` inboxes whose owners have not visited since ``before``. Return how many.

        Inboxes created more than an hour ago and never filled are dropped too: deliveries make them
        grow and nothing trims them.

        First the heads are marked, guarded by ``last_seen``; an owner who returns reuses a marked head
        with a new ``gen``. Then the parts of the marked generations are deleted, and last the heads that
        are still marked. If this stops anywhere, the next call continues.
        """
        dormant = _dormant_query(before)
        owners = [head["_id"] for head in self._heads().find(dormant, {"_id": 1}).limit(limit)]
        self._heads().update_many(
            {"_id": {"$in": owners}, **dormant}, {"$set": {"is_dropping": True}}
        )
        marked_query = {"_id": {"$in": owners}, "is_dropping": True}
        marked_heads = self._heads().find(marked_query, {"gen": 1})
        marked = [(head["_id"], head["gen"]) for head in marked_heads]
        if not marked:
            return 0
        self._parts().delete_many({"$or": [{"owner": owner, "gen": gen} for owner, gen in marked]})
        self._heads().delete_many(
            {"$or": [{"_id": owner, "gen": gen, "is_dropping": True} for owner, gen in marked]}
        )
        return len(marked)

    def count_dormant(self, *, before: datetime) -> int:
        """Return how many inboxes ``drop_dormant`` would drop without a limit: on indexes alone."""
        return self._heads().count_documents(_dormant_query(before))

    def recent_owners(self, *, limit: int) -> list[int]:
        """Return the owners who visited last, the latest first."""
        heads = self._heads().find({}, {"_id": 1}).sort("last_seen", DESCENDING).limit(limit)
        return [head["_id"] for head in heads]

    def owners_among(self, *, owners: list[int]) -> set[int]:
        """Return which of these users have an inbox: one command, on the index alone."""
        heads = self._heads().find({"_id": {"$in": owners}}, {"_id": 1})
        return {head["_id"] for head in heads.hint([("_id", ASCENDING)])}

    def owners_after(self, *, above: int, limit: int) -> list[int]:
        """Return the first owners above a uid, in uid order."""
        heads = self._heads().find({"_id": {"$gt": above}}, {"_id": 1})
        return [head["_id"] for head in heads.sort("_id", ASCENDING).limit(limit)]

    def drop_generations(self, *, below: int) -> None:
        """Drop all generations below an id. Heads go first, so that no head is left without its parts."""
        self._heads().delete_many({"gen": {"$lt": below}})
        self._parts().delete_many({"gen": {"$lt": below}})


def _dormant_query(before: datetime) -> Document:
    unbuilt = {**UNBUILT_FILTER, "build_requested_at": {"$lt": datetime.now(UTC) - BUILD_TIMEOUT}}
    return {"$or": [{"last_seen": {"$lt": before}}, unbuilt]}


def head_from_document(document: Document) -> InboxHead:
    return InboxHead(**head_fields(document))


def head_fields(document: Document) -> Document:
    """Return the fields of ``InboxHead``, for subclasses that have more."""
    built_at = document["built_at"]
    requested_at: datetime = document.get("build_requested_at") or document["last_seen"]
    return {
        "owner": document["_id"],
        "gen": document["gen"],
        "floor": document["floor"],
        "built_at": built_at and built_at.replace(tzinfo=UTC),
        "build_requested_at": requested_at.replace(tzinfo=UTC),
    }
