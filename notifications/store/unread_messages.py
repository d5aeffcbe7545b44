"""Unread messages of conversations, in the same document as the box.

    notification_boxes {..., unread_messages: [{id, post, comment?, actor, author}], unread_conversations,
                        last_message: "<post>:<id>"}

A conversation is a direct post with its comments (``feed.store.conversations``). One update adds a message
and counts the conversations, and the same update skips muted threads and filtered senders.

    unread_messages       oldest first; ``actor`` is the author of the message, ``author`` that of the post
    unread_conversations  the number of different posts in ``unread_messages``
    last_message          the last message, also one by the user, for the change stream (``changes``)
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pymongo import UpdateOne

from accounts.infra.ids import MAX_ID
from accounts.infra.store.connection import Document

from .collections import notification_boxes
from .expressions import Expression, array_or_empty, count_conversations, filter_array

MAX_UNREAD_MESSAGES = 300
"""Unread messages per user. The oldest messages are dropped when the list is full."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message. ``comment_id`` is 0 if the message is the post, ``actor`` 0 if the user marked it."""

    post_id: int
    comment_id: int
    actor: int
    author: int

    @property
    def id(self) -> int:
        return self.comment_id or self.post_id


def create_indexes() -> None:
    notification_boxes().create_index([("unread_messages.post", 1)], sparse=True)


def deliver(
    *, message: Message, classes_by_recipient: Mapping[int, Collection[str]], sender: int
) -> None:
    """Add a message to the boxes of its recipients, and mark the conversation as read for the sender.

    One command. Safe to repeat until a recipient reads the message. ``classes_by_recipient`` is as in
    ``boxes.deliver``.
    """
    statements = [
        UpdateOne({"_id": recipient}, _delivery_pipeline(message, classes), upsert=True)
        for recipient, classes in classes_by_recipient.items()
    ]
    others = filter_array("unread_messages", {"$ne": ["$$this.post", message.post_id]})
    change = [{"$set": {"unread_messages": others, **_common_fields(message)}}]
    statements.append(UpdateOne({"_id": sender}, [*change, count_conversations()], upsert=True))
    notification_boxes().bulk_write(statements, ordered=False)


def mark_unread(*, recipient: int, message: Message) -> None:
    """Add a message to a box, even if the thread is muted. Safe to repeat."""
    change = {
        "$set": {
            "unread": {"$ifNull": ["$unread", 0]},
            "unread_messages": _with_message(message),
        }
    }
    notification_boxes().update_one(
        {"_id": recipient}, [change, count_conversations()], upsert=True
    )


def mark_read(*, recipient: int, post_id: int, newest_id: int = MAX_ID) -> None:
    """Remove the messages of a conversation up to the id ``newest_id`` from a box."""
    is_read = {"$and": [{"$eq": ["$$this.post", post_id]}, {"$lte": ["$$this.id", newest_id]}]}
    _remove({"_id": recipient, "unread_messages.post": post_id}, is_read)


def remove_sender(*, recipient: int, sender: int) -> None:
    """Remove all messages by a user, and those in conversations that the user began."""
    is_by_sender = {"$in": [sender, ["$$this.actor", "$$this.author"]]}
    _remove({"_id": recipient, "unread_messages": {"$exists": True}}, is_by_sender)


def remove_message(*, post_id: int, comment_id: int | None = None) -> None:
    """Remove one comment from all boxes, or the whole conversation."""
    is_removed: Expression = {"$eq": ["$$this.post", post_id]}
    if comment_id is not None:
        is_removed = {"$and": [is_removed, {"$eq": ["$$this.comment", comment_id]}]}
    _remove({"unread_messages.post": post_id}, is_removed)


def unread_posts_query(*, uid: int) -> tuple[str, list[Document]]:
    """Return a collection and a pipeline for unread conversations, as ``feed.providers`` describes."""
    return notification_boxes().name, [
        {"$match": {"_id": uid}},
        {"$project": {"_id": 0, "post": {"$setUnion": array_or_empty("unread_messages.post")}}},
        {"$unwind": "$post"},
    ]


def _remove(where: Document, is_removed: Expression) -> None:
    remaining = filter_array("unread_messages", {"$not": [is_removed]})
    change = {"$set": {"unread_messages": remaining}}
    notification_boxes().update_many(where, [change, count_conversations()])


def _delivery_pipeline(message: Message, classes: Collection[str]) -> list[Expression]:
    is_quiet: list[Expression] = [{"$in": [message.post_id, array_or_empty("muted_posts")]}]
    if classes:
        matching_classes = {"$setIntersection": [array_or_empty("filters"), list(classes)]}
        is_quiet.append({"$gt": [{"$size": matching_classes}, 0]})
    messages = {
        "$cond": [{"$or": is_quiet}, array_or_empty("unread_messages"), _with_message(message)]
    }
    return [
        {"$set": {"unread_messages": messages, **_common_fields(message)}},
        count_conversations(),
    ]


def _common_fields(message: Message) -> Document:
    return {
        "unread": {"$ifNull": ["$unread", 0]},
        "last_message": f"{message.post_id}:{message.id}",
    }


def _with_message(message: Message) -> Expression:
    """Return the unread messages with one more, unless the box already has it."""
    row: Document = {"id": message.id, "post": message.post_id}
    if message.comment_id:
        row["comment"] = message.comment_id
    row |= {"actor": message.actor, "author": message.author}
    messages = {"$concatArrays": [array_or_empty("unread_messages"), [{"$literal": row}]]}
    return {
        "$cond": [
            {"$in": [message.id, array_or_empty("unread_messages.id")]},
            "$unread_messages",
            {"$slice": [messages, -MAX_UNREAD_MESSAGES]},
        ]
    }
