"""The life cycle of inboxes in any strategy. An inbox is one head, and parts with the entries.

    <heads>  {_id: owner, gen, floor, built_at, build_requested_at, last_seen, is_dropping?, ...}
    <parts>  {owner, gen, ...}

* ``gen``: the generation of the inbox. Parts whose generation differs from their head are ignored.
* ``floor``: above this id the inbox is complete. Entries up to the floor are ignored.
* ``built_at``: the time at which the earlier posts were added, null until then.
* ``build_requested_at``: the time at which the head was created, or a build task was last enqueued.
* ``last_seen``: the owner's last visit, accurate to an hour.
* ``is_dropping``: true while the inbox is being dropped, otherwise missing.

Each step is safe to repeat, also after an interruption. ``strategies.warmup`` combines the steps.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Generic, TypeVar

from pymongo import ASCENDING, DESCENDING, InsertOne
from pymongo.collection import Collection
from pymongo.errors import BulkWriteError, DuplicateKeyError

from accounts.infra.store.connection import Document, aware
from accounts.infra.store.unions import Query, UnionResult, read_union
from accounts.infra.transactions import duplicate_key_indexes

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


def insert_parts(collection: Collection[Document], documents: list[Document]) -> None:
    """Insert the documents, except those that exist already. One command, none without documents."""
    if not documents:
        return
    try:
        collection.bulk_write([InsertOne(document) for document in documents], ordered=False)
    except BulkWriteError as error:
        duplicate_key_indexes(error)


class InboxLifecycle(Generic[Head]):
    """The life cycle of the inboxes in one pair of collections.

    ``own_fields``: the fields of a new head in addition to the common fields.
    """

    def __init__(
        self,
        *,
        heads: CollectionGetter,
        parts: CollectionGetter,
        head_class: type[Head],
        own_fields: Document,
    ) -> None:
        self._heads, self._parts = heads, parts
        self._head_class, self._own_fields = head_class, own_fields
        self._own_names = [field.name for field in fields(head_class) if field.name in own_fields]

    def create_indexes(self) -> None:
        self._heads().create_index([("last_seen", DESCENDING)])
        self._heads().create_index(
            [("build_requested_at", ASCENDING)], partialFilterExpression=UNBUILT_FILTER
        )

    def get_head(self, *, owner: int) -> Head | None:
        """Return the head, or None if the user has no inbox or the inbox is being dropped."""
        document = self._heads().find_one({"_id": owner, "is_dropping": None})
        return None if document is None else self._parse_head(document)

    def reread_head(self, *, head: InboxHead) -> Head | None:
        """Read a head again after its parts were read. Return None if its generation has ended.

        A trim raises the floor before it deletes parts, and a drop marks the head before it deletes parts.
        So if the head still has the same generation, the parts that the caller read contain all entries
        above the new floor.
        """
        current_head = self.get_head(owner=head.owner)
        is_same = current_head is not None and current_head.gen == head.gen
        return current_head if is_same else None

    def head_queries(self, *, owner: int) -> list[Query]:
        """Return the query of ``get_head``, to read it with others in one command (``read_union``)."""
        query = {"_id": owner, "is_dropping": None}
        pipeline: list[Document] = [{"$match": query}, {"$replaceWith": {"inbox_head": "$$ROOT"}}]
        return [(self._heads().name, pipeline)]

    def record_visit(
        self, *, owner: int, now: datetime, union: UnionResult | None = None
    ) -> Head | None:
        """Return the head, or None like ``get_head``. One command, and a second once an hour.

        ``union``, a result that includes that of ``head_queries``, saves the first command.

        Update ``last_seen`` if its stored value is older than an hour. A read costs the server less than an
        update that changes nothing.
        """
        if union is None:
            union = read_union(queries=self.head_queries(owner=owner))
        document = next((row["inbox_head"] for row in union.having("inbox_head")), None)
        if (
            document is not None
            and document["last_seen"].replace(tzinfo=UTC) < now - VISIT_INTERVAL
        ):
            document = self._heads().find_one_and_update(
                {"_id": owner, "is_dropping": None},
                {"$max": {"last_seen": now}},
                return_document=True,
            )
        return None if document is None else self._parse_head(document)

    def create_head(self, *, owner: int, gen: int, now: datetime) -> Head:
        """Create an inbox, which gets deliveries from now on. If an inbox exists, return its head.

        A head that is being dropped is reused with a new ``gen``, so its old entries are ignored.
        """
        document = {
            "gen": gen,
            "floor": 0,
            "built_at": None,
            "build_requested_at": now,
            "last_seen": now,
            **self._own_fields,
        }
        try:
            self._heads().replace_one({"_id": owner, "is_dropping": True}, document, upsert=True)
        except DuplicateKeyError:
            existing_head = self.get_head(owner=owner)
            if existing_head is not None:
                return existing_head
            return self.create_head(owner=owner, gen=gen, now=now)  # the inbox was dropped just now
        self._parts().delete_many({"owner": owner, "gen": {"$lt": gen}})
        return self._parse_head({"_id": owner, **document})

    def finish_build(
        self, *, owner: int, gen: int, missing: list[int], floor: int, now: datetime
    ) -> None:
        """Add earlier posts to a new inbox, unless another process has finished the build."""
        raise NotImplementedError

    def mark_build_requested(self, *, owner: int, gen: int, now: datetime) -> None:
        """Record the time at which a task to build this inbox was enqueued."""
        unbuilt = {"_id": owner, "gen": gen, "built_at": None}
        self._heads().update_one(unbuilt, {"$set": {"build_requested_at": now}})

    def raise_floor(self, *, owner: int, gen: int, floor: int) -> None:
        """Raise the floor to at least ``floor``. Entries up to the floor are ignored from now on."""
        self._heads().update_one({"_id": owner, "gen": gen}, {"$max": {"floor": floor}})

    def drop_dormant(self, *, before: datetime, limit: int) -> int:
        """Drop up to ``limit`` inboxes whose owners have not visited since ``before``.

        Return the number of dropped inboxes. Inboxes whose build was requested more than an hour ago and
        never finished are dropped, too. Otherwise deliveries would make such inboxes grow without limit.

        The steps are: mark the heads of owners who are still away, delete the parts of the marked
        generations, and delete the heads that are still marked. An owner who returns meanwhile reuses the
        marked head with a new ``gen``. If the process dies midway, the next call continues.
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
        """Count the inboxes that ``drop_dormant`` would drop without a limit. Reads only indexes."""
        return self._heads().count_documents(_dormant_query(before))

    def recent_owners(self, *, limit: int) -> list[int]:
        """Return the owners with the most recent visits, the latest visit first."""
        heads = self._heads().find({}, {"_id": 1}).sort("last_seen", DESCENDING).limit(limit)
        return [head["_id"] for head in heads]

    def owners_among(self, *, owners: list[int]) -> set[int]:
        """Return the users among ``owners`` who have an inbox. One command, which reads only the index."""
        heads = self._heads().find({"_id": {"$in": owners}}, {"_id": 1})
        return {head["_id"] for head in heads.hint([("_id", ASCENDING)])}

    def owners_after(self, *, above: int, limit: int) -> list[int]:
        """Return up to ``limit`` owners whose uids are above ``above``, in uid order."""
        heads = self._heads().find({"_id": {"$gt": above}}, {"_id": 1})
        return [head["_id"] for head in heads.sort("_id", ASCENDING).limit(limit)]

    def drop_generations(self, *, below: int) -> None:
        """Drop generations below ``below``. Delete heads before parts, so that no head lacks its parts."""
        self._heads().delete_many({"gen": {"$lt": below}})
        self._parts().delete_many({"gen": {"$lt": below}})

    def _parse_head(self, document: Document) -> Head:
        return self._head_class(
            owner=document["_id"],
            gen=document["gen"],
            floor=document["floor"],
            built_at=aware(document["built_at"]),
            build_requested_at=document["build_requested_at"].replace(tzinfo=UTC),
            **{name: document[name] for name in self._own_names},
        )


def _dormant_query(before: datetime) -> Document:
    unbuilt = {**UNBUILT_FILTER, "build_requested_at": {"$lt": datetime.now(UTC) - BUILD_TIMEOUT}}
    return {"$or": [{"last_seen": {"$lt": before}}, unbuilt]}
