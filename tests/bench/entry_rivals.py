"""Rival designs that store a document or an index key for each delivery."""

from collections.abc import Iterator

from .database import Document, connection, insert_batches
from .progress import ProgressListener
from .strategy_designs import drop_collections


class Clustered:
    """One document for each delivery in a clustered collection, which needs no separate index.

    A document consists of its ``_id``: sixteen bytes, recipient and activity, both big-endian. The entries
    of a recipient are adjacent and ordered by time, so a post causes inserts all over the collection. No
    design with one document per delivery costs less, because this design neither checks for warm users nor
    trims inboxes.
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

    def _ids(self, recipient: int, *, limit: int) -> list[int]:
        entries_of_recipient = {"_id": {"$gte": _key(recipient, 0), "$lt": _key(recipient + 1, 0)}}
        documents = (
            connection.database["clustered_entries"].find(entries_of_recipient).sort("_id", -1)
        )
        documents = documents.limit(limit).batch_size(10_000)
        return [int.from_bytes(document["_id"][8:], "big") for document in documents]


class RecipientsInPost:
    """Fan-out on read with an indexed array of recipients in the message.

    A post is written once for all recipients, and the index finds the newest posts of a recipient. Still,
    the index has a key for each recipient, and a message with all its recipients cannot exceed 16 MB.
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
                message_recipients = [
                    uid for i, uid in enumerate(recipients) if lengths[i % len(lengths)] > at
                ]
                yield {"_id": activity, "recipients": message_recipients}

        for message in new_messages():
            messages.insert_one(message)
        progress.step(number=len(recipients))

    def deliver(self, *, activity: int, recipients: list[int]) -> None:
        messages = connection.database["bench_messages"]
        # Later chunks of the same audience are added to the same message.
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

    def _ids(self, recipient: int, *, limit: int) -> list[int]:
        documents = connection.database["bench_messages"].find(
            {"recipients": recipient}, {"_id": 1}
        )
        documents = documents.hint([("recipients", 1), ("_id", -1)]).sort("_id", -1).limit(limit)
        return [document["_id"] for document in documents.batch_size(10_000)]


def _key(owner: int, activity: int) -> bytes:
    return owner.to_bytes(8, "big") + activity.to_bytes(8, "big")
