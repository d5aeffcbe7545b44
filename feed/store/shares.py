"""Who has shared what: ``shares {_id: activity id, author, post}``, unique (author, post).

The activity of a share is a post of its own (``models.Post.share_of``); this small fact beside it, written
in the same transaction, makes sharing twice impossible and tells which of many people have shared which
of many posts, from the index alone.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, cast

from django.db import connection
from pymongo import ASCENDING, DESCENDING

from .collections import shares


@dataclass(frozen=True, slots=True)
class Share:
    id: int
    author: int
    post: int


def prepare() -> None:
    shares().create_index([("author", ASCENDING), ("post", ASCENDING)], unique=True)
    # As the other, with the id: answers ``among`` without reading a document.
    shares().create_index([("author", ASCENDING), ("post", ASCENDING), ("_id", ASCENDING)])
    shares().create_index([("post", ASCENDING), ("_id", DESCENDING)])


def insert(*, share: Share) -> None:
    """Raises DuplicateKeyError if the author has shared the post already."""
    document = {"_id": share.id, "author": share.author, "post": share.post}
    shares().insert_one(document, session=_session())


def get(*, author: int, post: int) -> Share | None:
    found = shares().find_one({"author": author, "post": post}, session=_session())
    return None if found is None else Share(found["_id"], found["author"], found["post"])


def delete(*, share: Share) -> None:
    shares().delete_one(
        {"_id": share.id, "author": share.author, "post": share.post}, session=_session()
    )


def among(
    *,
    viewer: int | None,
    viewed: Collection[int],
    authors: Collection[int],
    shared: Collection[int],
    above: int,
    below: int,
) -> tuple[set[int], list[Share]]:
    """Which of ``viewed`` the viewer has shared, and who of ``authors`` has shared any of ``shared``
    between two ids, the earliest first: one command.
    """
    either: list[dict[str, Any]] = []
    if viewer is not None and viewed:
        either.append({"author": viewer, "post": {"$in": list(viewed)}})
    if authors and shared:
        either.append(
            {
                "author": {"$in": list(authors)},
                "post": {"$in": list(shared)},
                "_id": {"$gt": above, "$lt": below},
            }
        )
    if not either:
        return set(), []
    found = [
        Share(one["_id"], one["author"], one["post"])
        for one in shares().find({"$or": either}).batch_size(400_000)
    ]
    own = {one.post for one in found if one.author == viewer}.intersection(viewed)
    near = [one for one in found if above < one.id < below and one.post in shared]
    return own, sorted(near, key=lambda one: one.id)


def delete_all_of(*, post: int) -> None:
    shares().delete_many({"post": post})


def _session() -> Any:
    return cast("Any", connection).session
