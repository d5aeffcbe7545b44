"""Quotes: an attribute of the quoting post, ``{kind: "quote", value: id of the quoted post}``.

The index of the attributes (``attributes``) finds the quotes of a post. ``Post.quotes`` counts them. If the
author of the quoted post revokes a quote, the kind of the attribute becomes "revoked_quote". The quote then
no longer counts and is in no list, but the quoting post still shows that there was a quote.

A deleted post may still be quoted: its id stays in the quoting posts.
"""

from collections.abc import Collection

from pymongo import ASCENDING, DESCENDING

from accounts.infra.store.connection import Document, session

from .attributes import ATTRIBUTE_INDEX
from .collections import posts
from .post_rows import POST_FIELDS, QUOTE, REVOKED_QUOTE, IdRange, PostRow, post_row


def _quotes(post: int) -> Document:
    return {"attributes": {"$elemMatch": {"kind": QUOTE, "value": post}}}


def quotes_of(
    *, post: int, id_range: IdRange, limit: int, ascending: bool = False
) -> list[PostRow]:
    """Return the posts that quote a post, newest first, or oldest first if ``ascending``. One command."""
    order = ASCENDING if ascending else DESCENDING
    documents = posts().find({**_quotes(post), **id_range.query}, POST_FIELDS)
    return [
        post_row(document)
        for document in documents.sort("_id", order).limit(limit).hint(ATTRIBUTE_INDEX)
    ]


def counted_quote(*, post: int) -> int | None:
    """Return the id of the post that a post quotes, None if there is none or the quote is revoked."""
    document = posts().find_one({"_id": post}, {"attributes": 1}, session=session())
    for attribute in (document or {}).get("attributes") or ():
        if attribute["kind"] == QUOTE:
            return int(attribute["value"])
    return None


def set_revoked(*, post: int, quoted: int) -> bool:
    """Revoke the quote of the post ``quoted`` by ``post``. Return False if there is no such quote."""
    changed = posts().update_one(
        {"_id": post, **_quotes(quoted)},
        {"$set": {"attributes.$.kind": REVOKED_QUOTE}},
        session=session(),
    )
    return bool(changed.matched_count)


def is_revoked(*, post: int, quoted: int) -> bool:
    """Return whether the quote of the post ``quoted`` by ``post`` was revoked."""
    about = {"attributes": {"$elemMatch": {"kind": REVOKED_QUOTE, "value": quoted}}}
    return posts().find_one({"_id": post, **about}, {"_id": 1}, session=session()) is not None


def count_quotes(*, ids: Collection[int]) -> dict[int, int]:
    """Return the numbers of quotes by post id, without posts that are not quoted. One command."""
    about: Document = {"kind": QUOTE, "value": {"$in": list(ids)}}
    documents = posts().aggregate(
        [
            {"$match": {"attributes": {"$elemMatch": about}}},
            {"$unwind": "$attributes"},
            {"$match": {f"attributes.{name}": value for name, value in about.items()}},
            {"$group": {"_id": "$attributes.value", "n": {"$sum": 1}}},
        ],
        hint=dict(ATTRIBUTE_INDEX),
    )
    return {document["_id"]: document["n"] for document in documents}
