"""What happens in the database that open pages want to hear of: one change stream, filtered by the server.

Watched are the unread counts of boxes, posts that have been delivered, log-outs and closed accounts. Only
ids and counts cross the wire, never what was said.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, cast

from django.contrib.sessions.models import Session
from django.db import connection
from pymongo.change_stream import DatabaseChangeStream
from pymongo.errors import OperationFailure, PyMongoError

from accounts.models import User
from feed.activities import distributed
from feed.models import Post

from .collections import Document, notification_boxes

Unavailable = PyMongoError
"""The database cannot be asked now."""

WAIT_MS = 1000
"""So long the server waits for a change before it says that there is none."""

UPDATED = "updateDescription.updatedFields"
PENDING_MAX = 1000


class HistoryLost(Exception):
    """The database does not know any more what happened meanwhile."""


@dataclass(frozen=True, slots=True)
class Unread:
    reader: int
    count: int


@dataclass(frozen=True, slots=True)
class Published:
    """A post has come to all who are to have it, or is there for them to be merged."""

    post: int
    author: int


@dataclass(frozen=True, slots=True)
class LoggedOut:
    """Somebody, or their session has run out: the database does not say whose it was."""


@dataclass(frozen=True, slots=True)
class Closed:
    """An account that may not be used any more."""

    uid: int


Change = Unread | Published | LoggedOut | Closed


class Changes:
    """What happens from now on, or after ``token``, where another one has stopped.

    Survives a lost primary by itself, if the next is there within seconds. Raises Unavailable if not, and
    HistoryLost if it cannot go on after the token.
    """

    def __init__(self, *, token: Document | None = None) -> None:
        self._pending: dict[int, int] = {}
        try:
            self._stream = _watched(token)
        except OperationFailure as error:
            raise _meaning_of(error, is_resuming=token is not None) from error

    @property
    def token(self) -> Document | None:
        return cast("Document | None", self._stream.resume_token)

    def __iter__(self) -> Iterator[Change | None]:
        """Endless; None now and then while nothing happens."""
        while True:
            try:
                found = self._stream.try_next()
            except OperationFailure as error:
                raise _meaning_of(error, is_resuming=True) from error
            yield None if found is None else self._change(found)

    def close(self) -> None:
        self._stream.close()

    def _change(self, found: Document) -> Change | None:
        key, where = found["documentKey"]["_id"], found["ns"]["coll"]
        changed = found.get("updateDescription", {}).get("updatedFields", {})
        changed = found.get("fullDocument", changed)
        if where == notification_boxes().name:
            return Unread(key, int(changed["unread"]))
        if where == _table(Post):
            return self._published(key, changed)
        return LoggedOut() if where == _table(Session) else Closed(key)

    def _published(self, post: int, changed: Document) -> Published | None:
        # Until a post is delivered its readers would look for it in vain. The end of a delivery does not
        # say whose it was; that was said when the post was inserted.
        author = changed.get("author_id")
        if changed["delivery_state"] == Post.Delivery.DONE:
            author = author or self._pending.pop(post, None)
            return None if author is None else Published(post, author)
        if author is not None:
            self._pending[post] = author
            if len(self._pending) > PENDING_MAX:
                del self._pending[next(iter(self._pending))]
        return None


def sessions_left(*, keys: Collection[str]) -> set[str]:
    """Which of these log-ins still hold."""
    sessions = cast("Any", connection).database[_table(Session)]
    found = sessions.find({"session_key": {"$in": list(keys)}}, {"session_key": 1})
    return {one["session_key"] for one in found}


def _watched(token: Document | None) -> "DatabaseChangeStream[Document]":
    database = cast("Any", connection).database
    stream = database.watch(_pipeline(), resume_after=token, max_await_time_ms=WAIT_MS)
    return cast("DatabaseChangeStream[Document]", stream)


def _pipeline() -> list[Document]:
    is_there = {"$exists": True}
    # A small document that changes is logged as a whole.
    counts = [{f"{UPDATED}.unread": is_there}, {"fullDocument.unread": is_there}]
    published = {
        "operationType": "insert",
        "fullDocument.visibility": {"$ne": Post.Visibility.DIRECT.value},
        "fullDocument.kind": {"$in": [one.name for one in distributed()]},
    }
    delivered = {f"{UPDATED}.delivery_state": Post.Delivery.DONE.value}
    closed = [
        {f"{UPDATED}.is_active": False},
        {"fullDocument.is_active": False},
        {"operationType": "delete"},
    ]
    wanted: list[Document] = [
        {"ns.coll": notification_boxes().name, "$or": counts},
        {"ns.coll": _table(Post), "$or": [published, delivered]},
        {"ns.coll": _table(Session), "operationType": "delete"},
        {"ns.coll": _table(User), "$or": closed},
    ]
    names = ["ns.coll", "documentKey._id"]
    names += [f"{UPDATED}.{name}" for name in ("unread", "delivery_state")]
    names += [f"fullDocument.{name}" for name in ("unread", "author_id", "delivery_state")]
    return [{"$match": {"$or": wanted}}, {"$project": dict.fromkeys(names, 1)}]


def _table(model: Any) -> str:
    return str(model._meta.db_table)


def _meaning_of(error: OperationFailure, *, is_resuming: bool) -> Exception:
    # The driver goes on by itself after whatever passes; what it hands on to us will not.
    return HistoryLost() if is_resuming else error
