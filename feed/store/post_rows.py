"""Posts as frozen rows, for lists. Rows are read two to three times as fast as model instances."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any

from pymongo import ASCENDING, DESCENDING

from accounts.infra.cursors import PageBounds
from accounts.infra.store.connection import Document
from accounts.infra.store.missing_fields import add_missing_fields
from feed.models import Post
from feed.text.languages import language_in

from .collections import posts

QUOTE, REVOKED_QUOTE = "quote", "revoked_quote"
"""Kinds of the attribute of a quoting post whose value is the id of the quoted post (``quotes``)."""

LATE_IMPORT = "late:"
"""How ``Post.origin`` begins if an imported post is dated after its author joined, or a week before.

Anyone could otherwise fill timelines at once, with any dates. Such a post appears in no timeline of several
authors, only on the profile of its author and where somebody shares or quotes it.
"""

NO_LATE_IMPORTS: Document = {"origin": {"$not": {"$regex": f"^{LATE_IMPORT}"}}}
"""The query that leaves out these posts."""

QUOTED_BY_SHARED = "quoted"
"""The key in the details of a share for the id of the post that the shared post quotes."""


def quote_attribute(attributes: Iterable[Document]) -> Document | None:
    """Return the attribute that says which post a post quotes, or None if it quotes no post."""
    kinds = (QUOTE, REVOKED_QUOTE)
    return next((attribute for attribute in attributes if attribute["kind"] in kinds), None)


def is_late_import(origin: str | None) -> bool:
    """Return whether a post with this ``Post.origin`` is a late import (``LATE_IMPORT``)."""
    return (origin or "").startswith(LATE_IMPORT)


def new_quote(*, quoted_id: int, is_private: bool) -> Document:
    """Return the attribute of a quoting post. ``is_private``: only followers see posts of its author."""
    quote: Document = {"kind": QUOTE, "value": quoted_id}
    return {**quote, "is_private": True} if is_private else quote


@dataclass(frozen=True, slots=True)
class PostRow:
    """A post. ``share_of`` is the id of the shared post; a share has no text of its own.

    ``post_counters`` maintains the fields from ``likes`` to ``newest_comments``. Moderators set ``hidden``
    and ``is_sensitive``. ``origin`` is "" unless the post was imported.
    """

    id: int
    author: int
    kind: str
    details: Document
    text: str
    content_warning: str
    media: list[Document]
    link_card: Document | None
    share_of: int | None
    visibility: str
    recipients: list[int]
    created_at: datetime
    edited_at: datetime | None
    reply_policy: str
    quote_policy: str
    attributes: list[Document]
    likes: int
    shares: int
    comments: int
    quotes: int
    newest_likers: list[int]
    newest_comments: list[Document]
    hidden: str
    is_sensitive: bool
    origin: str

    @property
    def language(self) -> str:
        """Return the code of the language, such as "de", or "" if it is unknown."""
        return language_in(self.attributes)

    @property
    def quoted_id(self) -> int | None:
        """Return the id of the quoted post, also if its author revoked the quote. None if there is none."""
        quote = quote_attribute(self.attributes)
        return quote["value"] if quote else None

    @property
    def is_late_import(self) -> bool:
        return is_late_import(self.origin)

    @property
    def is_quote_revoked(self) -> bool:
        quote = quote_attribute(self.attributes)
        return quote is not None and quote["kind"] == REVOKED_QUOTE

    @property
    def mentioned_uids(self) -> list[int]:
        """Return the uids of the users whom the text mentioned when it was published or edited."""
        return [
            attribute["value"] for attribute in self.attributes if attribute["kind"] == "mention"
        ]


@dataclass(frozen=True, slots=True)
class IdRange:
    """The ids between ``above`` and ``below``, both exclusive.

    Queries return the newest rows first, or the oldest rows first if ``is_ascending``.
    """

    above: int = 0
    below: int | None = None
    is_ascending: bool = False

    @classmethod
    def within(cls, bounds: PageBounds) -> "IdRange":
        return cls(bounds.lower_bound, bounds.max_id, bounds.is_ascending)

    def after(self, last_id: int) -> "IdRange":
        """Return the rest of the range after ``last_id``, the id of the last row that was read."""
        if self.is_ascending:
            return replace(self, above=last_id)
        return replace(self, below=last_id)

    def contains(self, id_: int) -> bool:
        return self.above < id_ and (self.below is None or id_ < self.below)

    @property
    def order(self) -> int:
        """Return the direction for ``sort``."""
        return ASCENDING if self.is_ascending else DESCENDING

    @property
    def query(self) -> Document:
        ids = {"$gt": self.above} if self.above else {}
        if self.below is not None:
            ids["$lt"] = self.below
        return {"_id": ids} if ids else {}


ALL_IDS = IdRange()

STORED_NAMES = {"id": "_id", "author": "author_id"}
"""Stored names of the fields that have another name in ``PostRow``."""

_stored_fields = [STORED_NAMES.get(field.name, field.name) for field in fields(PostRow)]
_read_values = itemgetter(*_stored_fields)
POST_FIELDS: Document = dict.fromkeys((name for name in _stored_fields if name != "_id"), 1)
"""The projection that ``post_row`` needs."""


def post_row(document: Document) -> PostRow:
    """Return the row for a document read with ``POST_FIELDS``. The document is modified."""
    if len(document) < len(_stored_fields):
        add_missing_fields(document=document, model=Post, stored_names=_stored_fields)
    document["details"] = document["details"] or {}
    document["created_at"] = document["created_at"].replace(tzinfo=UTC)
    if document["edited_at"]:
        document["edited_at"] = document["edited_at"].replace(tzinfo=UTC)
    return PostRow(*_read_values(document))


def find_rows(*, query: Document, id_range: IdRange, limit: int, hint: Any = None) -> list[PostRow]:
    """Return the first posts of the query, in the order of ``id_range``. One command."""
    documents = posts().find({**query, **id_range.query}, POST_FIELDS, hint=hint)
    return [post_row(row) for row in documents.sort("_id", id_range.order).limit(limit)]


def range_of_first(
    *, query: Document, id_range: IdRange, number: int, hint: Any
) -> tuple[IdRange, int | None]:
    """Return the range of the first ``number`` posts of the query, in the order of ``id_range``.

    Also return the id of the last of them, after which the next range starts, or None if there are fewer
    posts. One command.
    """
    rows = posts().find({**query, **id_range.query}, {"_id": 1}, hint=hint)
    for row in rows.sort("_id", id_range.order).skip(number - 1).limit(1):
        end = int(row["_id"])
        if id_range.is_ascending:
            return replace(id_range, below=end + 1), end
        return replace(id_range, above=end - 1), end
    return id_range, None
