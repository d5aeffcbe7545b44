"""The session, token and user of a request, read by PyMongo.

Every request of a logged-in user or an app reads two of them. The ORM takes twice as long, because it
compiles queries.
"""

from datetime import UTC, datetime
from typing import Any, TypeVar

from django.db.models import Model

from accounts.infra.store.connection import Document, collection

from .collections import access_tokens, users

M = TypeVar("M", bound=Model)


def find_session(*, key: str, now: datetime) -> Document | None:
    """Return ``{session_key, session_data, expire_date}``, or None if the session is missing or expired."""
    query = {"session_key": key, "expire_date": {"$gt": now.astimezone(UTC)}}
    return collection("django_session").find_one(query)


WITHOUT_KEYS: Document = {"search_keys": 0}
"""The search keys are the larger half of a user, and no request needs them."""


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

    Only for models whose fields store their values unchanged. Missing fields are deferred.
    """
    fields = [field for field in model._meta.concrete_fields if field.column in document]
    values = [_aware(document[str(field.column)]) for field in fields]
    return model.from_db("default", [field.attname for field in fields], values)


def _aware(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value
