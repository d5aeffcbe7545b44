"""The session and the user of a request, read by PyMongo.

Every request of a logged-in user reads both. The ORM takes twice as long, because it compiles queries.
"""

from datetime import UTC, datetime

from accounts.infra.store.connection import Document, collection

from .collections import users


def find_session(*, key: str, now: datetime) -> Document | None:
    """Return ``{session_key, session_data, expire_date}``, or None if the session is missing or expired."""
    query = {"session_key": key, "expire_date": {"$gt": now.astimezone(UTC)}}
    return collection("django_session").find_one(query)


def find_user(*, uid: int) -> Document | None:
    """Return the stored user, by column name. Times are aware."""
    document = users().find_one({"_id": uid})
    if document is None:
        return None
    return {
        name: value.replace(tzinfo=UTC) if isinstance(value, datetime) else value
        for name, value in document.items()
    }
