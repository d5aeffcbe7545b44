"""Posts for lists: raw queries into frozen rows, two to three times as fast as model instances."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from pymongo import ASCENDING, DESCENDING

from .collections import Document, posts

FIELDS = {"author_id": 1, "text": 1, "created_at": 1}


@dataclass(frozen=True, slots=True)
class PostRow:
    id: int
    author: int
    text: str
    created_at: datetime


def by_ids(*, ids: Iterable[int]) -> dict[int, PostRow]:
    """The posts that still exist, by id: one command."""
    return {one["_id"]: _row(one) for one in posts().find({"_id": {"$in": list(ids)}}, FIELDS)}


def by_authors(*, authors: Collection[int] | None, below: int | None, limit: int) -> list[PostRow]:
    """The newest posts of these authors (None: of everybody) below an id, newest first."""
    bounds = {} if below is None else {"_id": {"$lt": below}}
    return _find({**_of(authors), **bounds}, DESCENDING, limit)


def by_authors_upwards(*, authors: Collection[int] | None, above: int, limit: int) -> list[PostRow]:
    """The posts of these authors (None: of everybody) just above an id, oldest first."""
    return _find({**_of(authors), "_id": {"$gt": above}}, ASCENDING, limit)


def ids_by_authors(*, authors: Collection[int], above: int, limit: int) -> list[int]:
    """The ids of the newest posts of these authors above an id, newest first."""
    found = posts().find({**_of(authors), "_id": {"$gt": above}}, {"_id": 1})
    return [one["_id"] for one in found.sort("_id", DESCENDING).limit(limit)]


def _of(authors: Collection[int] | None) -> Document:
    return {} if authors is None else {"author_id": {"$in": list(authors)}}


def _find(query: Document, order: int, limit: int) -> list[PostRow]:
    found = posts().find(query, FIELDS).sort("_id", order).limit(limit)
    return [_row(one) for one in found]


def _row(document: Document) -> PostRow:
    return PostRow(
        id=document["_id"],
        author=document["author_id"],
        text=document["text"],
        created_at=document["created_at"].replace(tzinfo=UTC),
    )
