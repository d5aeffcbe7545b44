"""Rivals that keep something for each single delivery: a document, or a key of an index."""

from collections.abc import Iterator

from .database import Document, connection, insert_batches
from .progress import ProgressListener
from .strategy_designs import drop_collections


class Clustered:
    """One document for each delivery in a clustered collection, which has no index beside itself.

    The ``_id`` is all there is: sixteen bytes, the reader and then the activity, both with the highest
    byte first, so a reader's entries lie side by side in the order of time. Nobody looks who is warm and
    nothing is ever trimmed: it is the least that one document each can cost. The order makes it random
    inserts all over the collection, however.
    """

    name = "clustered"
    collections = ("clustered_entries",)

    def fill(
        self, *, recipients: list[int], patterns: list[list[int]], progress: ProgressListener
    ) -> None:
        drop_collections(self)
        (name,) = self.collections
        key = {"key": {"_id": 1}, "unique": True}
        entries = connection.database.create_collection(name, clusteredIndex=key)

        def new_entries() -> Iterator[Document]:
            for i, owner in enumerate(recipients):
                progress.step()
                for activity in patterns[i % len(patterns)]:
                    yield {"_id": _key(owner, activity)}

        insert_batches(collection=entries, documents=new_entries())

    def deliver(self, *, activity: int, recipients: list[int]) -> None:
        entries = connection.database["clustered_entries"]
        entries.insert_many([{"_id": _key(owner, activity)} for owner in recipients], ordered=False)

    def count_entries(self) -> int:
        return int(connection.database["clustered_entries"].count_documents({}))

    def newest_ids(self, *, owner: int) -> list[int]:
        return self._ids(owner, limit=300)

    def all_ids(self, *, owner: int) -> list[int]:
        return self._ids(owner, limit=0)

    def _ids(self, reader: int, *, limit: int) -> list[int]:
        of_reader = {"_id": {"$gte": _key(reader, 0), "$lt": _key(reader + 1, 0)}}
        documents = connection.database["clustered_entries"].find(of_reader).sort("_id", -1)
        documents = documents.limit(limit).batch_size(10_000)
        return [int.from_bytes(document["_id"][8:], "big") for document in documents]


class RecipientsInPost:
    """Fan-out on read with the recipients as an array in the message, and an index over them.

    Written once for all readers, and a reader's newest are found by the index; but the index has a key
    for each recipient all the same, and a message is limited to 16 MB of them.
    """

    name = "recipients_in_post"
    collections = ("bench_messages",)

    def fill(
        self, *, recipients: list[int], patterns: list[list[int]], progress: ProgressListener
    ) -> None:
        drop_collections(self)
        messages = connection.database["bench_messages"]
        messages.create_index([("recipients", 1), ("_id", -1)])
        lengths = [len(pattern) for pattern in patterns]
        longest = max(patterns, key=len)

        def new_messages() -> Iterator[Document]:
            for at, activity in enumerate(longest):
                to = [row for i, row in enumerate(recipients) if lengths[i % len(lengths)] > at]
                yield {"_id": activity, "recipients": to}

        for message in new_messages():
            messages.insert_one(message)
        progress.step(number=len(recipients))

    def deliver(self, *, activity: int, recipients: list[int]) -> None:
        messages = connection.database["bench_messages"]
        # Later chunks of the same audience go into the same message.
        messages.update_one(
            {"_id": activity}, {"$push": {"recipients": {"$each": recipients}}}, upsert=True
        )

    def count_entries(self) -> int:
        counted = connection.database["bench_messages"].aggregate(
            [{"$group": {"_id": None, "n": {"$sum": {"$size": "$recipients"}}}}]
        )
        return sum(document["n"] for document in counted)

    def newest_ids(self, *, owner: int) -> list[int]:
        return self._ids(owner, limit=300)

    def all_ids(self, *, owner: int) -> list[int]:
        return self._ids(owner, limit=0)

    def _ids(self, reader: int, *, limit: int) -> list[int]:
        documents = connection.database["bench_messages"].find({"recipients": reader}, {"_id": 1})
        documents = documents.hint([("recipients", 1), ("_id", -1)]).sort("_id", -1).limit(limit)
        return [document["_id"] for document in documents.batch_size(10_000)]


def _key(owner: int, activity: int) -> bytes:
    return owner.to_bytes(8, "big") + activity.to_bytes(8, "big")
