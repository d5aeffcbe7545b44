"""Database changes for live updates: one change stream, filtered by the server.

The stream watches boxes whose unread count, last delivered row or last message changes. It also watches
posts that are delivered, edited, hidden or deleted, deleted sessions, revoked tokens and deactivated
accounts. The server sends only ids, counts and attributes, never text.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from django.contrib.sessions.models import Session
from django.db import connection
from pymongo.change_stream import DatabaseChangeStream
from pymongo.errors import OperationFailure, PyMongoError

from accounts.infra.store.connection import Document
from accounts.models import User
from accounts.oauth.models import AccessToken
from feed.activities import home_kinds
from feed.models import Post
from feed.selectors.rows import post_row
from feed.store.post_rows import PostRow

from .collections import notification_boxes

DatabaseUnavailable = PyMongoError
"""Raised while the database cannot be reached."""

WAIT_MS = 1000
"""How long the server waits for a change before it reports that there is none."""

UPDATED_FIELDS = "updateDescription.updatedFields"
MAX_CACHED_POSTS = 2000
"""Maximum number of posts whose author, visibility and hashtags are cached."""


class ResumeTokenExpired(Exception):
    """The database no longer has the changes that followed the resume token."""


@dataclass(frozen=True, slots=True)
class UnreadChanged:
    """A box received or lost rows.

    Attributes:
        count: the number of unread notifications, None if it did not change.
        last_message: as in ``unread_messages``, "" if no message arrived.
        conversations: the number of conversations with unread messages, None if it did not change.
    """

    recipient: int
    count: int | None
    last_message: str = ""
    conversations: int | None = None


@dataclass(frozen=True, slots=True)
class PostChange:
    """A change of a post.

    ``author`` is 0 for a deleted post that is not cached. ``tags`` contains the hashtags of a public post.
    """

    post_id: int
    author: int
    is_public: bool = False
    tags: frozenset[str] = frozenset()


class PostPublished(PostChange):
    """The delivery of a post is done, so timelines contain the post."""


class PostEdited(PostChange):
    """A post was edited."""


class PostRemoved(PostChange):
    """A post was deleted, or hidden by moderators."""


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """A session was deleted. The database does not report whose session."""


@dataclass(frozen=True, slots=True)
class TokenRevoked:
    """The token of an app was revoked."""

    token_id: int


@dataclass(frozen=True, slots=True)
class UserDeactivated:
    """An account was deactivated or deleted."""

    uid: int


Change = UnreadChanged | PostChange | SessionEnded | TokenRevoked | UserDeactivated


class ChangeStream:
    """An endless stream of changes, from now on or after a resume token.

    If the primary server fails, the stream continues when a new primary takes over within seconds.
    Otherwise iterating raises DatabaseUnavailable, or ResumeTokenExpired if the stream cannot resume.
    """

    def __init__(self, *, token: Document | None = None) -> None:
        self._known: dict[int, PostChange] = {}
        try:
            self._stream = _open_stream(token)
        except OperationFailure as error:
            raise _translate_error(error, is_resuming=token is not None) from error

    @property
    def resume_token(self) -> Document | None:
        return cast("Document | None", self._stream.resume_token)

    def __iter__(self) -> Iterator[Change | None]:
        """Yield changes forever. Yield None about once per ``WAIT_MS`` while nothing changes."""
        while True:
            try:
                event = self._stream.try_next()
            except OperationFailure as error:
                raise _translate_error(error, is_resuming=True) from error
            yield None if event is None else self._parse_event(event)

    def close(self) -> None:
        self._stream.close()

    def _parse_event(self, event: Document) -> Change | None:
        key, where = event["documentKey"]["_id"], event["ns"]["coll"]
        changed = event.get("updateDescription", {}).get("updatedFields", {})
        changed = event.get("fullDocument", changed)
        if where == notification_boxes().name:
            return UnreadChanged(
                recipient=key,
                count=changed.get("unread"),
                last_message=changed.get("last_message", ""),
                conversations=changed.get("unread_conversations"),
            )
        if where == _table_name(Post):
            return self._parse_post_event(
                key, changed, is_deleted=event["operationType"] == "delete"
            )
        if where == _table_name(AccessToken):
            return TokenRevoked(key)
        return SessionEnded() if where == _table_name(Session) else UserDeactivated(key)

    def _parse_post_event(
        self, post: int, changed: Document, *, is_deleted: bool
    ) -> PostChange | None:
        if is_deleted:
            return _with_type(PostRemoved, self._known.pop(post, PostChange(post, 0)))
        if "author_id" in changed:  # a new post
            fields = (changed["author_id"], changed["visibility"], changed["attributes"])
            change: PostChange | None = _post_change(post, *fields)
        else:
            change = self._find_post(post)
        if change is None:
            return None
        self._remember(change)
        if changed.get("hidden"):
            # A post that was inserted as hidden was never visible, so no client has to remove the post.
            return None if "author_id" in changed else _with_type(PostRemoved, change)
        # The card of a link arrives later than its post.
        if ("edited_at" in changed or "link_card" in changed) and "author_id" not in changed:
            return _with_type(PostEdited, change)
        # Timelines do not contain the post until its delivery is done.
        is_delivered = changed.get("delivery_state") == Post.DeliveryState.DONE
        return _with_type(PostPublished, change) if is_delivered else None

    def _find_post(self, post: int) -> PostChange | None:
        """Return the author and tags of an updated post, which the change does not include.

        Returns None if the post is direct or no longer exists.
        """
        row: PostRow | None = None
        if post not in self._known and (row := post_row(post_id=post)) is None:
            return None
        if row is None:
            return self._known[post]
        if row.visibility == Post.Visibility.DIRECT:
            return None
        return _post_change(post, row.author, row.visibility, row.attributes)

    def _remember(self, change: PostChange) -> None:
        self._known[change.post_id] = change
        if len(self._known) > MAX_CACHED_POSTS:
            del self._known[next(iter(self._known))]


def _post_change(
    post: int, author: int, visibility: str, attributes: Iterable[Document]
) -> PostChange:
    is_public = visibility == Post.Visibility.PUBLIC
    tags = (
        attribute["value"]
        for attribute in attributes
        if attribute["kind"] == "hashtag" and is_public
    )
    return PostChange(post, author, is_public, frozenset(tags))


def _with_type(change_type: type[PostChange], post_change: PostChange) -> PostChange:
    return change_type(
        post_change.post_id, post_change.author, post_change.is_public, post_change.tags
    )


def active_session_keys(*, session_keys: Collection[str]) -> set[str]:
    """Return the keys of the sessions that still exist."""
    sessions = cast("Any", connection).database[_table_name(Session)]
    documents = sessions.find({"session_key": {"$in": list(session_keys)}}, {"session_key": 1})
    return {document["session_key"] for document in documents}


def _open_stream(token: Document | None) -> "DatabaseChangeStream[Document]":
    database = cast("Any", connection).database
    stream = database.watch(_pipeline(), resume_after=token, max_await_time_ms=WAIT_MS)
    return cast("DatabaseChangeStream[Document]", stream)


def _pipeline() -> list[Document]:
    exists = {"$exists": True}
    # ``last_arrival`` is watched because a delivery to a box with a hundred unread rows does not change
    # ``unread``. ``fullDocument`` is watched because the server logs small changed documents as a whole.
    watched_fields = ("unread", "last_arrival", "last_message", "unread_conversations")
    box_changes = [{f"{UPDATED_FIELDS}.{name}": exists} for name in watched_fields]
    box_changes += [{"fullDocument.unread": exists}]
    published = {
        "operationType": "insert",
        "fullDocument.visibility": {"$ne": Post.Visibility.DIRECT.value},
        "fullDocument.kind": {"$in": [kind.name for kind in home_kinds()]},
    }
    delivered = {f"{UPDATED_FIELDS}.delivery_state": Post.DeliveryState.DONE.value}
    changed = [
        {f"{UPDATED_FIELDS}.{name}": exists} for name in ("edited_at", "hidden", "link_card.url")
    ]
    deleted = {"operationType": "delete"}
    account_changes = [
        {f"{UPDATED_FIELDS}.is_active": False},
        {"fullDocument.is_active": False},
        deleted,
    ]
    conditions: list[Document] = [
        {"ns.coll": notification_boxes().name, "$or": box_changes},
        {"ns.coll": _table_name(Post), "$or": [published, delivered, *changed, deleted]},
        {"ns.coll": {"$in": [_table_name(Session), _table_name(AccessToken)]}, **deleted},
        {"ns.coll": _table_name(User), "$or": account_changes},
    ]
    names = ["ns.coll", "documentKey._id", "operationType"]
    names += [
        f"{UPDATED_FIELDS}.{name}"
        for name in (
            *("unread", "last_message", "unread_conversations"),
            *("delivery_state", "edited_at", "hidden", "link_card.url"),
        )
    ]
    inserted_fields = (
        "unread",
        "last_message",
        "unread_conversations",
        "author_id",
        "delivery_state",
        "visibility",
        "attributes",
        "hidden",
    )
    names += [f"fullDocument.{name}" for name in inserted_fields]
    return [{"$match": {"$or": conditions}}, {"$project": dict.fromkeys(names, 1)}]


def _table_name(model: Any) -> str:
    return str(model._meta.db_table)


def _translate_error(error: OperationFailure, *, is_resuming: bool) -> Exception:
    # The driver already retried transient errors. If the stream was resuming, any other error means that
    # the resume token expired.
    return ResumeTokenExpired() if is_resuming else error
