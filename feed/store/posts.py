"""Queries for lists of posts, which return ``PostRow`` objects."""

from collections.abc import Collection, Iterable, Sequence

from pymongo import ASCENDING, DESCENDING

from accounts.infra.store.connection import Document

from .attributes import ATTRIBUTE_INDEX
from .collections import merged_posts, posts
from .post_rows import POST_FIELDS, IdRange, PostRow, post_row

AUTHOR_INDEX = "post_by_author"
AUTHORS_PER_QUERY = 150
"""Authors in one part of a query; the server's own limit is 200 (internalQueryMaxScansToExplode)."""


def by_ids(*, ids: Iterable[int]) -> dict[int, PostRow]:
    """Return the posts that still exist, by id: one command."""
    post_ids = list(ids)
    documents = posts().find({"_id": {"$in": post_ids}}, POST_FIELDS)
    return {
        document["_id"]: post_row(document) for document in documents.batch_size(len(post_ids) + 1)
    }


def authors_of(*, ids: Iterable[int]) -> dict[int, int]:
    """Return the uids of the authors by post; deleted posts are left out. One command."""
    rows = posts().find({"_id": {"$in": list(ids)}}, {"author_id": 1})
    return {row["_id"]: row["author_id"] for row in rows}


def posts_with_merged(
    *,
    ids: list[int],
    authors: list[int],
    hashtags: list[str],
    id_range: IdRange,
    limit: int,
    ascending: bool = False,
) -> tuple[dict[int, PostRow], list[int]]:
    """The posts with these ids and, merged when they are read, those of these authors that are not pushed
    and public ones with these hashtags: one command.

    The merged are also told by their ids: the first ``limit`` from the beginning of the bounds.
    """
    order = ASCENDING if ascending else DESCENDING
    posted = {"post": id_range.query["_id"]} if id_range.query else {}
    shown: list[Document] = [
        {"$sort": {"post": order}},
        {"$limit": limit},
        {
            "$lookup": {
                "from": posts().name,
                "localField": "post",
                "foreignField": "_id",
                "pipeline": [{"$project": POST_FIELDS}],
                "as": "found",
            }
        },
        {
            "$replaceRoot": {
                "newRoot": {
                    "$mergeObjects": [{"_id": "$post", "merged": True}, {"$first": "$found"}]
                }
            }
        },
    ]
    parts = [
        authors[at : at + AUTHORS_PER_QUERY] for at in range(0, len(authors), AUTHORS_PER_QUERY)
    ]
    tagged: list[Document] = []
    if hashtags:
        mark: Document = {"$set": {"merged": True}}
        tagged = [
            _union([*_tagged(hashtags, id_range, order, limit), {"$project": POST_FIELDS}, mark])
        ]
    found = posts().aggregate(
        [
            {"$match": {"_id": {"$in": ids}}},
            {"$project": POST_FIELDS},
            *(
                {
                    "$unionWith": {
                        "coll": merged_posts().name,
                        "pipeline": [{"$match": {"author": {"$in": part}, **posted}}, *shown],
                    }
                }
                for part in parts
            ),
            *tagged,
        ],
        batchSize=len(ids) + limit * (len(parts) + 1) + 1,
    )
    rows, of_merged = {}, []
    for document in found:
        if "merged" in document:
            of_merged.append(document["_id"])
        if "author_id" in document:  # not gone
            rows[document["_id"]] = post_row(document)
    return rows, of_merged


def post_counts(*, authors: Collection[int]) -> dict[int, tuple[int, int]]:
    """How many posts and shares for everybody each of these has published, and the id of the newest: one
    command on the index alone."""
    counted = posts().aggregate(
        [
            {
                "$match": {
                    "author_id": {"$in": list(authors)},
                    "visibility": {"$in": ["public", "unlisted"]},
                }
            },
            {"$project": {"author_id": 1, "visibility": 1}},
            {"$group": {"_id": "$author_id", "n": {"$sum": 1}, "newest": {"$max": "$_id"}}},
        ],
        hint="post_count",
        batchSize=len(authors) + 1,
    )
    return {document["_id"]: (document["n"], document["newest"]) for document in counted}


