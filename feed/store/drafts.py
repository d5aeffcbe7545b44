"""Drafts and scheduled posts: posts that their author has written but not published.

    drafts {_id, owner, content, reply_to_id?, keeps_audience?, due_at, check_at?, recipients?, attempts,
            version, problem, application, origin}

``content`` is a stored ``feed.post_content.PostContent``, whose ``details`` are the values of the fields of
the activity kind. A draft of a comment has ``reply_to_id``, the id of the post or comment that it answers,
and ``keeps_audience``: True to answer with the same readers. Its visibility is then the one that apps show.

A draft with ``due_at`` is a scheduled post. ``check_at`` is when the scheduler looks at the document next.
It is missing in drafts without a due time. ``recipients`` are the uids whom a scheduled direct post or
limited comment mentioned when it was scheduled: a name may belong to somebody else when it is due.
``attempts`` counts how often the scheduler tried to publish the post. ``problem`` tells the owner why a
scheduled post was not published. ``origin`` identifies an imported draft. Every change of the content or
the due time increments ``version``.
"""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from pymongo import ASCENDING, DESCENDING

from accounts.infra.store.connection import Document, aware, session
from feed.post_content import PostContent, known_fields, stored_content

from .collections import drafts
from .post_rows import IdRange


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft, or a scheduled post if ``due_at`` is set."""

    id: int
    owner: int
    content: PostContent
    reply_to_id: int = 0
    keeps_audience: bool = False
    due_at: datetime | None = None
    recipients: tuple[int, ...] | None = None
    attempts: int = 0
    version: int = 1
    problem: str = ""
    application: int = 0
    origin: str = ""


def create_indexes() -> None:
    drafts().create_index([("owner", ASCENDING), ("due_at", ASCENDING), ("_id", DESCENDING)])
    drafts().create_index(
        [("check_at", ASCENDING)], partialFilterExpression={"check_at": {"$exists": True}}
    )


def insert_draft(*, draft: Draft) -> None:
    """Insert a draft. Joins the current transaction."""
    document = asdict(draft) | {"content": draft.content.stored(), "attempts": 0, "version": 1}
    document["_id"] = document.pop("id")
    if draft.due_at is not None:
        document["check_at"] = draft.due_at
    drafts().insert_one(document, session=session())


def replace_draft(*, draft: Draft) -> bool:
    """Store a changed draft as its next version. Joins the current transaction.

    Return False if the draft was changed, published or deleted after it was read.
    """
    values = {
        "content": draft.content.stored(),
        "due_at": draft.due_at,
        "recipients": draft.recipients,
        "attempts": 0,
        "problem": draft.problem,
    }
    change: Document = {"$set": values, "$inc": {"version": 1}}
    if draft.due_at is None:
        change["$unset"] = {"check_at": ""}
    else:
        values["check_at"] = draft.due_at
    return bool(drafts().update_one(_same_version(draft), change, session=session()).matched_count)


def delete_draft(*, draft: Draft) -> bool:
    """Delete this version of a draft. Return False if it has changed. Joins the current transaction."""
    return bool(drafts().delete_one(_same_version(draft), session=session()).deleted_count)


def get_draft(*, id: int, owner: int) -> Draft | None:
    document = drafts().find_one({"_id": id, "owner": owner}, session=session())
    return None if document is None else _draft(document)


def exists(*, id: int, owner: int) -> bool:
    return get_draft(id=id, owner=owner) is not None


def has_origin(*, owner: int, origin: str) -> bool:
    return drafts().find_one({"owner": owner, "origin": origin}, {"_id": 1}) is not None


def drafts_of(*, owner: int, skip: int = 0, limit: int) -> list[Draft]:
    """Return drafts without a due time, the newest first. One command."""
    documents = drafts().find({"owner": owner, "due_at": None}).sort("_id", DESCENDING)
    return [_draft(document) for document in documents.skip(skip).limit(limit)]


def scheduled_posts_of(*, owner: int, skip: int = 0, limit: int) -> list[Draft]:
    """Return scheduled posts, the next first. One command."""
    order = [("due_at", ASCENDING), ("_id", DESCENDING)]
    documents = drafts().find(_scheduled_by(owner)).sort(order)
    return [_draft(document) for document in documents.skip(skip).limit(limit)]


def scheduled_posts_by_id(*, owner: int, id_range: IdRange, limit: int) -> list[Draft]:
    """Return scheduled posts in the order of ``id_range``."""
    documents = drafts().find(_scheduled_by(owner) | id_range.query)
    documents = documents.sort("_id", id_range.order).limit(limit)
    return [_draft(document) for document in documents]


def count_drafts(*, owner: int) -> int:
    """Return the number of drafts and scheduled posts."""
    return drafts().count_documents({"owner": owner}, session=session())


def count_due_between(*, owner: int, start: datetime, end: datetime, except_id: int) -> int:
    """Return the number of posts, except one, that are due from ``start`` until before ``end``."""
    query = {"owner": owner, "due_at": {"$gte": start, "$lt": end}, "_id": {"$ne": except_id}}
    return drafts().count_documents(query, session=session())


def pages_of(*, owner: int, after: int, limit: int) -> list[Draft]:
    """Return all drafts and scheduled posts above the id ``after``, the oldest first."""
    documents = drafts().find({"owner": owner, "_id": {"$gt": after}}).sort("_id", ASCENDING)
    return [_draft(document) for document in documents.limit(limit)]


# --- The scheduler -----------------------------------------------------------------------------
def checkable_ids(*, until: datetime, limit: int) -> list[int]:
    """Return the ids of scheduled posts to look at up to ``until``, the longest overdue first."""
    documents = drafts().find({"check_at": {"$lte": until}}, {"_id": 1})
    return [document["_id"] for document in documents.sort("check_at", ASCENDING).limit(limit)]


def claim(*, id: int, until: datetime, next_check_at: datetime) -> datetime | None:
    """Postpone the next check of a scheduled post and return its due time.

    Return None if another process has claimed the post, or if the post is no longer scheduled.
    """
    claimed = drafts().find_one_and_update(
        {"_id": id, "check_at": {"$lte": until}},
        {"$set": {"check_at": next_check_at}, "$inc": {"attempts": 1}},
    )
    return None if claimed is None else claimed["due_at"].replace(tzinfo=UTC)


def get_due(*, id: int, now: datetime) -> Draft | None:
    """Return a scheduled post whose time has come, else None."""
    document = drafts().find_one({"_id": id, "due_at": {"$lte": now}})
    return None if document is None else _draft(document)


def _scheduled_by(owner: int) -> Document:
    return {"owner": owner, "due_at": {"$gt": datetime(1970, 1, 1, tzinfo=UTC)}}


def _same_version(draft: Draft) -> Document:
    return {"_id": draft.id, "owner": draft.owner, "version": draft.version}


def _draft(document: Document) -> Draft:
    recipients = document.get("recipients")
    known = known_fields(Draft, document) | {
        "id": document["_id"],
        "content": stored_content(document.get("content", {})),
        "due_at": aware(document["due_at"]),
        "recipients": None if recipients is None else tuple(recipients),
    }
    return Draft(**known)
