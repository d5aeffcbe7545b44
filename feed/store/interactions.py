"""Read the viewer's interactions with a page of posts, and earlier shares of posts, with one command."""

from collections.abc import Collection
from dataclasses import dataclass

from accounts.infra.store.connection import Document

from .collections import bookmarks, like_buckets, shares
from .likes import NON_EMPTY
from .shares import Share


@dataclass(frozen=True, slots=True)
class Interactions:
    """The ids of the posts on a page that the viewer has shared, liked and bookmarked."""

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
    """Return the viewer's interactions with ``posts``, and earlier shares, oldest first.

    A timeline shows a share only if no other recent share of the same post precedes it, so a page needs
    all earlier shares. One command.

    Args:
        posts: ids of the posts on the page.
        sharers: authors of the earlier shares.
        shared: ids of the posts of the earlier shares.
        before_id: earlier shares have lower ids.
    """
    share_queries: list[Document] = []
    if viewer is not None and posts:
        share_queries.append({"author": viewer, "post": {"$in": list(posts)}})
    if sharers and shared:
        share_queries.append(
            {
                "author": {"$in": list(sharers)},
                "post": {"$in": list(shared)},
                "_id": {"$lt": before_id},
            }
        )
    if not share_queries:
        return Interactions(), []
    unions: list[Document] = []
    if viewer is not None and posts:
        on_page = {"$in": list(posts)}
        unions = [
            _union(like_buckets().name, {"post": on_page, "uids": viewer, **NON_EMPTY}, "liked"),
            _union(bookmarks().name, {"owner": viewer, "post": on_page}, "bookmarked"),
        ]
    documents = list(
        shares().aggregate(
            [{"$match": {"$or": share_queries}}, {"$project": {"author": 1, "post": 1}}, *unions],
            batchSize=400_000,
        )
    )
    all_shares = [
        Share(document["_id"], document["author"], document["post"])
        for document in documents
        if "post" in document
    ]
    viewer_interactions = Interactions(
        shared=frozenset(share.post for share in all_shares if share.author == viewer) & set(posts),
        liked=frozenset(document["liked"] for document in documents if "liked" in document),
        bookmarked=frozenset(
            document["bookmarked"] for document in documents if "bookmarked" in document
        ),
    )
    earlier_shares = [
        share for share in all_shares if share.id < before_id and share.post in shared
    ]
    return viewer_interactions, sorted(earlier_shares, key=lambda share: share.id)


def _union(collection: str, query: Document, name: str) -> Document:
    pipeline = [{"$match": query}, {"$project": {"_id": 0, name: "$post"}}]
    return {"$unionWith": {"coll": collection, "pipeline": pipeline}}
