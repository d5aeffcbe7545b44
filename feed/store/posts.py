"""Queries for lists of posts, which return ``PostRow`` objects."""

from collections.abc import Collection, Iterable, Sequence

from accounts.infra.store.connection import Document
from accounts.infra.store.unions import Query, UnionResult

from .attributes import AUTHOR_TAG_INDEX, author_tag_query
from .collections import merged_posts, posts
from .post_rows import (
    ALL_IDS,
    NO_LATE_IMPORTS,
    POST_FIELDS,
    QUOTED_BY_SHARED,
    IdRange,
    PostRow,
    find_rows,
    post_row,
    range_of_first,
)

AUTHOR_INDEX = "post_by_author"
AUTHORS_PER_QUERY = 150
"""Number of authors in one part of a query, below the server's limit of 200 (see ``_find``).

The limit is the server parameter ``internalQueryMaxScansToExplode``.
"""


def by_ids(*, ids: Iterable[int]) -> dict[int, PostRow]:
    """Return a mapping of ids to posts, without deleted posts. One command."""
    post_ids = list(ids)
    documents = posts().find({"_id": {"$in": post_ids}}, POST_FIELDS)
    return {
        document["_id"]: post_row(document) for document in documents.batch_size(len(post_ids) + 1)
    }


def post_queries(*, id: int) -> list[Query]:
    """Return the query for one post, to read it with others in one command (``read_union``)."""
    return [(posts().name, [{"$match": {"_id": id}}, {"$project": POST_FIELDS}])]


def post_in(*, union: UnionResult) -> PostRow | None:
    """Return the post in a result that includes that of ``post_queries``, None if it is deleted."""
    return next((post_row(row) for row in union.having("author_id")), None)


def authors_of(*, ids: Iterable[int]) -> dict[int, int]:
    """Return a mapping of post ids to the uids of their authors, without deleted posts. One command."""
    rows = posts().find({"_id": {"$in": list(ids)}}, {"author_id": 1})
    return {row["_id"]: row["author_id"] for row in rows}


def posts_with_merged(
    *,
    ids: list[int],
    authors: list[int],
    hashtags: list[str],
    id_range: IdRange,
    limit: int,
) -> tuple[dict[int, PostRow], list[int]]:
    """Return the posts with these ids together with the posts that are merged on read. One command.

    Two kinds of posts are merged: posts of ``authors`` that were not delivered (``merged_posts``), and
    public posts with any of ``hashtags``. Of each kind, the first ``limit`` posts in ``id_range`` are read,
    or the first ``limit`` per ``AUTHORS_PER_QUERY`` authors.

    Returns:
        A mapping of ids to all these posts, without deleted posts.
        The ids of the merged posts, which may include deleted posts.
    """
    bounds = {"post": id_range.query["_id"]} if id_range.query else {}
    with_posts: list[Document] = [
        {"$sort": {"post": id_range.order}},
        {"$limit": limit},
        {
            "$lookup": {
                "from": posts().name,
                "localField": "post",
                "foreignField": "_id",
                "pipeline": [{"$project": POST_FIELDS}],
                "as": "posts",
            }
        },
        {
            "$replaceRoot": {
                "newRoot": {
                    "$mergeObjects": [{"_id": "$post", "merged": True}, {"$first": "$posts"}]
                }
            }
        },
    ]
    parts = [
        authors[at : at + AUTHORS_PER_QUERY] for at in range(0, len(authors), AUTHORS_PER_QUERY)
    ]
    tagged_posts: list[Document] = []
    if hashtags:
        set_merged: Document = {"$set": {"merged": True}}
        by_tag = _by_hashtags(hashtags, id_range, limit)
        tagged_posts = [_union([*by_tag, {"$project": POST_FIELDS}, set_merged])]
    documents = posts().aggregate(
        [
            {"$match": {"_id": {"$in": ids}}},
            {"$project": POST_FIELDS},
            *(
                {
                    "$unionWith": {
                        "coll": merged_posts().name,
                        "pipeline": [{"$match": {"author": {"$in": part}, **bounds}}, *with_posts],
                    }
                }
                for part in parts
            ),
            *tagged_posts,
        ],
        batchSize=len(ids) + limit * (len(parts) + 1) + 1,
    )
    rows, merged_ids = {}, []
    for document in documents:
        if "merged" in document:
            merged_ids.append(document["_id"])
        if "author_id" in document:  # the post still exists
            rows[document["_id"]] = post_row(document)
    return rows, merged_ids


