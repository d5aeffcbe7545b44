"""The viewer's interactions with the posts on a page, and earlier shares of posts.

Pages read these with other data in one command (``read_union``), so there are functions for the queries,
and functions that read the result.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from accounts.infra.store.connection import Document
from accounts.infra.store.unions import Query, UnionResult
from feed import providers
from feed.activities import activity_kind

from .answers import answers_query
from .collections import bookmarks, like_buckets, pins, shares
from .likes import NON_EMPTY
from .pins import pins_on_page
from .post_rows import PostRow
from .shares import Share


@dataclass(frozen=True, slots=True)
class Interactions:
    """The ids of the posts on a page that the viewer has shared, liked, bookmarked, pinned or muted.

    Viewers pin only their own posts. Nobody notifies a viewer about a muted post. ``answers``
    has the viewer's answers by post, as bit masks (``answers``).
    """

    shared: frozenset[int] = frozenset()
    liked: frozenset[int] = frozenset()
    bookmarked: frozenset[int] = frozenset()
    pinned: frozenset[int] = frozenset()
    muted: frozenset[int] = frozenset()
    answers: Mapping[int, int] = field(default_factory=dict)


SETS = ("shared", "liked", "bookmarked", "pinned", "muted")


def interaction_queries(
    *, viewer: int | None, posts: Collection[int], rows: Collection[PostRow] = ()
) -> list[Query]:
    """Return the queries for the viewer's interactions with ``posts``, none without posts or a viewer.

    ``rows``: the rows of the posts, which the viewer may have answered.
    """
    if viewer is None or not posts:
        return []
    answered = [row.id for row in rows if activity_kind(row.kind).takes_answers]
    on_page = {"$in": list(posts)}
    return [
        _query("shared", shares().name, [{"$match": {"author": viewer, "post": on_page}}]),
        _query(
            "liked",
            like_buckets().name,
            [{"$match": {"post": on_page, "uids": viewer, **NON_EMPTY}}],
        ),
        _query("bookmarked", bookmarks().name, [{"$match": {"owner": viewer, "post": on_page}}]),
        _query("pinned", pins().name, pins_on_page(author=viewer, posts=posts)),
        *(_query("muted", *query(viewer, posts)) for query in providers.muted_posts_queries),
        *([answers_query(viewer=viewer, posts=answered)] if answered else ()),
    ]


def interactions_in(*, union: UnionResult) -> Interactions:
    """Return the interactions in a result that includes that of ``interaction_queries``."""
    answers = {row["answered"]: row["choices"] for row in union.having("answered")}
    sets = {name: frozenset(row[name] for row in union.having(name)) for name in SETS}
    return Interactions(**sets, answers=answers)


def share_queries(
    *, sharers: Collection[int], posts: Collection[int], before_id: int
) -> list[Query]:
    """Return the query for shares of ``posts`` by ``sharers`` with ids below ``before_id``.

    A timeline shows a share only if no other recent share of the same post precedes it, so a page needs
    all earlier shares.
    """
    if not sharers or not posts:
        return []
    query = {
        "author": {"$in": list(sharers)},
        "post": {"$in": list(posts)},
        "_id": {"$lt": before_id},
    }
    return [(shares().name, [{"$match": query}, {"$project": {"author": 1, "post": 1}}])]


def shares_in(*, union: UnionResult) -> list[Share]:
    """Return the shares in a result that includes that of ``share_queries``, oldest first."""
    all_shares = [
        Share(document["_id"], document["author"], document["post"])
        for document in union.having("post")
    ]
    return sorted(all_shares, key=lambda share: share.id)


def _query(name: str, collection: str, pipeline: list[Document]) -> Query:
    """Return a query for documents ``{<name>: post}``. The pipeline finds documents with ``post``."""
    return collection, [*pipeline, {"$project": {"_id": 0, name: "$post"}}]
