"""Quotes: an attribute of the quoting post, ``{kind: "quote", value: id of the quoted post}``.

The index of the attributes (``attributes``) finds the quotes of a post. If the author of the quoted post
revokes a quote, the kind of the attribute becomes "revoked_quote". The quote then is in no list, but the
quoting post still shows that there was a quote.

``Post.quotes`` counts only what everyone can read (``counted_id``), so that it does not reveal quotes that
the viewer may not read. ``is_private: true`` in the attribute marks a quote by a user whose posts only
followers can see, or nobody.

A deleted post may still be quoted: its id stays in the quoting posts.
"""

from collections.abc import Collection, Iterable, Iterator

from accounts.infra.store.connection import Document, session

from .attributes import ATTRIBUTE_INDEX
from .collections import posts
from .post_rows import QUOTE, REVOKED_QUOTE, IdRange, PostRow, find_rows

COUNTED_VISIBILITIES = ("public", "unlisted")
COUNTING_FIELDS: Document = dict.fromkeys(("attributes", "visibility", "hidden"), 1)


def _quotes(post: int) -> Document:
    return {"attributes": {"$elemMatch": {"kind": QUOTE, "value": post}}}


def quotes_of(*, post: int, id_range: IdRange, limit: int) -> list[PostRow]:
    """Return the posts that quote a post, in the order of ``id_range``. One command."""
    return find_rows(query=_quotes(post), id_range=id_range, limit=limit, hint=ATTRIBUTE_INDEX)


def quoting_ids(*, author: int, is_private: bool) -> Iterator[int]:
    """Yield the ids of posts by a user that quote posts and are private, or of the others."""
    about = {"kind": QUOTE, "is_private": True if is_private else {"$ne": True}}
    query = {"author_id": author, "attributes": {"$elemMatch": about}}
    yield from (document["_id"] for document in posts().find(query, {"_id": 1}))


def counted_id(
    *, attributes: Iterable[Document], visibility: str, hidden: str | None
) -> int | None:
    """Return the id of the quoted post if ``Post.quotes`` counts the quote, otherwise None.

    The arguments are fields of the quoting post.
    """
    if visibility not in COUNTED_VISIBILITIES or hidden:
        return None
    for attribute in attributes:
        if attribute["kind"] == QUOTE and not attribute.get("is_private"):
            return int(attribute["value"])
    return None


def counted_quote(*, post: int) -> int | None:
    """Return the id of the post whose ``Post.quotes`` counts the quote in a post, None if none does."""
    document = posts().find_one({"_id": post}, COUNTING_FIELDS, session=session())
    return None if document is None else _counted_id_in(document)


def set_revoked(*, post: int, quoted: int) -> bool | None:
    """Revoke the quote of the post ``quoted`` by ``post``.

    Return whether ``Post.quotes`` counted the quote, or None if there is no such quote.
    """
    before = posts().find_one_and_update(
        {"_id": post, **_quotes(quoted)},
        {"$set": {"attributes.$.kind": REVOKED_QUOTE}},
        projection=COUNTING_FIELDS,
        session=session(),
    )
    return None if before is None else _counted_id_in(before) is not None


def _counted_id_in(document: Document) -> int | None:
    return counted_id(
        attributes=document["attributes"],
        visibility=document["visibility"],
        hidden=document.get("hidden"),
    )


def is_revoked(*, post: int, quoted: int) -> bool:
    """Return whether the quote of the post ``quoted`` by ``post`` was revoked."""
    about = {"attributes": {"$elemMatch": {"kind": REVOKED_QUOTE, "value": quoted}}}
    return posts().find_one({"_id": post, **about}, {"_id": 1}, session=session()) is not None


def count_quotes(*, ids: Collection[int]) -> dict[int, int]:
    """Return the numbers of counted quotes by post id, without posts that have none. One command."""
    about: Document = {"kind": QUOTE, "value": {"$in": list(ids)}, "is_private": {"$ne": True}}
    counted: Document = {
        "visibility": {"$in": list(COUNTED_VISIBILITIES)},
        "hidden": {"$in": ["", None]},
    }
    documents = posts().aggregate(
        [
            {"$match": {"attributes": {"$elemMatch": about}, **counted}},
            {"$unwind": "$attributes"},
            {"$match": {f"attributes.{name}": value for name, value in about.items()}},
            {"$group": {"_id": "$attributes.value", "n": {"$sum": 1}}},
        ],
        hint=dict(ATTRIBUTE_INDEX),
    )
    return {document["_id"]: document["n"] for document in documents}
