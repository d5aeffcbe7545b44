"""What a page of posts says of its viewer, and which shares came before: one command for all of it."""

from collections.abc import Collection
from dataclasses import dataclass

from .collections import Document, bookmarks, like_buckets, shares
from .likes import NON_EMPTY
from .shares import Share


@dataclass(frozen=True, slots=True)
class Interactions:
    """Which of the posts the viewer has shared, which they like, and which they keep."""

    shared: frozenset[int] = frozenset()
    liked: frozenset[int] = frozenset()
    bookmarked: frozenset[int] = frozenset()


def viewer_interactions(*, viewer: int | None, posts: Collection[int]) -> Interactions:
    return interactions_and_shares(viewer=viewer, posts=posts, sharers=(), shared=(), before_id=0)[
        0
    ]


def interactions_and_shares(
    *,
    viewer: int | None,
    posts: Collection[int],
    sharers: Collection[int],
    shared: Collection[int],
    before_id: int,
) -> tuple[Interactions, list[Share]]:
    """The viewer's marks on ``posts``, and who of ``authors`` has shared any of ``shared`` before an
    id, the earliest first: which of them appeared in a timeline depends on all before it."""
    either: list[Document] = []
    if viewer is not None and posts:
        either.append({"author": viewer, "post": {"$in": list(posts)}})
    if sharers and shared:
        either.append(
            {
                "author": {"$in": list(sharers)},
                "post": {"$in": list(shared)},
                "_id": {"$lt": before_id},
            }
        )
    if not either:
        return Interactions(), []
    others: list[Document] = []
    if viewer is not None and posts:
        among = {"$in": list(posts)}
        others = [
            _union(like_buckets().name, {"post": among, "uids": viewer, **NON_EMPTY}, "liked"),
            _union(bookmarks().name, {"owner": viewer, "post": among}, "kept"),
        ]
    found = list(
        shares().aggregate(
            [{"$match": {"$or": either}}, {"$project": {"author": 1, "post": 1}}, *others],
            batchSize=400_000,
        )
    )
    all_shares = [Share(one["_id"], one["author"], one["post"]) for one in found if "post" in one]
    marks = Interactions(
        shared=frozenset(one.post for one in all_shares if one.author == viewer) & set(posts),
        liked=frozenset(one["liked"] for one in found if "liked" in one),
        bookmarked=frozenset(one["kept"] for one in found if "kept" in one),
    )
    near = [one for one in all_shares if one.id < before_id and one.post in shared]
    return marks, sorted(near, key=lambda one: one.id)


def _union(collection: str, query: Document, name: str) -> Document:
    pipeline = [{"$match": query}, {"$project": {"_id": 0, name: "$post"}}]
    return {"$unionWith": {"coll": collection, "pipeline": pipeline}}
