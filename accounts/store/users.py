"""Users, and the session and token of a request.

    accounts_user {..., is_active, suspended_at, deactivated_at, erase_at, links_due_at}

Every request of a logged-in user or an app reads two of them, and lists read many users. The ORM takes
twice as long, because it compiles queries.

``suspended_at``, ``deactivated_at`` and ``erase_at`` are the reasons why an account is inactive. All other
code reads only ``is_active``, which is false exactly while at least one of them is set. One update writes
the reasons and ``is_active``. ``links_due_at`` is when the profile links are due for a check
(``services.profile_links``).
"""

from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

from django.db.models import Model
from pymongo import ASCENDING

from accounts.infra.store.connection import Document, collection, session
from accounts.infra.store.missing_fields import add_missing_fields, stored_default
from accounts.models import User

from .collections import access_tokens, users

M = TypeVar("M", bound=Model)

InactiveReason = Literal["suspended_at", "deactivated_at", "erase_at"]
INACTIVE_REASONS: tuple[InactiveReason, ...] = ("suspended_at", "deactivated_at", "erase_at")

CARD_FIELDS = (
    *("username", "display_name", "bio", "avatar", "header", "profile_fields", "is_bot"),
    *("is_active", "is_private", "is_limited", "is_indexable"),
    *("is_discoverable", "date_joined"),
)

WITHOUT_KEYS: Document = {"search_keys": 0}
"""The search keys are the larger half of a user, and no request needs them."""


def create_indexes() -> None:
    for name in ("erase_at", "links_due_at"):
        is_set = {name: {"$type": "date"}}
        users().create_index([(name, ASCENDING)], partialFilterExpression=is_set)


def find_session(*, key: str, now: datetime) -> Document | None:
    """Return ``{session_key, session_data, expire_date}``, or None if the session is missing or expired."""
    query = {"session_key": key, "expire_date": {"$gt": now.astimezone(UTC)}}
    return collection("django_session").find_one(query)


def find_user(*, uid: int) -> Document | None:
    """Return the stored user without search keys."""
    return users().find_one({"_id": uid}, WITHOUT_KEYS)


def find_access_token(*, checksum: str) -> tuple[Document, Document | None] | None:
    """Return the stored token with this SHA-256 digest, and its user. One command.

    The user is None if the token has no user, or a deleted one.
    """
    pipeline: list[Document] = [
        {"$match": {"token_checksum": checksum}},
        {
            "$lookup": {
                "from": users().name,
                "localField": "user_id",
                "foreignField": "_id",
                "pipeline": [{"$project": WITHOUT_KEYS}],
                "as": "users",
            }
        },
    ]
    for document in access_tokens().aggregate(pipeline):
        found_users = document.pop("users")
        return document, found_users[0] if found_users else None
    return None


def instance_of(model: type[M], document: Document) -> M:
    """Return the document as an instance of its model, like the ORM. Times are aware.

    Only for models whose fields store their values unchanged. Search keys are deferred.
    """
    fields = [field for field in model._meta.concrete_fields if field.column not in WITHOUT_KEYS]
    values = [
        document[name] if (name := str(field.column)) in document else stored_default(field)
        for field in fields
    ]
    values = [_aware(value) for value in values]
    return model.from_db("default", [field.attname for field in fields], values)


def _aware(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value


def active_usernames(*, names: Collection[str]) -> list[str]:
    """Return which of these lower-case usernames belong to active users. One command."""
    query = {"username": {"$in": list(names)}, "is_active": True}
    return [document["username"] for document in users().find(query, {"_id": 0, "username": 1})]


def card_rows(*, uids: Collection[int]) -> list[Document]:
    """Return the ``CARD_FIELDS`` and the ``_id`` of each existing user. One command."""
    cursor = users().find({"_id": {"$in": list(uids)}}, dict.fromkeys(CARD_FIELDS, 1))
    documents = list(cursor.batch_size(len(uids) + 1))
    for document in documents:
        if len(document) <= len(CARD_FIELDS):
            add_missing_fields(document=document, model=User, stored_names=CARD_FIELDS)
        document["date_joined"] = document["date_joined"].replace(tzinfo=UTC)
    return documents


def uids_with_due_links(*, now: datetime, limit: int) -> list[int]:
    """Return the uids of active users whose links are due, the longest overdue first. One command."""
    due = {"links_due_at": {"$type": "date", "$lte": now}, "is_active": True}
    documents = users().find(due, {"_id": 1}).sort("links_due_at", ASCENDING).limit(limit)
    return [document["_id"] for document in documents]


def postpone_links(*, uid: int, now: datetime, until: datetime) -> bool:
    """Set when the links of a user are due again. Return False if another worker has just done so."""
    due = {"_id": uid, "links_due_at": {"$type": "date", "$lte": now}}
    return bool(users().update_one(due, {"$set": {"links_due_at": until}}).modified_count)


def add_reason(*, uid: int, reason: InactiveReason, at: datetime) -> bool:
    """Set a reason. If the reason is already set, keep its time and return False."""
    return _update_status({"_id": uid, reason: None}, {reason: at})


def remove_reason(
    *, uid: int, reason: InactiveReason, only_if_after: datetime | None = None
) -> bool:
    """Remove a reason. Return False if nothing changed.

    Nothing changes if the reason is not set, or if its time is not after ``only_if_after``.
    """
    query: Document = {"_id": uid, reason: {"$type": "date"}}
    if only_if_after is not None:
        query[reason]["$gt"] = only_if_after
    return _update_status(query, {reason: None})


def lock_for_erasure(*, uid: int, at: datetime, password: str) -> bool:
    """Make the erasure irrevocable. Return False if there is no such user.

    Sets ``erase_at`` to ``at`` or an earlier time, so the user can no longer cancel. Replaces the password,
    so the user can no longer log in.
    """
    change = {"erase_at": {"$min": ["$erase_at", at]}, "password": {"$literal": password}}
    _update_status({"_id": uid}, change)
    return users().find_one({"_id": uid}, {"_id": 1}) is not None


def users_to_erase(*, at: datetime) -> Iterator[int]:
    """Yield the uids of users who are due for erasure, the longest overdue first."""
    rows = users().find({"erase_at": {"$type": "date", "$lte": at}}, {"_id": 1})
    for row in rows.sort("erase_at", ASCENDING):
        yield row["_id"]


def _update_status(query: Document, change: Document) -> bool:
    # An unset reason is missing or null. Both sort below every date, so "greater than null" means "set".
    is_inactive = {"$or": [{"$gt": [f"${reason}", None]} for reason in INACTIVE_REASONS]}
    stages = [{"$set": change}, {"$set": {"is_active": {"$not": [is_inactive]}}}]
    return bool(users().update_one(query, stages, session=session()).modified_count)
