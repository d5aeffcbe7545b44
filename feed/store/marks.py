"""What a page of posts says of its viewer, and which shares came before: one command for all of it."""

from collections.abc import Collection
from dataclasses import dataclass

from .collections import Document, bookmarks, like_buckets, shares
from .likes import HELD
from .shares import Share


@dataclass(frozen=True, slots=True)
class Marks:
    """Which of the posts the viewer has shared, which they like, and which they keep."""

    shared: frozenset[int] = frozenset()
    liked: frozenset[int] = frozenset()
    kept: frozenset[int] = frozenset()


def of_viewer(*, viewer: int | None, posts: Collection[int]) -> Marks:
    return with_shares(viewer=viewer, posts=posts, authors=(), shared=(), below=0)[0]


def with_shares(
    *,
    viewer: int | None,
    posts: Collection[int],
    authors: Collection[int],
    shared: Collection[int],
    below: int,
) -> tuple[Marks, list[Share]]:
    """The viewer's marks on ``posts``, and who of ``authors`` has shared any of ``shared`` before an
    id, the earliest first: which of them appeared in a timeline depends on all before it."""
    either: list[Document] = []
    if viewer is not None and posts:
        either.append({"author": viewer, "post": {"$in": list(posts)}})
    if authors and shared:
        either.append(
            {
                "author": {"$in": list(authors)},
                "post": {"$in": list(shared)},
                "_id": {"$lt": below},
            }
        )
    if not either:
        return Marks(), []
    others: list[Document] = []
    if viewer is not None and posts:
        among = {"$in": list(posts)}
        others = [
            _union(like_buckets().name, {"post": among, "uids": viewer, **HELD}, "liked"),
            _union(bookmarks().name, {"owner": viewer, "post": among}, "kept"),
        ]
    found = list(
        shares().aggregate(
            [{"$match": {"$or": either}}, {"$project": {"author": 1, "post": 1}}, *others],
            batchSize=400_000,
        )
    )
    all_shares = [Share(one["_id"], one["author"], one["post"]) for one in found if "post" in one]
    marks = Marks(
        shared=frozenset(one.post for one in all_shares if one.author == viewer) & set(posts),
        liked=frozenset(one["liked"] for one in found if "liked" in one),
        kept=frozenset(one["kept"] for one in found if "kept" in one),
    )
    near = [one for one in all_shares if one.id < below and one.post in shared]
    return marks, sorted(near, key=lambda one: one.id)


def _union(collection: str, query: Document, name: str) -> Document:
    pipeline = [{"$match": query}, {"$project": {"_id": 0, name: "$post"}}]
    return {"$unionWith": {"coll": collection, "pipeline": pipeline}}
