"""Queries on several collections in one command, because a command costs more than most queries."""

from collections.abc import Iterable, Iterator, Sequence

from .connection import Document, database, session

Query = tuple[str, list[Document]]
"""A collection, and the pipeline that finds documents in it."""

SINGLE_BATCH = 400_000
"""A batch size so large that no result needs a second command."""


class UnionResult:
    """What the queries of ``read_union`` found. Only stores look at its documents."""

    __slots__ = ("_documents",)

    def __init__(self, documents: Iterable[Document] = ()) -> None:
        self._documents = list(documents)

    def having(self, field: str) -> Iterator[Document]:
        """Return the documents with this field. Documents of different queries differ in their fields."""
        return (document for document in self._documents if field in document)


def read_union(*, queries: Sequence[Query]) -> UnionResult:
    """Return the documents that all queries find. One command, none without queries."""
    if not queries:
        return UnionResult()
    (first, pipeline), *others = queries
    unions = [{"$unionWith": {"coll": name, "pipeline": part}} for name, part in others]
    return UnionResult(
        database()[first].aggregate([*pipeline, *unions], batchSize=SINGLE_BATCH, session=session())
    )
