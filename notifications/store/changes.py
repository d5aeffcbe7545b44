"""Database changes for live updates: one change stream, filtered by the server.

The stream watches boxes whose unread count, last delivered row or last message changes, posts that are
delivered, edited, hidden, shown again or deleted, new follows and changed lists. Before each deletion of a
post, the site writes down who could read the post (``pending_cleanups``). The stream also watches what
revokes access: deleted sessions and tokens, deactivated accounts and changed passwords. The server sends
only ids, counts and attributes, never text.
"""

from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from django.contrib.sessions.models import Session
from django.db import connections
from pymongo import AsyncMongoClient
from pymongo.asynchronous.change_stream import AsyncDatabaseChangeStream
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import OperationFailure, PyMongoError

from accounts.infra.store.connection import Document
from accounts.models import User
from accounts.oauth.models import AccessToken
from feed.activities import home_kinds
from feed.models import Post

DatabaseUnavailable = PyMongoError
"""Raised while the database cannot be reached."""

WAIT_MS = 1000
"""How long the server waits for a change before it reports that there is none."""

BOXES, FOLLOWS, LISTS = "notification_boxes", "follow_edges", "user_lists"
CLEANUPS = "pending_cleanups"
POST_FIELDS = ("author_id", "visibility", "attributes", "recipients", "hidden", "origin")
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

    Attributes:
        author: 0 for a deleted post of which only the id is known.
        visibility: as in ``Post.visibility``, also of a removed post.
        tags: the hashtags of a public post.
        recipients: the recipients of a direct post.
        is_hidden: whether moderators have not approved the post, or had hidden it before this change.
        is_imported: whether the post comes from an archive. Streams do not announce it.
    """

    post_id: int
    author: int
    visibility: str = ""
    tags: frozenset[str] = frozenset()
    recipients: tuple[int, ...] = ()
    is_hidden: bool = False
    is_imported: bool = False

    def may_concern(self, viewer: int) -> bool:
        """Return False for direct posts of other people."""
        is_direct = self.visibility == Post.Visibility.DIRECT
        return not is_direct or viewer == self.author or viewer in self.recipients


class PostPublished(PostChange):
    """The delivery of a post is done, or moderators show the post, so timelines contain the post."""


class PostEdited(PostChange):
    """A post was edited."""


class PostRemoved(PostChange):
    """A post was deleted, or hidden by moderators."""


@dataclass(frozen=True, slots=True)
class ChannelChanged:
    """The user followed another user, or changed a list."""

    uid: int


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """A session was deleted. The id is that of the document, not the key of the session."""

    session_id: object


@dataclass(frozen=True, slots=True)
class TokenRevoked:
    """The token of an app was revoked."""

    token_id: int


@dataclass(frozen=True, slots=True)
class UserDeactivated:
    """An account was deactivated or deleted."""

    uid: int


@dataclass(frozen=True, slots=True)
class PasswordChanged:
    """The password of a user changed, which makes sessions invalid."""

    uid: int


ContentChange = UnreadChanged | PostChange | ChannelChanged
Revocation = SessionEnded | TokenRevoked | UserDeactivated | PasswordChanged
RawChange = Document


class ChangeStream:
    """An endless stream of changes, which resumes after the last confirmed change when it is opened again.

    If the primary server fails, the stream continues when a new primary takes over within seconds.
    Otherwise the methods raise DatabaseUnavailable, or ResumeTokenExpired if the stream cannot resume.
    """

    _database: AsyncDatabase[Document]

    def __init__(self) -> None:
        self._known: dict[int, PostChange] = {}
        self._client: AsyncMongoClient[Document] | None = None
        self._stream: AsyncDatabaseChangeStream[Document] | None = None
        self._token: Document | None = None

    async def open(self) -> None:
        """Connect and begin to watch: after the last confirmed change, or from now on."""
        await self.close()
        options = connections["default"].settings_dict
        self._client = AsyncMongoClient(options["HOST"], **options["OPTIONS"])
        self._database = self._client[options["NAME"]]
        try:
            self._stream = await self._database.watch(
                _pipeline(), resume_after=self._token, max_await_time_ms=WAIT_MS
            )
        except OperationFailure as error:
            raise _translate_error(error, is_resuming=self.is_resuming()) from error

    def is_resuming(self) -> bool:
        return self._token is not None

    async def next(self) -> RawChange | None:
        """Return the next change, or None if nothing changes for ``WAIT_MS``."""
        assert self._stream is not None  # noqa: S101 - narrows the type
        try:
            return await self._stream.try_next()
        except OperationFailure as error:
            raise _translate_error(error, is_resuming=True) from error

    def confirm(self) -> None:
        """Note that the last change has been handled, so it is not read again."""
        assert self._stream is not None  # noqa: S101 - narrows the type
        self._token = cast("Document | None", self._stream.resume_token)

    def forget_position(self) -> None:
        self._token = None

    async def close(self) -> None:
        if self._stream is not None:
            with suppress(PyMongoError):
                await self._stream.close()
        if self._client is not None:
            await self._client.close()
        self._stream = self._client = None

    def revocation(self, raw: RawChange) -> Revocation | None:
        """Return what the change revokes, None for a change of content."""
        key, where = raw["documentKey"]["_id"], raw["ns"]["coll"]
        if where == _table_name(Session):
            return SessionEnded(key)
        if where == _table_name(AccessToken):
            return TokenRevoked(key)
        if where != _table_name(User):
            return None
        changed = raw.get("updateDescription", {}).get("updatedFields", {})
        is_active = raw.get("fullDocument", changed).get("is_active") is not False
        if is_active and raw["operationType"] in ("update", "replace"):
            return PasswordChanged(key)
        return UserDeactivated(key)

    async def content_change(self, raw: RawChange) -> ContentChange | None:
        """Return the change, or None if it concerns no stream. Reads posts that are not cached."""
        key, where = raw["documentKey"]["_id"], raw["ns"]["coll"]
        changed = raw.get("updateDescription", {}).get("updatedFields", {})
        changed = raw.get("fullDocument", changed)
        if where == BOXES:
            return UnreadChanged(
                recipient=key,
                count=changed.get("unread"),
                last_message=changed.get("last_message", ""),
                conversations=changed.get("unread_conversations"),
            )
        if where == FOLLOWS:
            return ChannelChanged(changed["follower"])
        if where == LISTS:
            return ChannelChanged(key)
        if where == CLEANUPS:
            self._remember(_post_change(key, changed["deleted_post"]))
            return None
        return await self._post_change(key, changed, is_deleted=raw["operationType"] == "delete")

    async def _post_change(
        self, post: int, changed: Document, *, is_deleted: bool
    ) -> PostChange | None:
        if is_deleted:
            return _with_type(PostRemoved, self._known.pop(post, PostChange(post, 0)))
        if "author_id" in changed:  # a new post
            change = _post_change(post, changed)
            self._remember(change)
            if change.is_hidden or change.is_imported:
                return None
        else:
            if "edited_at" in changed:
                self._known.pop(post, None)  # hashtags and recipients may have changed
            is_cached, stored_post = post in self._known, await self._find_post(post)
            if stored_post is None:
                return None
            change = stored_post
            self._remember(replace(change, is_hidden=bool(changed.get("hidden", change.is_hidden))))
            if changed.get("hidden"):
                # Only the cache knows that a post was hidden before.
                was_hidden = is_cached and change.is_hidden
                return _with_type(PostRemoved, replace(change, is_hidden=was_hidden))
            if change.is_imported and "edited_at" not in changed:
                return None
            if "hidden" in changed:
                return _with_type(PostPublished, replace(change, is_hidden=False))
            # The card of a link arrives later than its post.
            if "edited_at" in changed or "link_card" in changed:
                return _with_type(PostEdited, change)
        # Timelines do not contain the post until its delivery is done.
        is_delivered = changed.get("delivery_state") == Post.DeliveryState.DONE
        return _with_type(PostPublished, change) if is_delivered else None

    async def _find_post(self, post: int) -> PostChange | None:
        """Return the author and readers of an updated post, which the change does not include.

        Returns None if the post no longer exists.
        """
        if post in self._known:
            return self._known[post]
        row = await self._database[_table_name(Post)].find_one({"_id": post}, POST_FIELDS)
        return None if row is None else _post_change(post, row)

    def _remember(self, change: PostChange) -> None:
        self._known[change.post_id] = change
        if len(self._known) > MAX_CACHED_POSTS:
            del self._known[next(iter(self._known))]


def _post_change(post: int, row: Document) -> PostChange:
    """Return the change of a post from its ``POST_FIELDS``."""
    tags = (
        attribute["value"]
        for attribute in row["attributes"]
        if attribute["kind"] == "hashtag" and row["visibility"] == Post.Visibility.PUBLIC
    )
    return PostChange(
        post,
        row["author_id"],
        row["visibility"],
        frozenset(tags),
        tuple(row.get("recipients") or ()),
        bool(row.get("hidden")),
        bool(row.get("origin")),
    )


def _with_type(change_type: type[PostChange], change: PostChange) -> PostChange:
    return change_type(**{field.name: getattr(change, field.name) for field in fields(change)})


def _pipeline() -> list[Document]:
    exists = {"$exists": True}
    # ``last_arrival`` is watched because a delivery to a box with a hundred unread rows does not change
    # ``unread``. ``fullDocument`` is watched because the server logs small changed documents as a whole.
    watched_fields = ("unread", "last_arrival", "last_message", "unread_conversations")
    box_changes = [{f"{UPDATED_FIELDS}.{name}": exists} for name in watched_fields]
    box_changes += [{"fullDocument.unread": exists}]
    published = {
        "operationType": "insert",
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
        {f"{UPDATED_FIELDS}.password": exists},
        {"operationType": "replace"},  # the password may be among the replaced fields
        deleted,
    ]
    conditions: list[Document] = [
        {"ns.coll": BOXES, "$or": box_changes},
        {"ns.coll": _table_name(Post), "$or": [published, delivered, *changed, deleted]},
        {"ns.coll": CLEANUPS, "operationType": "insert", "fullDocument.deleted_post": exists},
        {"ns.coll": {"$in": [_table_name(Session), _table_name(AccessToken)]}, **deleted},
        {"ns.coll": _table_name(User), "$or": account_changes},
        {"ns.coll": FOLLOWS, "operationType": "insert"},
        {"ns.coll": LISTS},
    ]
    names = ["ns.coll", "documentKey._id", "operationType"]
    names += [
        f"{UPDATED_FIELDS}.{name}"
        for name in (
            *("unread", "last_message", "unread_conversations"),
            *("delivery_state", "edited_at", "hidden", "link_card.url", "is_active"),
        )
    ]
    inserted_fields = (
        *("unread", "last_message", "unread_conversations", "deleted_post", "follower"),
        *("is_active", "delivery_state", *POST_FIELDS),
    )
    names += [f"fullDocument.{name}" for name in inserted_fields]
    return [{"$match": {"$or": conditions}}, {"$project": dict.fromkeys(names, 1)}]


def _table_name(model: Any) -> str:
    return str(model._meta.db_table)


def _translate_error(error: OperationFailure, *, is_resuming: bool) -> Exception:
    # The driver already retried transient errors. If the stream was resuming, any other error means that
    # the resume token expired.
    return ResumeTokenExpired() if is_resuming else error
