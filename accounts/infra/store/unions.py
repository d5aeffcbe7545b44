"""Queries on several collections in one command, because a command costs more than most queries."""

from collections.abc import Sequence

from .connection import Document, database, session

Query = tuple[str, list[Document]]
"""A collection, and the pipeline that finds documents in it."""

SINGLE_BATCH = 400_000
"""A batch size so large that no result needs a second command."""


def read_union(*, queries: Sequence[Query]) -> list[Document]:
    """Return the documents that all queries find. One command, none without queries.

    Callers tell the documents of different queries apart by their fields.
    """
    if not queries:
        return []
    (first, pipeline), *others = queries
    unions = [{"$unionWith": {"coll": name, "pipeline": part}} for name, part in others]
    return list(
        database()[first].aggregate([*pipeline, *unions], batchSize=SINGLE_BATCH, session=session())
    )
