"""Conversations: when the last message of each direct post arrived, for each participant.

    conversations {owner, post, newest, is_hidden}                             unique (owner, post)

A conversation is a direct post with its comments, which are its messages. Its participants are the author
and the recipients of the post. ``newest`` is the id of the last message. ``is_hidden`` is True if the owner
hid the conversation, until the next message.

Transactions that write a message also write to the post (``post_counters``). So writes to the conversations
of one post never overlap, and ``newest`` is always exact. Notification boxes contain the unread messages.
"""

from collections.abc import Collection
from dataclasses import dataclass

from pymongo import ASCENDING, DESCENDING, UpdateOne

from accounts.infra.store.connection import Document, session

from .collections import comment_buckets, conversations
from .post_rows import IdRange


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation of one participant. ``newest`` is the id of the last message."""

    post: int
    newest: int


def create_indexes() -> None:
    conversations().create_index([("owner", ASCENDING), ("post", ASCENDING)], unique=True)
    conversations().create_index(
        [("owner", ASCENDING), ("is_hidden", ASCENDING), ("newest", DESCENDING)]
    )
    conversations().create_index([("post", ASCENDING)])


def participants_in(post: Document) -> list[int]:
    """Return the participants of a stored post, none if the post is not direct."""
    return [post["author_id"], *post["recipients"]] if post["visibility"] == "direct" else []


def add_message(*, post: int, owners: Collection[int], id: int) -> None:
    """Record a message for each participant, and show hidden conversations again. Safe to repeat."""
    change = {"$max": {"newest": id}, "$set": {"is_hidden": False}}
    _upsert(post, owners, change)


def add_participants(*, post: int, owners: Collection[int]) -> None:
    """Add participants to a conversation. Safe to repeat. Two commands."""
    newest = _newest_message(post)
    _upsert(post, owners, {"$setOnInsert": {"newest": newest, "is_hidden": False}})


def update_newest(*, post: int, owners: Collection[int]) -> None:
    """Find the last message after a comment was removed or restored. Two commands, none without owners."""
    if owners:
        conversations().update_many(
            {"owner": {"$in": list(owners)}, "post": post},
            {"$set": {"newest": _newest_message(post)}},
            session=session(),
        )


def hide(*, owner: int, post: int, newest_id: int) -> bool:
    """Remove a conversation from the owner's list until the next message. Safe to repeat.

    Return False and change nothing if the last message has a higher id than ``newest_id``.
    """
    query = {"owner": owner, "post": post, "newest": {"$lte": newest_id}}
    return bool(conversations().update_one(query, {"$set": {"is_hidden": True}}).matched_count)


def conversations_of(*, owner: int, id_range: IdRange, limit: int) -> list[Conversation]:
    """Return conversations by their last message, whose id ``id_range`` limits. One command."""
    query: Document = {"owner": owner, "is_hidden": False}
    if "_id" in id_range.query:
        query["newest"] = id_range.query["_id"]
    documents = conversations().find(query, {"post": 1, "newest": 1})
    documents = documents.sort("newest", id_range.order).limit(limit)
    return [Conversation(document["post"], document["newest"]) for document in documents]


def _upsert(post: int, owners: Collection[int], change: Document) -> None:
    if owners:
        conversations().bulk_write(
            [
                UpdateOne({"owner": owner, "post": post}, change, upsert=True)
                for owner in dict.fromkeys(owners)
            ],
            ordered=False,
            session=session(),
        )


def _newest_message(post: int) -> int:
    """Return the id of the last comment that is not deleted, or else the id of the post."""
    documents = comment_buckets().aggregate(
        [
            {"$match": {"post": post}},
            {"$unwind": "$comments"},
            {"$match": {"comments.is_deleted": False}},
            {"$group": {"_id": None, "newest": {"$max": "$comments.id"}}},
        ],
        session=session(),
    )
    return next((document["newest"] for document in documents), post)