def post_counts(*, authors: Collection[int]) -> dict[int, tuple[int, int]]:
    """Return ``(number, newest_id)`` of each author's public and unlisted posts, including shares.

    Hidden posts do not count. One command. The server reads only the index, no posts: a condition on
    ``hidden`` in ``$match`` would read those without the field.
    """
    is_visible = {"$in": [{"$ifNull": ["$hidden", ""]}, [""]]}
    documents = posts().aggregate(
        [
            {
                "$match": {
                    "author_id": {"$in": list(authors)},
                    "visibility": {"$in": ["public", "unlisted"]},
                }
            },
            {
                "$group": {
                    "_id": "$author_id",
                    "n": {"$sum": {"$cond": [is_visible, 1, 0]}},
                    "newest": {"$max": {"$cond": [is_visible, "$_id", 0]}},
                }
            },
        ],
        hint="post_visible_count",
        batchSize=len(authors) + 1,
    )
    return {document["_id"]: (document["n"], document["newest"]) for document in documents}


def by_authors(
    *,
    authors: Collection[int],
    viewer: int | None,
    id_range: IdRange,
    limit: int,
    excluded_visibilities: Collection[str] = ("direct",),
    hashtags: Collection[str] = (),
    extra_filter: Document | None = None,
    in_timeline: bool = False,
) -> list[PostRow]:
    """Return the posts of these authors in the order of ``id_range``.

    Args:
        in_timeline: True for timelines of several authors, which leave out late imports (``LATE_IMPORT``).
        excluded_visibilities: visibilities of posts to leave out. Posts by the viewer, or with the viewer
            as a recipient, are never left out.
        hashtags: public posts of other authors with any of these hashtags are returned, too.
        extra_filter: a filter from ``author_filter``.
    """
    documents = _find(
        authors,
        viewer,
        id_range,
        limit,
        POST_FIELDS,
        excluded_visibilities,
        hashtags,
        extra_filter,
        in_timeline=in_timeline,
    )
    return [post_row(document) for document in documents]


def visibility_filter(*, viewer: int | None, excluded_visibilities: Collection[str]) -> Document:
    """Return the query that leaves out ``excluded_visibilities`` (``by_authors``)."""
    others: Document = {"visibility": {"$nin": list(excluded_visibilities)}}
    if viewer is None:
        return others
    return {"$or": [others, {"author_id": viewer}, {"recipients": viewer}]}


def public_posts(*, id_range: IdRange, limit: int, kinds: Collection[str]) -> list[PostRow]:
    """Return public posts of these kinds, without shares, in the order of ``id_range``."""
    query = {
        "visibility": "public",
        "share_of": None,
        "kind": {"$in": list(kinds)},
        **NO_LATE_IMPORTS,
    }
    return find_rows(query=query, id_range=id_range, limit=limit)


def by_author_with_tag(
    *,
    author: int,
    tag: str,
    viewer: int | None,
    id_range: IdRange,
    limit: int,
    excluded_visibilities: Collection[str],
) -> list[PostRow]:
    """Return an author's posts with this hashtag in the order of ``id_range``.

    The arguments are those of ``by_authors``. One command, which reads only posts with the hashtag.
    """
    query = {
        **author_tag_query(author=author, tags=[tag]),
        **visibility_filter(viewer=viewer, excluded_visibilities=excluded_visibilities),
    }
    return find_rows(query=query, id_range=id_range, limit=limit, hint=AUTHOR_TAG_INDEX)


def ids_by_authors(
    *,
    authors: Collection[int],
    viewer: int | None,
    limit: int,
    id_range: IdRange = ALL_IDS,
    excluded_visibilities: Collection[str] = ("direct",),
    in_timeline: bool = True,
) -> list[int]:
    """Return the ids of the posts of these authors. The arguments are those of ``by_authors``."""
    fields = {"_id": 1}
    documents = _find(
        authors,
        viewer,
        id_range,
        limit,
        fields,
        excluded_visibilities,
        in_timeline=in_timeline,
    )
    return [document["_id"] for document in documents]


def ids_and_authors(
    *, authors: Collection[int], viewer: int, kinds: Collection[str], limit: int
) -> list[tuple[int, int]]:
    """Return ``(id, author)`` of the newest posts of these activity kinds, newest first. One command.

    Direct posts to other users and late imports are left out.
    """
    of_kinds = {"kind": {"$in": list(kinds)}}
    fields = {"author_id": 1}
    documents = _find(
        authors, viewer, ALL_IDS, limit, fields, extra_filter=of_kinds, in_timeline=True
    )
    return [(document["_id"], document["author_id"]) for document in documents]


def delete_shares_of_post(*, post: int) -> None:
    """Delete the share activities of a deleted post."""
    posts().delete_many({"share_of": {"$eq": post, "$gt": 0}})