def by_authors(
    *,
    authors: Collection[int],
    viewer: int | None,
    id_range: IdRange,
    limit: int,
    ascending: bool = False,
    excluded_visibilities: Collection[str] = ("direct",),
    hashtags: Collection[str] = (),
    extra_filter: Document | None = None,
) -> list[PostRow]:
    """The newest posts of these authors, newest first, or with ``upwards`` the oldest, oldest first; with
    ``tags`` also public posts of others that have any of these hashtags.

    Without posts of the visibilities ``kept_back``, unless the reader has written or is to have them; with
    ``only`` (of ``narrowed``) no others.
    """
    order = ASCENDING if ascending else DESCENDING
    found = _find(
        authors,
        viewer,
        id_range,
        order,
        limit,
        POST_FIELDS,
        excluded_visibilities,
        hashtags,
        extra_filter,
    )
    return [post_row(one) for one in found]


def visibility_filter(*, viewer: int | None, excluded_visibilities: Collection[str]) -> Document:
    """The query for posts without those ``kept_back``, as in ``by_authors``."""
    others: Document = {"visibility": {"$nin": list(excluded_visibilities)}}
    if viewer is None:
        return others
    return {"$or": [others, {"author_id": viewer}, {"recipients": viewer}]}


def public_posts(
    *, id_range: IdRange, limit: int, kinds: Collection[str], ascending: bool = False
) -> list[PostRow]:
    """What everybody has written for everybody, of these kinds of activities."""
    order = ASCENDING if ascending else DESCENDING
    listed = {
        "visibility": "public",
        "share_of": None,
        "kind": {"$in": list(kinds)},
        **id_range.query,
    }
    return [
        post_row(document)
        for document in posts().find(listed, POST_FIELDS).sort("_id", order).limit(limit)
    ]


def ids_by_authors(*, authors: Collection[int], viewer: int, limit: int) -> list[int]:
    """The ids of the newest posts of these authors, newest first; without direct posts to others."""
    found = _find(authors, viewer, IdRange(), DESCENDING, limit, {"_id": 1})
    return [one["_id"] for one in found]


def delete_shares_of_post(*, post: int) -> None:
    """A post is gone, and with it all that only pointed to it."""
    posts().delete_many({"share_of": {"$eq": post, "$gt": 0}})


def _find(
    authors: Collection[int],
    reader: int | None,
    bounds: IdRange,
    order: int,
    limit: int,
    fields: Document,
    kept_back: Collection[str] = ("direct",),
    tags: Collection[str] = (),
    only: Document | None = None,
) -> Iterable[Document]:
    """One command that reads about as many posts as it answers, however many authors there are.

    For up to 200 values of an ``$in`` the server merges ranges of the index that are each in order; for
    more it would read all their posts and sort. So many authors are asked for in parts.
    """
    every = list(authors)
    not_kept_back = visibility_filter(viewer=reader, excluded_visibilities=kept_back)
    parts: list[list[Document]] = [
        [
            {
                "$match": {
                    "author_id": {"$in": part},
                    **bounds.query,
                    **not_kept_back,
                    **(only or {}),
                }
            },
            {"$sort": {"_id": order}},
            {"$limit": limit},
        ]
        for part in (
            every[at : at + AUTHORS_PER_QUERY]
            for at in range(0, max(1, len(every)), AUTHORS_PER_QUERY)
        )
    ]
    if tags:
        parts.append(_tagged(tags, bounds, order, limit, but_of=every))
    rest = [_union(part) for part in parts[1:]]
    merged: list[Document] = [{"$sort": {"_id": order}}, {"$limit": limit}] if rest else []
    # Another index may look good for what is ``only`` wanted, and have much of everybody else.
    by_author: Document = {"hint": AUTHOR_INDEX} if only else {}
    pipeline = [*parts[0], *rest, *merged, {"$project": fields}]
    return posts().aggregate(pipeline, batchSize=limit + 1, **by_author)


