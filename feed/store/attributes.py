"""Find posts by their attributes: hashtags, mentioned users, linked hosts, reviewed items, languages.

    feed_post {..., attributes: [{kind, value}]}        index (attributes.kind, attributes.value, _id)
                                                        index (author_id, attributes.kind, .value, _id)

The second index contains only posts with hashtags, for the hashtags of one author.
This is the attribute pattern of MongoDB's schema advice. One multikey index serves all these queries.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pymongo import ASCENDING, DESCENDING

from accounts.infra.ids import first_id_at
from accounts.infra.store.connection import Document

from .collections import posts
from .post_rows import NO_LATE_IMPORTS, IdRange, PostRow, find_rows

AttributeKind = Literal["hashtag", "mention", "host", "item", "language"]

ATTRIBUTE_INDEX = [
    ("attributes.kind", ASCENDING),
    ("attributes.value", ASCENDING),
    ("_id", DESCENDING),
]


AUTHOR_TAG_INDEX = [("author_id", ASCENDING), *ATTRIBUTE_INDEX]
_COUNTED: Document = {"visibility": {"$in": ["public", "unlisted"]}, "hidden": {"$in": ["", None]}}


def activities_about(*, kind: str, value: int | str | Document) -> list[tuple[int, int]]:
    """Return ``(post_id, author_id)`` of all posts with this attribute, of any visibility. One command.

    ``value``: a value or a condition.
    """
    about = {"attributes": {"$elemMatch": {"kind": kind, "value": value}}}
    documents = posts().find(about, {"author_id": 1}).hint(ATTRIBUTE_INDEX)
    return [(document["_id"], document["author_id"]) for document in documents]


def create_indexes() -> None:
    posts().create_index(ATTRIBUTE_INDEX)
    has_hashtag = {"attributes.kind": "hashtag"}
    posts().create_index(AUTHOR_TAG_INDEX, partialFilterExpression=has_hashtag)


def posts_about(
    *,
    kind: AttributeKind,
    value: str | int | Sequence[str],
    id_range: IdRange,
    limit: int,
) -> list[PostRow]:
    """Return public posts with this attribute, in the order of ``id_range``.

    Late imports are left out (``LATE_IMPORT``).

    If ``value`` is a sequence, a post needs only one of its values. The server reads the index once per
    value and merges the results, so no query sorts all matching posts.
    """
    # Without $elemMatch, a post would match whose kind and value are in different elements, and the
    # server would use only the kind to search the index.
    value_query = value if isinstance(value, str | int) else {"$in": list(value)}
    about = {"$elemMatch": {"kind": kind, "value": value_query}}
    query = {"attributes": about, "visibility": "public", **NO_LATE_IMPORTS}
    # The hint is needed because the planner might choose the index of all public posts, which has the
    # same order, and then read many posts without the attribute.
    return find_rows(query=query, id_range=id_range, limit=limit, hint=ATTRIBUTE_INDEX)


def author_tag_query(*, author: int, tags: Sequence[str]) -> Document:
    """Return the query for an author's posts with any of these hashtags, for ``AUTHOR_TAG_INDEX``."""
    return {
        "author_id": author,
        # The server uses a partial index only if the query repeats its filter.
        "attributes.kind": "hashtag",
        "attributes": {"$elemMatch": {"kind": "hashtag", "value": {"$in": list(tags)}}},
    }


def first_counted_post(*, author: int, tag: str, since: datetime, other_than: int) -> int | None:
    """Return the id of an author's oldest post since a time that counts as a use of a hashtag.

    Only public posts that were not imported count. One command.
    """
    query = {
        **author_tag_query(author=author, tags=[tag]),
        **_COUNTED,
        "visibility": "public",
        "origin": {"$in": ["", None]},
        "_id": {"$gte": first_id_at(moment=since), "$ne": other_than},
    }
    document = posts().find_one(query, {"_id": 1}, sort=[("_id", ASCENDING)], hint=AUTHOR_TAG_INDEX)
    return None if document is None else int(document["_id"])


def author_tag_counts(*, author: int, tags: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return (number, newest id) of an author's public and unlisted posts by hashtag.

    The result has no entry for hashtags without such posts. One command, which reads only posts with
    these hashtags.
    """
    return _count_values(
        [{"$match": {**author_tag_query(author=author, tags=tags), **_COUNTED}}],
        "hashtag",
        {"value": {"$in": list(tags)}},
        hint=dict(AUTHOR_TAG_INDEX),
    )


def newest_value_counts(*, author: int, kind: str, post_limit: int) -> dict[str, tuple[int, int]]:
    """Return (number, newest id) by value of a kind of attribute, such as hashtags.

    Among the author's newest public and unlisted posts. One command.
    """
    newest: list[Document] = [
        {"$match": {"author_id": author, **_COUNTED}},
        {"$sort": {"_id": DESCENDING}},
        {"$limit": post_limit},
    ]
    return _count_values(newest, kind, {}, hint="post_by_author")


def _count_values(
    stages: list[Document], kind: str, value_query: Document, *, hint: Document | str
) -> dict[str, tuple[int, int]]:
    of_kind = {"attributes.kind": kind} | {
        f"attributes.{name}": condition for name, condition in value_query.items()
    }
    documents = posts().aggregate(
        [
            *stages,
            {"$project": {"attributes": 1}},
            {"$unwind": "$attributes"},
            {"$match": of_kind},
            {
                "$group": {
                    "_id": "$attributes.value",
                    "n": {"$sum": 1},
                    "newest": {"$max": "$_id"},
                }
            },
        ],
        hint=hint,
    )
    return {document["_id"]: (document["n"], document["newest"]) for document in documents}