def _find(
    authors: Collection[int],
    viewer: int | None,
    id_range: IdRange,
    limit: int,
    fields: Document,
    excluded_visibilities: Collection[str] = ("direct",),
    hashtags: Collection[str] = (),
    extra_filter: Document | None = None,
    *,
    in_timeline: bool = False,
) -> Iterable[Document]:
    """Find posts of any number of authors with one command.

    If ``$in`` has at most 200 values, the server merges sorted ranges of the index and stops at the limit.
    For more values, the server would read and sort all posts of the authors. So the query has one part per
    ``AUTHORS_PER_QUERY`` authors.
    """
    author_ids = list(authors)
    visible = visibility_filter(viewer=viewer, excluded_visibilities=excluded_visibilities)
    parts: list[list[Document]] = [
        [
            {
                "$match": {
                    "author_id": {"$in": part},
                    **id_range.query,
                    **visible,
                    **(extra_filter or {}),
                    **(NO_LATE_IMPORTS if in_timeline else {}),
                }
            },
            {"$sort": {"_id": id_range.order}},
            {"$limit": limit},
        ]
        for part in (
            author_ids[at : at + AUTHORS_PER_QUERY]
            for at in range(0, max(1, len(author_ids)), AUTHORS_PER_QUERY)
        )
    ]
    if hashtags:
        parts.append(_by_hashtags(hashtags, id_range, limit, excluded_authors=author_ids))
    rest = [_union(part) for part in parts[1:]]
    sort: Document = {"$sort": {"_id": id_range.order}}
    merged = [sort, {"$limit": limit}] if rest else []
    # With an extra filter, the planner may choose an index that contains posts of all authors, which is
    # slower.
    by_author: Document = {"hint": AUTHOR_INDEX} if extra_filter else {}
    pipeline = [*parts[0], *rest, *merged, {"$project": fields}]
    return posts().aggregate(pipeline, batchSize=limit + 1, **by_author)


def _by_hashtags(
    hashtags: Collection[str],
    id_range: IdRange,
    limit: int,
    excluded_authors: Collection[int] = (),
) -> list[Document]:
    """Return the pipeline for public posts with any of these hashtags.

    For up to 200 hashtags, the server merges sorted ranges of the attribute index, so it reads few posts.
    """
    about = {"$elemMatch": {"kind": "hashtag", "value": {"$in": list(hashtags)}}}
    others = {"author_id": {"$nin": list(excluded_authors)}} if excluded_authors else {}
    return [
        {
            "$match": {
                "attributes": about,
                "visibility": "public",
                **others,
                **id_range.query,
                **NO_LATE_IMPORTS,
            }
        },
        {"$sort": {"_id": id_range.order}},
        {"$limit": limit},
    ]


def _union(pipeline: list[Document]) -> Document:
    return {"$unionWith": {"coll": posts().name, "pipeline": pipeline}}


MAX_EXAMINED = 2000
"""Number of an author's posts that one query with an ``author_filter`` examines.

No index supports these filters. Without a limit, a query could read all posts of an author.
"""


def author_filter(
    *,
    with_pictures: bool = False,
    without_shares: bool = False,
    hashtag: str = "",
    kind: str = "",
) -> Document:
    """Return a filter of an author's posts, for ``by_authors``. ``kind``: the name of an activity kind."""
    query: Document = {"kind": kind} if kind else {}
    if with_pictures:
        query["media"] = {"$nin": [None, []]}
    if with_pictures or without_shares:
        query["share_of"] = None
    if hashtag:
        query["attributes"] = {"$elemMatch": {"kind": "hashtag", "value": hashtag}}
    return query


def examined_range(
    *,
    author: int,
    viewer: int | None,
    id_range: IdRange,
    excluded_visibilities: Collection[str],
) -> tuple[IdRange, int | None]:
    """Return the range of the next ``MAX_EXAMINED`` posts of an author that the viewer may read.

    Also return the id of the last post in the range, as ``range_of_first`` does.
    """
    query = {
        "author_id": author,
        **visibility_filter(viewer=viewer, excluded_visibilities=excluded_visibilities),
    }
    return range_of_first(query=query, id_range=id_range, number=MAX_EXAMINED, hint=AUTHOR_INDEX)


def related_posts_of(*, entries: Sequence[PostRow]) -> dict[int, PostRow]:
    """Return the posts that ``entries`` share or quote, and the posts that shared posts quote.

    The keys are ids. Deleted posts are left out. One command, or none if nothing is shared or quoted. A
    share stores which post its post quotes, or else that post needs a second command.
    """
    ids = {
        related_id
        for row in entries
        for related_id in (row.share_of, row.quoted_id, row.details.get(QUOTED_BY_SHARED))
        if related_id is not None
    }
    rows = by_ids(ids=ids) if ids else {}
    shared_rows = (rows[row.share_of] for row in entries if row.share_of in rows)
    missing_ids = {row.quoted_id for row in shared_rows if row.quoted_id is not None} - ids
    return rows | by_ids(ids=missing_ids) if missing_ids else rows
