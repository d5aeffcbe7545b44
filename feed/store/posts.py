"""Posts for lists, as ``rows``, and which of them there are."""

from collections.abc import Collection, Iterable

from pymongo import ASCENDING, DESCENDING

from .collections import Document, merged_posts, posts
from .rows import FIELDS, Bounds, PostRow, row_of

BY_AUTHOR = "post_by_author"
MERGED = 150
"""Authors in one part of a query; the server's own limit is 200 (internalQueryMaxScansToExplode)."""


def by_ids(*, ids: Iterable[int]) -> dict[int, PostRow]:
    """The posts that still exist, by id: one command."""
    wanted = list(ids)
    found = posts().find({"_id": {"$in": wanted}}, FIELDS).batch_size(len(wanted) + 1)
    return {one["_id"]: row_of(one) for one in found}


def authors_of(*, ids: Iterable[int]) -> dict[int, int]:
    """Return the uids of the authors by post; deleted posts are left out. One command."""
    rows = posts().find({"_id": {"$in": list(ids)}}, {"author_id": 1})
    return {row["_id"]: row["author_id"] for row in rows}


def by_ids_and_merged(
    *,
    ids: list[int],
    authors: list[int],
    tags: list[str],
    bounds: Bounds,
    limit: int,
    upwards: bool = False,
) -> tuple[dict[int, PostRow], list[int]]:
    """The posts with these ids and, merged when they are read, those of these authors that are not pushed
    and public ones with these hashtags: one command.

    The merged are also told by their ids: the first ``limit`` from the beginning of the bounds.
    """
    order = ASCENDING if upwards else DESCENDING
    posted = {"post": bounds.query["_id"]} if bounds.query else {}
    shown: list[Document] = [
        {"$sort": {"post": order}},
        {"$limit": limit},
        {
            "$lookup": {
                "from": posts().name,
                "localField": "post",
                "foreignField": "_id",
                "pipeline": [{"$project": FIELDS}],
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
    parts = [authors[at : at + MERGED] for at in range(0, len(authors), MERGED)]
    tagged: list[Document] = []
    if tags:
        mark: Document = {"$set": {"merged": True}}
        tagged = [_union([*_tagged(tags, bounds, order, limit), {"$project": FIELDS}, mark])]
    found = posts().aggregate(
        [
            {"$match": {"_id": {"$in": ids}}},
            {"$project": FIELDS},
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
    for one in found:
        if "merged" in one:
            of_merged.append(one["_id"])
        if "author_id" in one:  # not gone
            rows[one["_id"]] = row_of(one)
    return rows, of_merged


def counts_by(*, authors: Collection[int]) -> dict[int, tuple[int, int]]:
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
    return {one["_id"]: (one["n"], one["newest"]) for one in counted}


def by_authors(
    *,
    authors: Collection[int],
    reader: int | None,
    bounds: Bounds,
    limit: int,
    upwards: bool = False,
    kept_back: Collection[str] = ("direct",),
    tags: Collection[str] = (),
    only: Document | None = None,
) -> list[PostRow]:
    """The newest posts of these authors, newest first, or with ``upwards`` the oldest, oldest first; with
    ``tags`` also public posts of others that have any of these hashtags.

    Without posts of the visibilities ``kept_back``, unless the reader has written or is to have them; with
    ``only`` (of ``narrowed``) no others.
    """
    order = ASCENDING if upwards else DESCENDING
    found = _find(authors, reader, bounds, order, limit, FIELDS, kept_back, tags, only)
    return [row_of(one) for one in found]


def readable(*, reader: int | None, kept_back: Collection[str]) -> Document:
    """The query for posts without those ``kept_back``, as in ``by_authors``."""
    others: Document = {"visibility": {"$nin": list(kept_back)}}
    if reader is None:
        return others
    return {"$or": [others, {"author_id": reader}, {"recipients": reader}]}


def public(
    *, bounds: Bounds, limit: int, kinds: Collection[str], upwards: bool = False
) -> list[PostRow]:
    """What everybody has written for everybody, of these kinds of activities."""
    order = ASCENDING if upwards else DESCENDING
    listed = {
        "visibility": "public",
        "share_of": None,
        "kind": {"$in": list(kinds)},
        **bounds.query,
    }
    return [row_of(one) for one in posts().find(listed, FIELDS).sort("_id", order).limit(limit)]


def ids_by_authors(*, authors: Collection[int], reader: int, limit: int) -> list[int]:
    """The ids of the newest posts of these authors, newest first; without direct posts to others."""
    found = _find(authors, reader, Bounds(), DESCENDING, limit, {"_id": 1})
    return [one["_id"] for one in found]


def delete_shares_of(*, post: int) -> None:
    """A post is gone, and with it all that only pointed to it."""
    posts().delete_many({"share_of": {"$eq": post, "$gt": 0}})


def _find(
    authors: Collection[int],
    reader: int | None,
    bounds: Bounds,
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
    not_kept_back = readable(reader=reader, kept_back=kept_back)
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
        for part in (every[at : at + MERGED] for at in range(0, max(1, len(every)), MERGED))
    ]
    if tags:
        parts.append(_tagged(tags, bounds, order, limit, but_of=every))
    rest = [_union(part) for part in parts[1:]]
    merged: list[Document] = [{"$sort": {"_id": order}}, {"$limit": limit}] if rest else []
    # Another index may look good for what is ``only`` wanted, and have much of everybody else.
    by_author: Document = {"hint": BY_AUTHOR} if only else {}
    pipeline = [*parts[0], *rest, *merged, {"$project": fields}]
    return posts().aggregate(pipeline, batchSize=limit + 1, **by_author)


def _tagged(
    tags: Collection[str], bounds: Bounds, order: int, limit: int, but_of: Collection[int] = ()
) -> list[Document]:
    """Up to 200 tags are read as ranges of the index of entities that are each in order."""
    about = {"$elemMatch": {"kind": "hashtag", "value": {"$in": list(tags)}}}
    others = {"author_id": {"$nin": list(but_of)}} if but_of else {}
    return [
        {"$match": {"entities": about, "visibility": "public", **others, **bounds.query}},
        {"$sort": {"_id": order}},
        {"$limit": limit},
    ]


def _union(pipeline: list[Document]) -> Document:
    return {"$unionWith": {"coll": posts().name, "pipeline": pipeline}}