def _tagged(
    tags: Collection[str], bounds: IdRange, order: int, limit: int, but_of: Collection[int] = ()
) -> list[Document]:
    """Up to 200 tags are read as ranges of the index of entities that are each in order."""
    about = {"$elemMatch": {"kind": "hashtag", "value": {"$in": list(tags)}}}
    others = {"author_id": {"$nin": list(but_of)}} if but_of else {}
    return [
        {"$match": {"attributes": about, "visibility": "public", **others, **bounds.query}},
        {"$sort": {"_id": order}},
        {"$limit": limit},
    ]


def _union(pipeline: list[Document]) -> Document:
    return {"$unionWith": {"coll": posts().name, "pipeline": pipeline}}


def direct_by_or_to(
    *, uid: int, id_range: IdRange, limit: int, ascending: bool = False
) -> list[PostRow]:
    """Return direct posts that a user wrote or is mentioned in, newest or ``ascending``.

    Two commands, each by an index. Old posts count only if they still mention the user.
    """
    order = ASCENDING if ascending else DESCENDING
    direct: Document = {"visibility": "direct", **id_range.query}
    mention = {"attributes": {"$elemMatch": {"kind": "mention", "value": uid}}}
    to_them = posts().find({**mention, **direct}, POST_FIELDS).hint(ATTRIBUTE_INDEX)
    by_them = posts().find({"author_id": uid, **direct}, POST_FIELDS)
    found = {
        one["_id"]: one
        for some in (to_them, by_them)
        for one in some.sort("_id", order).limit(limit)
    }
    return [post_row(found[one]) for one in sorted(found, reverse=not ascending)][:limit]


MAX_EXAMINED = 2000
"""Number of an author's posts examined at a time for an ``author_filter``, which no index supports."""


def author_filter(
    *, with_pictures: bool = False, without_shares: bool = False, hashtag: str = ""
) -> Document:
    """Return a filter of an author's posts, for ``by_authors``."""
    wanted: Document = {}
    if with_pictures:
        wanted["media"] = {"$nin": [None, []]}
    if with_pictures or without_shares:
        wanted["share_of"] = None
    if hashtag:
        wanted["attributes"] = {"$elemMatch": {"kind": "hashtag", "value": hashtag}}
    return wanted


def examined_range(
    *,
    author: int,
    reader: int | None,
    id_range: IdRange,
    ascending: bool,
    excluded_visibilities: Collection[str],
) -> tuple[IdRange, int | None]:
    """The next ``EXAMINED`` posts within the bounds that the reader may read, as bounds; and the id to go
    on from, None if there are no more."""
    order = ASCENDING if ascending else DESCENDING
    query = {
        "author_id": author,
        **id_range.query,
        **visibility_filter(viewer=reader, excluded_visibilities=excluded_visibilities),
    }
    found = posts().find(query, {"_id": 1}, hint=AUTHOR_INDEX)
    ends = [
        document["_id"] for document in found.sort("_id", order).skip(MAX_EXAMINED - 1).limit(1)
    ]
    if not ends:
        return id_range, None
    end = int(ends[0])
    if ascending:
        return IdRange(above=id_range.above, below=end + 1), end
    return IdRange(above=end - 1, below=id_range.below), end


MAX_TRENDING_EXAMINED = 5000
"""Number of newest public posts examined for trends."""


def most_liked_ids(*, above: int, min_interactions: int, limit: int) -> list[int]:
    """The ids of the public posts above an id with most likes and shares, those with most first: one
    command, at most ``LOOKED_AT`` posts."""
    found = posts().aggregate(
        [
            {"$match": {"visibility": "public", "share_of": None, "_id": {"$gt": above}}},
            {"$sort": {"_id": DESCENDING}},
            {"$limit": MAX_TRENDING_EXAMINED},
            {"$project": {"people": {"$add": ["$likes", "$shares"]}}},
            {"$match": {"people": {"$gte": min_interactions}}},
            {"$sort": {"people": DESCENDING, "_id": DESCENDING}},
            {"$limit": limit},
        ]
    )
    return [document["_id"] for document in found]


def shared_posts_of(*, entries: Sequence[PostRow]) -> dict[int, PostRow]:
    """Return the posts shared by these entries, by id, as far as they still exist."""
    shared_ids = {row.share_of for row in entries if row.share_of is not None}
    return by_ids(ids=shared_ids) if shared_ids else {}
