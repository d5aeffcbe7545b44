"""The strategies of the site as designs of the benchmark."""

from collections.abc import Iterator
from typing import Any, Protocol

from django.utils import timezone

from feed.timeline import strategies
from feed.timeline.store import counted_inboxes as counted_store
from feed.timeline.store import entry_inboxes as entries_store
from feed.timeline.store import inboxes
from feed.timeline.store.seal import BUCKET_SIZE
from feed.timeline.strategies import Strategy, buckets, counted_buckets, fan_out_on_write

from .database import Document, connection, insert_batches
from .progress import ProgressListener
from .workload import generation_of


class DeliveryDesign(Protocol):
    """A way to deliver posts. ``collections`` are the names of all its collections."""

    @property
    def name(self) -> str: ...
    @property
    def collections(self) -> tuple[str, ...]: ...

    def fill(
        self, *, recipients: list[int], patterns: list[list[int]], progress: ProgressListener
    ) -> None:
        """Replace the inboxes of the recipients.

        Recipient ``i`` gets the activities of ``patterns[i % len(patterns)]``. Each recipient is one step
        of the progress.
        """

    def deliver(self, *, activity: int, recipients: list[int]) -> None: ...

    def count_entries(self) -> int:
        """Return the number of stored entries of all inboxes."""

    def newest_ids(self, *, owner: int) -> list[int]:
        """Return the ids that a first page reads, newest first. The list may be longer than a page."""

    def all_ids(self, *, owner: int) -> list[int]:
        """Return the ids that a deep page reads."""


class StrategyDesign:
    def __init__(
        self,
        *,
        name: str,
        strategy: Strategy,
        store: Any,
        heads: str,
        parts: str,
        entries: tuple[str, Any],
    ) -> None:
        """Wrap a strategy.

        Args:
            store: the store of the strategy's ``Lifecycle``, which creates inboxes.
            heads: the collection of heads.
            parts: the collection of the other documents.
            entries: ``(collection, expression)``. The expression counts the entries of a document of the
                collection, which is ``heads`` or ``parts``.
        """
        self.name, self.collections = name, (heads, parts)
        self._strategy, self._store, self._entries = strategy, store, entries

    def fill(
        self, *, recipients: list[int], patterns: list[list[int]], progress: ProgressListener
    ) -> None:
        """Create one inbox for each pattern with the site's functions. Copy it for the other recipients."""
        drop_collections(self)
        for store in (inboxes, entries_store, counted_store):
            store.create_indexes()
        models = recipients[: len(patterns)]
        for owner, stored in zip(models, patterns, strict=False):
            now, gen = timezone.now(), generation_of(owner)
            self._store.create_head(owner=owner, gen=gen, now=now)
            self._store.finish_build(owner=owner, gen=gen, missing=stored, floor=0, now=now)
            progress.step()
        if self._strategy is buckets:
            buckets.seal(owners=models)
        heads, parts = (connection.database[name] for name in self.collections)
        head_of = [heads.find_one({"_id": owner}) for owner in models]
        parts_of = [list(parts.find({"owner": owner}, {"_id": 0})) for owner in models]
        others = list(enumerate(recipients))[len(models) :]

        def new_heads() -> Iterator[Document]:
            for i, owner in others:
                progress.step()
                yield {**head_of[i % len(models)], "_id": owner, "gen": generation_of(owner)}

        def new_parts() -> Iterator[Document]:
            for i, owner in others:
                for part in parts_of[i % len(models)]:
                    yield {**part, "owner": owner, "gen": generation_of(owner)}

        insert_batches(collection=heads, documents=new_heads())
        insert_batches(collection=parts, documents=new_parts())

    def deliver(self, *, activity: int, recipients: list[int]) -> None:
        self._strategy.deliver(activity=activity, recipients=recipients)

    def count_entries(self) -> int:
        collection, number = self._entries
        counted = connection.database[collection].aggregate(
            [{"$group": {"_id": None, "n": {"$sum": number}}}]
        )
        return sum(document["n"] for document in counted)

    def newest_ids(self, *, owner: int) -> list[int]:
        return self._strategy.read_inbox(owner=owner).newest_ids

    def all_ids(self, *, owner: int) -> list[int]:
        return self._strategy.read_inbox(owner=owner).read_all()[0]


class BucketsInThreads:
    """The default strategy as workers deliver to large audiences, with ``DELIVERY_THREADS`` threads.

    The inboxes are those of ``BUCKETS``, which delivers with one thread. So both push to heads of the same
    lengths. Each post has a second id for this design, because an inbox refuses the same id twice.
    """

    name = "buckets_in_threads"

    def deliver(self, *, activity: int, recipients: list[int]) -> None:
        threads = strategies.DELIVERY_THREADS
        buckets.deliver(activity=activity + 1, recipients=recipients, threads=threads)


BUCKETS = StrategyDesign(
    name="buckets",
    strategy=buckets,
    store=inboxes.lifecycle,
    heads="inbox_heads",
    parts="inbox_buckets",
    # Counted in the heads, because ``inbox_buckets`` may still have dropped buckets.
    entries=(
        "inbox_heads",
        {"$add": [{"$size": "$ids"}, {"$multiply": [BUCKET_SIZE, {"$size": "$buckets"}]}]},
    ),
)
FAN_OUT_ON_WRITE = StrategyDesign(
    name="fan_out_on_write",
    strategy=fan_out_on_write,
    store=entries_store.lifecycle,
    heads="entry_heads",
    parts="inbox_entries",
    entries=("inbox_entries", 1),
)
COUNTED_BUCKETS = StrategyDesign(
    name="counted_buckets",
    strategy=counted_buckets,
    store=counted_store.lifecycle,
    heads="counted_heads",
    parts="counted_buckets",
    entries=("counted_buckets", {"$size": "$ids"}),
)


def drop_collections(contender: DeliveryDesign) -> None:
    for name in contender.collections:
        connection.database.drop_collection(name)
