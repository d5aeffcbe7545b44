"""What happens in the database that open pages want to hear of: one change stream, filtered by the server.

Watched are boxes that get something or have it read, posts that have been delivered, edited or deleted,
log-outs, revoked tokens and closed accounts. Only ids, counts and what a post is about cross the wire,
never what was said.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from django.contrib.sessions.models import Session
from django.db import connection
from pymongo.change_stream import DatabaseChangeStream
from pymongo.errors import OperationFailure, PyMongoError

from accounts.models import User
from accounts.oauth.models import AccessToken
from feed.activities import home_kinds
from feed.models import Post
from feed.selectors.rows import post_row
from feed.store.post_rows import PostRow

from .collections import Document, notification_boxes

DatabaseUnavailable = PyMongoError
"""The database cannot be asked now."""

WAIT_MS = 1000
"""So long the server waits for a change before it says that there is none."""

UPDATED_FIELDS = "updateDescription.updatedFields"
MAX_CACHED_POSTS = 2000
"""Posts of which it is known whose they are."""


class ResumeTokenExpired(Exception):
    """The database does not know any more what happened meanwhile."""


@dataclass(frozen=True, slots=True)
class UnreadChanged:
    """Something came, or was read. ``count``: None if it is as before."""

    recipient: int
    count: int | None


@dataclass(frozen=True, slots=True)
class PostChange:
    """``author``: 0 if that is not known any more. ``tags``: the hashtags of what everybody may read."""

    post_id: int
    author: int
    is_public: bool = False
    tags: frozenset[str] = frozenset()


class PostPublished(PostChange):
    """A post has come to all who are to have it, or is there for them to be merged."""


class PostEdited(PostChange):
    """It has other words."""


class PostRemoved(PostChange):
    """It is gone, or moderators have taken it away."""


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """Somebody, or their session has run out: the database does not say whose it was."""


@dataclass(frozen=True, slots=True)
class TokenRevoked:
    """A token of an app, by its id."""

    token_id: int


@dataclass(frozen=True, slots=True)
class UserDeactivated:
    """An account that may not be used any more."""

    uid: int


Change = UnreadChanged | PostChange | SessionEnded | TokenRevoked | UserDeactivated


class ChangeStream:
    """What happens from now on, or after ``token``, where another one has stopped.

    Survives a lost primary by itself, if the next is there within seconds. Raises Unavailable if not, and
    HistoryLost if it cannot go on after the token.
    """

    def __init__(self, *, token: Document | None = None) -> None:
        self._known: dict[int, PostChange] = {}
        try:
            self._stream = _watched(token)
        except OperationFailure as error:
            raise _meaning_of(error, is_resuming=token is not None) from error

    @property
    def resume_token(self) -> Document | None:
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
            return UnreadChanged(key, changed.get("unread"))
        if where == _table(Post):
            return self._of_post(key, changed, is_deleted=found["operationType"] == "delete")
        if where == _table(AccessToken):
            return TokenRevoked(key)
        return SessionEnded() if where == _table(Session) else UserDeactivated(key)

    def _of_post(self, post: int, changed: Document, *, is_deleted: bool) -> PostChange | None:
        if is_deleted:
            return _as(PostRemoved, self._known.pop(post, PostChange(post, 0)))
        if "author_id" in changed:  # it is new
            seen = (changed["author_id"], changed["visibility"], changed["entities"])
            found: PostChange | None = _facts(post, *seen)
        else:
            found = self._found(post)
        if found is None:
            return None
        self._remember(found)
        if changed.get("hidden"):
            # Of what waits for moderators from the beginning nobody has heard.
            return None if "author_id" in changed else _as(PostRemoved, found)
        if "edited_at" in changed and "author_id" not in changed:
            return _as(PostEdited, found)
        # Until a post is delivered its readers would look for it in vain.
        is_done = changed.get("delivery_state") == Post.DeliveryState.DONE
        return _as(PostPublished, found) if is_done else None

    def _found(self, post: int) -> PostChange | None:
        """Whose it is; a change does not say it."""
        row: PostRow | None = None
        if post not in self._known and (row := post_row(post_id=post)) is None:
            return None
        if row is None:
            return self._known[post]
        if row.visibility == Post.Visibility.DIRECT:
            return None
        return _facts(post, row.author, row.visibility, row.attributes)

    def _remember(self, found: PostChange) -> None:
        self._known[found.post_id] = found
        if len(self._known) > MAX_CACHED_POSTS:
            del self._known[next(iter(self._known))]


def _facts(post: int, author: int, visibility: str, entities: Iterable[Document]) -> PostChange:
    is_public = visibility == Post.Visibility.PUBLIC
    tags = (one["value"] for one in entities if one["kind"] == "hashtag" and is_public)
    return PostChange(post, author, is_public, frozenset(tags))


def _as(change: type[PostChange], found: PostChange) -> PostChange:
    return change(found.post_id, found.author, found.is_public, found.tags)


def active_session_keys(*, session_keys: Collection[str]) -> set[str]:
    """Which of these log-ins still hold."""
    sessions = cast("Any", connection).database[_table(Session)]
    found = sessions.find({"session_key": {"$in": list(session_keys)}}, {"session_key": 1})
    return {one["session_key"] for one in found}


def _watched(token: Document | None) -> "DatabaseChangeStream[Document]":
    database = cast("Any", connection).database
    stream = database.watch(_pipeline(), resume_after=token, max_await_time_ms=WAIT_MS)
    return cast("DatabaseChangeStream[Document]", stream)


def _pipeline() -> list[Document]:
    is_there = {"$exists": True}
    # A small document that changes is logged as a whole. Where a hundred are unread, and one more comes,
    # so many are still.
    told = [{f"{UPDATED_FIELDS}.{name}": is_there} for name in ("unread", "newest")]
    told += [{"fullDocument.unread": is_there}]
    published = {
        "operationType": "insert",
        "fullDocument.visibility": {"$ne": Post.Visibility.DIRECT.value},
        "fullDocument.kind": {"$in": [one.name for one in home_kinds()]},
    }
    delivered = {f"{UPDATED_FIELDS}.delivery_state": Post.DeliveryState.DONE.value}
    changed = [{f"{UPDATED_FIELDS}.{name}": is_there} for name in ("edited_at", "hidden")]
    deleted = {"operationType": "delete"}
    closed = [{f"{UPDATED_FIELDS}.is_active": False}, {"fullDocument.is_active": False}, deleted]
    wanted: list[Document] = [
        {"ns.coll": notification_boxes().name, "$or": told},
        {"ns.coll": _table(Post), "$or": [published, delivered, *changed, deleted]},
        {"ns.coll": {"$in": [_table(Session), _table(AccessToken)]}, **deleted},
        {"ns.coll": _table(User), "$or": closed},
    ]
    names = ["ns.coll", "documentKey._id", "operationType"]
    names += [
        f"{UPDATED_FIELDS}.{name}" for name in ("unread", "delivery_state", "edited_at", "hidden")
    ]
    of_new = ("unread", "author_id", "delivery_state", "visibility", "entities", "hidden")
    names += [f"fullDocument.{name}" for name in of_new]
    return [{"$match": {"$or": wanted}}, {"$project": dict.fromkeys(names, 1)}]


def _table(model: Any) -> str:
    return str(model._meta.db_table)


def _meaning_of(error: OperationFailure, *, is_resuming: bool) -> Exception:
    # The driver goes on by itself after whatever passes; what it hands on to us will not.
    return ResumeTokenExpired() if is_resuming else error
