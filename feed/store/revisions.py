"""Earlier versions of posts.

    revisions {_id, post, text, content_warning, media, details, recipients, replaced_at}

``replaced_at`` is the time of the edit that replaced this version. ``media`` and ``recipients`` are the
values of the post before this edit. ``media`` has no names of files, because the files of removed pictures
are deleted. It is None if the next version has the same pictures, as in versions that are older than the
editing of pictures. ``details`` are those of the kind (``Activity.version_details``). The current
version is only in the post.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime

from pymongo import ASCENDING, DESCENDING

from accounts.infra.store.connection import Document, session
from feed.post_content import Written, known_fields

from .collections import revisions

READ_BATCH_SIZE = 500


@dataclass(frozen=True, slots=True)
class Revision(Written):
    id: int
    replaced_at: datetime
    media: list[Document] | None = None
    recipients: list[int] = field(default_factory=list)
    details: Document = field(default_factory=dict)


def create_indexes() -> None:
    revisions().create_index([("post", ASCENDING), ("_id", DESCENDING)])


def insert_revision(*, post: int, revision: Revision) -> None:
    revisions().insert_one(revision_document(post=post, revision=revision), session=session())


def revision_document(*, post: int, revision: Revision) -> Document:
    """Return the document that stores a version of a post."""
    document = asdict(revision)
    media = revision.media and [
        {name: value for name, value in picture.items() if name != "name"}
        for picture in revision.media
    ]
    return {"_id": document.pop("id"), "post": post, **document, "media": media}


def newest_revisions(*, post: int, limit: int, below: int | None = None) -> list[Revision]:
    """Return the most recently replaced versions, newest first. One command."""
    query = {"post": post} if below is None else {"post": post, "_id": {"$lt": below}}
    documents = revisions().find(query).sort("_id", DESCENDING).limit(limit)
    return [_revision(document) for document in documents]


def revisions_of_posts(*, posts: Sequence[int]) -> Iterator[tuple[int, Revision]]:
    """Yield ``(post_id, revision)``, the oldest revision of each post first.

    One command per ``READ_BATCH_SIZE`` revisions.
    """
    documents = revisions().find({"post": {"$in": posts}}, batch_size=READ_BATCH_SIZE)
    # This is the order of the index read backwards, so the server does not sort.
    with documents.sort([("post", DESCENDING), ("_id", ASCENDING)]):
        for document in documents:
            yield document["post"], _revision(document)


def delete_revisions_of(*, post: int) -> None:
    revisions().delete_many({"post": post})


def _revision(document: Document) -> Revision:
    replaced_at = document["replaced_at"].replace(tzinfo=UTC)
    known = known_fields(Revision, document) | {"id": document["_id"], "replaced_at": replaced_at}
    return Revision(**known)
