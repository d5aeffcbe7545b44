"""A post as lists read it: a frozen row, two to three times as fast as an instance of its model."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from accounts.infra.cursors import PageBounds
from accounts.infra.store.connection import Document

POST_FIELDS: Document = dict.fromkeys(
    (
        "author_id",
        "kind",
        "details",
        "text",
        "content_warning",
        "media",
        "share_of",
        "visibility",
        "recipients",
        "created_at",
        "edited_at",
        "reply_policy",
        "attributes",
        "likes",
        "shares",
        "comments",
        "newest_likers",
        "newest_comments",
        "hidden",
        "is_sensitive",
    ),
    1,
)


@dataclass(frozen=True, slots=True)
class PostRow:
    """A post. ``share_of`` is the id of the shared post; a share has no text of its own.

    ``post_counters`` maintains ``likes`` to ``newest_comments``. Moderators set ``hidden`` and
    ``is_sensitive``.
    """

    id: int
    author: int
    kind: str
    details: Document
    text: str
    content_warning: str
    media: list[Document]
    share_of: int | None
    visibility: str
    recipients: list[int]
    created_at: datetime
    edited_at: datetime | None
    reply_policy: str
    attributes: list[Document]
    likes: int
    shares: int
    comments: int
    newest_likers: list[int]
    newest_comments: list[Document]
    hidden: str
    is_sensitive: bool

    def mentions_uid(self, uid: int | None) -> bool:
        return any(
            attribute["kind"] == "mention" and attribute["value"] == uid
            for attribute in self.attributes
        )


@dataclass(frozen=True, slots=True)
class IdRange:
    """The ids between ``above`` and ``below``, both exclusive."""

    above: int = 0
    below: int | None = None

    @classmethod
    def within(cls, bounds: PageBounds) -> "IdRange":
        return cls(above=bounds.lower_bound, below=bounds.max_id)

    def after(self, last_id: int, *, is_ascending: bool) -> "IdRange":
        """Return the part of the range after ``last_id``, the id of the last row read."""
        if is_ascending:
            return replace(self, above=last_id)
        return replace(self, below=last_id)

    @property
    def query(self) -> Document:
        ids = {"$gt": self.above} if self.above else {}
        if self.below is not None:
            ids["$lt"] = self.below
        return {"_id": ids} if ids else {}


def post_row(document: Document) -> PostRow:
    """Return the row of a document with ``POST_FIELDS``."""
    edited_at = document["edited_at"]
    return PostRow(
        id=document["_id"],
        author=document["author_id"],
        kind=document["kind"],
        details=document["details"] or {},
        text=document["text"],
        content_warning=document["content_warning"],
        media=document["media"],
        share_of=document["share_of"],
        visibility=document["visibility"],
        recipients=document["recipients"],
        created_at=document["created_at"].replace(tzinfo=UTC),
        edited_at=edited_at and edited_at.replace(tzinfo=UTC),
        reply_policy=document["reply_policy"],
        attributes=document["attributes"],
        likes=document["likes"],
        shares=document["shares"],
        comments=document["comments"],
        newest_likers=document["newest_likers"],
        newest_comments=document["newest_comments"],
        hidden=document["hidden"],
        is_sensitive=document["is_sensitive"],
    )
