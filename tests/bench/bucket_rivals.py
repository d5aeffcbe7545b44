"""Rival designs with buckets: the bare update command, and two forms of counted buckets."""

from collections.abc import Iterator

from feed.store.collections import inbox_heads
from feed.timeline.store.seal import BUCKET_SIZE, SEAL_AT

from .database import Collection, Document, connection, insert_batches
from .progress import ProgressListener
from .strategy_designs import drop_collections


class Bare:
    """Only the update command of a delivery, in a copy of the heads. No design with buckets can be faster.

    The command would become slower if the arrays only grew. So ``trim_inboxes`` cuts full arrays after
    every post to the length that sealing would leave. This trimming is not timed. Thus this design and
    ``buckets`` push to arrays of the same lengths.
    """

    def __init__(self) -> None:
        inbox_heads().aggregate([{"$out": "bare_heads"}])
        self._heads: Collection = connection.database["bare_heads"]

    def deliver(self, *, activity: int, recipients: list[int]) -> None:
        self._heads.update_many(
            {"_id": {"$in": recipients}, "ids": {"$ne": activity}},
            {"$push": {"ids": activity}, "$inc": {"n": 1}},
        )

    def trim_inboxes(self) -> None:
        cut = SEAL_AT - BUCKET_SIZE
        shorter = {"ids": {"$slice": ["$ids", cut, SEAL_AT]}, "n": {"$subtract": ["$n", cut]}}
        self._heads.update_many({"n": {"$gte": SEAL_AT}}, [{"$set": shorter}])


class CountedAsPublished:
    """Counted buckets as published: increment a counter, then push to bucket ``floor(count / 50)``.

    A delivery takes two commands per recipient. The source is Asya Kamsky, Darren Wood and Antoine Girbal,
    "Socialite", MongoDB World 2014. Two flaws of the published design are kept: the first bucket has one
    entry less, and a process that dies between the two commands leaves a gap. All designs use the write
    concern of the connection.
    """

    def __init__(self) -> None:
        self._users: Collection = connection.database["published_users"]
        self._buckets: Collection = connection.database["published_buckets"]
        self._buckets.create_index([("owner", 1), ("seq", 1)], unique=True)

    def deliver(self, *, activity: int, recipients: list[int]) -> None:
        for owner in recipients:
            user = self._users.find_one_and_update(
                {"_id": owner}, {"$inc": {"count": 1}}, upsert=True, return_document=True
            )
            self._buckets.update_one(
                {"owner": owner, "seq": user["count"] // BUCKET_SIZE},
                {"$push": {"ids": activity}},
                upsert=True,
            )


class CountedBatched:
    """Counted buckets with three commands for a chunk of recipients.

    The commands increment all counters, read all counters, and push with a batch of upserts on the unique
    ``(owner, seq)``. If a process dies between the commands, all inboxes of the chunk have a gap.
    Concurrent deliveries may put more than fifty entries into a bucket, and a retry adds the entries twice.
    """

    name = "counted_batched"
    collections = ("batched_users", "batched_buckets")

    def fill(
        self, *, recipients: list[int], patterns: list[list[int]], progress: ProgressListener
    ) -> None:
        drop_collections(self)
        users, buckets = (connection.database[name] for name in self.collections)
        buckets.create_index([("owner", 1), ("seq", 1)], unique=True)
        counts = [len(pattern) for pattern in patterns]

        def new_buckets() -> Iterator[Document]:
            for i, owner in enumerate(recipients):
                progress.step()
                stored = patterns[i % len(patterns)]
                for at in range(0, len(stored), BUCKET_SIZE):
                    ids = stored[at : at + BUCKET_SIZE]
                    yield {"owner": owner, "seq": at // BUCKET_SIZE, "ids": ids}

        insert_batches(
            collection=users,
            documents=(
                {"_id": owner, "count": counts[i % len(counts)]}
                for i, owner in enumerate(recipients)
            ),
        )
        insert_batches(collection=buckets, documents=new_buckets())

    def deliver(self, *, activity: int, recipients: list[int]) -> None:
        users, buckets = self.collections
        query = {"_id": {"$in": recipients}}
        connection.database[users].update_many(query, {"$inc": {"count": 1}})
        push = {"$push": {"ids": activity}}
        pushes = [
            {
                "q": {"owner": document["_id"], "seq": (document["count"] - 1) // BUCKET_SIZE},
                "u": push,
                "upsert": True,
            }
            for document in connection.database[users].find(query, {"count": 1})
        ]
        # A plain command, because the bulk writes of PyMongo are slower.
        connection.database.command(
            "update", buckets, updates=pushes, ordered=False, writeConcern={"w": "majority"}
        )

    def count_entries(self) -> int:
        counted = connection.database["batched_buckets"].aggregate(
            [{"$group": {"_id": None, "n": {"$sum": {"$size": "$ids"}}}}]
        )
        return sum(document["n"] for document in counted)

    def newest_ids(self, *, owner: int) -> list[int]:
        return self._ids(owner, limit=2)

    def all_ids(self, *, owner: int) -> list[int]:
        return self._ids(owner, limit=0)

    def _ids(self, owner: int, *, limit: int) -> list[int]:
        documents = connection.database["batched_buckets"].find({"owner": owner}, {"ids": 1})
        newest_first = documents.sort("seq", -1).limit(limit)
        return sorted((id_ for bucket in newest_first for id_ in bucket["ids"]), reverse=True)
