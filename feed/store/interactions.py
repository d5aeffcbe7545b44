"""Read the viewer's interactions with a page of posts, and earlier shares of posts, with one command."""

from collections.abc import Collection
from dataclasses import dataclass

from accounts.infra.store.connection import Document
from feed import providers

from .collections import bookmarks, like_buckets, pins, shares
from .likes import NON_EMPTY
from .pins import pins_on_page
from .shares import Share


@dataclass(frozen=True, slots=True)
class Interactions:
    """The ids of the posts on a page that the viewer has shared, liked, bookmarked, pinned or muted.

    Viewers pin only their own posts. Nobody notifies a viewer about a muted post.
    """

    shared: frozenset[int] = frozenset()
    liked: frozenset[int] = frozenset()
    bookmarked: frozenset[int] = frozenset()
    pinned: frozenset[int] = frozenset()
    muted: frozenset[int] = frozenset()


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
            _union(
                like_buckets().name,
                [{"$match": {"post": on_page, "uids": viewer, **NON_EMPTY}}],
                "liked",
            ),
            _union(
                bookmarks().name, [{"$match": {"owner": viewer, "post": on_page}}], "bookmarked"
            ),
            _union(pins().name, pins_on_page(author=viewer, posts=posts), "pinned"),
            *(
                _union(name, pipeline, "muted")
                for name, pipeline in providers.muted_posts_queries(viewer=viewer, posts=posts)
            ),
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
        **{
            name: frozenset(document[name] for document in documents if name in document)
            for name in ("liked", "bookmarked", "pinned", "muted")
        },
    )
    earlier_shares = [
        share for share in all_shares if share.id < before_id and share.post in shared
    ]
    return viewer_interactions, sorted(earlier_shares, key=lambda share: share.id)


def _union(collection: str, pipeline: list[Document], name: str) -> Document:
    project = {"$project": {"_id": 0, name: "$post"}}
    return {"$unionWith": {"coll": collection, "pipeline": [*pipeline, project]}}
