"""The notification box: one document per user with the newest notifications of the user.

    notification_boxes {_id: uid, recent: [<= 100, by id], unread, overflow: [],
                        filtered: [<= 100], is_sealable, oldest_expiring, seq, cleared_seq,
                        last_arrival, ... preferences,
                        dismissed?: {at, recent, overflow, filtered, posts, cleared_seq}}

A delivery to one recipient is one upsert with a pipeline, whose filter skips users who disabled the
kind, muted the thread or already have the notification.

    recent        the newest rows
    overflow      durable rows that no longer fit and wait for a bucket of the ``history``
    filtered      rows that wait because of the user's policy
    seq           the number of the next bucket; buckets below ``cleared_seq`` were cleared
    last_arrival  the id of the last delivered row, so that every delivery changes a field that the
                  change stream watches (``changes``)
    dismissed     the rows of the last dismissal; ``posts`` are the posts of these rows

``unread_messages`` describes the fields for conversations. Functions that withdraw rows also remove unread
messages, in the same command.

``expressions.settle_stages`` describes ``unread``, ``is_sealable`` and ``oldest_expiring``.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pymongo import UpdateOne
from pymongo.errors import BulkWriteError

from accounts.infra.store.connection import Document, aware
from accounts.infra.transactions import duplicate_key_indexes

from . import mail_queue
from .collections import notification_boxes
from .expressions import (
    BOX_SIZE,
    Expression,
    array_or_empty,
    count_conversations,
    filter_array,
    has_id_in,
    is_burning,
    is_durable,
    merge_by_id,
    settle_stages,
)
from .preferences import Preferences, preferences_from_document
from .rows import NotificationRow, document_from_row, row_from_document

ROW_ARRAYS = ("recent", "overflow", "filtered")
UNREAD_FIELDS = ("unread", "unread_conversations")


@dataclass(frozen=True, slots=True)
class Box:
    """A box. Rows are newest first.

    The visible history consists of the buckets from ``cleared_seq`` up to, but without, ``seq``.
    ``dismissed_at`` is the time of the last dismissal, or None if there is nothing to undo.
    """

    recent: tuple[NotificationRow, ...] = ()
    overflow: tuple[NotificationRow, ...] = ()
    filtered: tuple[NotificationRow, ...] = ()
    unread_count: int = 0
    unread_conversations: int = 0
    seq: int = 0
    cleared_seq: int = 0
    dismissed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class UnreadCounts:
    """The numbers of unread notifications, and of conversations with unread messages."""

    notifications: int = 0
    conversations: int = 0


@dataclass(frozen=True, slots=True)
class PushCandidate:
    """An unread row to push. ``seen_at`` is when the recipient was last on the site."""

    row: NotificationRow
    preferences: Preferences
    seen_at: datetime | None


def create_indexes() -> None:
    boxes = notification_boxes()
    for name in ROW_ARRAYS:
        boxes.create_index([(f"{name}.post", 1)], sparse=True)
    boxes.create_index([("dismissed.posts", 1)], sparse=True)
    boxes.create_index([("oldest_expiring", 1)], sparse=True)
    boxes.create_index([("is_sealable", 1)], partialFilterExpression={"is_sealable": True})


def deliver(*, row: NotificationRow, classes_by_recipient: Mapping[int, Collection[str]]) -> int:
    """Deliver a row to each recipient once, and return the number of new rows.

    Runs one command, or two if a recipient's box exists but does not accept the row, for example because
    the box already has the row. Safe to repeat. ``classes_by_recipient`` holds the sender classes that the
    actor has for each recipient, with the names used in ``filters``.
    """
    if not classes_by_recipient:
        return 0
    statements = [
        _delivery_statement(row, recipient, classes)
        for recipient, classes in classes_by_recipient.items()
    ]
    try:
        result = notification_boxes().bulk_write(statements, ordered=False)
        return int(result.modified_count + result.upserted_count)
    except BulkWriteError as error:
        refused_indexes = sorted(duplicate_key_indexes(error=error))
        delivered_count = error.details["nModified"] + error.details["nUpserted"]
    # These upserts failed because the box exists. Either the filter skipped the box on purpose, or a
    # concurrent request has just created the box. Only in the second case, the retry delivers the row.
    pairs = list(classes_by_recipient.items())
    retries = [_delivery_statement(row, *pairs[index], upsert=False) for index in refused_indexes]
    return int(
        delivered_count + notification_boxes().bulk_write(retries, ordered=False).modified_count
    )


def get(*, recipient: int) -> Box:
    """Return a user's box. Runs one command."""
    names = (*ROW_ARRAYS, *UNREAD_FIELDS, "seq", "cleared_seq", "dismissed.at")
    document = notification_boxes().find_one({"_id": recipient}, names)
    if document is None:
        return Box()
    recent, overflow, filtered = (
        tuple(row_from_document(row_document) for row_document in reversed(document.get(name, ())))
        for name in ROW_ARRAYS
    )
    return Box(
        recent,
        overflow,
        filtered,
        unread_count=document["unread"],
        unread_conversations=document.get("unread_conversations", 0),
        seq=document.get("seq", 0),
        cleared_seq=document.get("cleared_seq", 0),
        dismissed_at=aware(document.get("dismissed", {}).get("at")),
    )


def unread_counts(*, recipient: int) -> UnreadCounts:
    """Return the numbers of a user. Runs one command."""
    return _unread_counts(notification_boxes().find_one({"_id": recipient}, UNREAD_FIELDS))


def record_presence(*, recipient: int, now: datetime) -> UnreadCounts:
    """Record that the user is on the site, and return the unread counts. Runs one command."""
    return _unread_counts(
        notification_boxes().find_one_and_update(
            {"_id": recipient}, {"$max": {"seen_at": now}}, UNREAD_FIELDS
        )
    )


def _unread_counts(document: Document | None) -> UnreadCounts:
    if document is None:
        return UnreadCounts()
    return UnreadCounts(document["unread"], document.get("unread_conversations", 0))


def push_candidate(*, recipient: int, row_id: int) -> PushCandidate | None:
    """Return the row to push, or None if the row is filtered, read or deleted. Runs one command."""
    projection = {"recent": {"$elemMatch": {"id": row_id}}, "push": 1, "mail": 1, "seen_at": 1}
    box = notification_boxes().find_one({"_id": recipient, "recent.id": row_id}, projection)
    if box is None or box["recent"][0]["is_read"]:
        return None
    return PushCandidate(
        row=row_from_document(box["recent"][0]),
        preferences=preferences_from_document(box),
        seen_at=aware(box.get("seen_at")),
    )


def mark(
    *, recipient: int, ids: Collection[int], is_read: bool, keep_marked_unread: bool = False
) -> None:
    """Mark rows as read or unread. Burning rows that are marked as read are deleted.

    ``keep_marked_unread`` skips rows that the user marked as unread.
    """
    is_chosen = has_id_in(ids)
    if keep_marked_unread:
        is_chosen = {
            "$and": [is_chosen, {"$not": [{"$ifNull": ["$$this.is_marked_unread", False]}]}]
        }
    state = {"is_read": is_read, "is_marked_unread": not is_read}
    marked_rows = {
        "$map": {
            "input": array_or_empty("recent"),
            "in": {"$cond": [is_chosen, {"$mergeObjects": ["$$this", state]}, "$$this"]},
        }
    }
    is_burnt = {"$and": [is_chosen, is_burning()]} if is_read else False
    remaining_rows = {"$filter": {"input": marked_rows, "cond": {"$not": [is_burnt]}}}
    update_boxes(
        {"_id": recipient, "recent.id": {"$in": list(ids)}}, [{"$set": {"recent": remaining_rows}}]
    )


def mark_actor_read(*, recipient: int, actor: int) -> None:
    """Mark all rows of this actor as read."""
    is_by_actor = {"$eq": ["$$this.actor", actor]}
    read_row = {"$mergeObjects": ["$$this", {"is_read": True}]}
    marked_rows = {
        "$map": {
            "input": array_or_empty("recent"),
            "in": {"$cond": [is_by_actor, read_row, "$$this"]},
        }
    }
    update_boxes({"_id": recipient, "recent.actor": actor}, [{"$set": {"recent": marked_rows}}])


def accept_filtered(*, recipient: int, ids: Collection[int]) -> None:
    """Accept filtered rows: move them to ``recent``."""
    arrays = {
        "recent": merge_by_id(array_or_empty("recent"), filter_array("filtered", has_id_in(ids))),
        "filtered": filter_array("filtered", {"$not": [has_id_in(ids)]}),
    }
    update_boxes({"_id": recipient, "filtered.id": {"$in": list(ids)}}, [{"$set": arrays}])


def withdraw(*, recipient: int, key: str) -> None:
    """Remove the row with this key."""
    _remove_rows({"_id": recipient}, {"$eq": ["$$this.key", key]})


def withdraw_actor(*, recipient: int, actor: int) -> None:
    """Remove all rows of this actor, and unread messages in conversations that the actor began."""
    _remove_rows({"_id": recipient}, {"$in": [actor, ["$$this.actor", "$$this.author"]]})


def erase_user(*, uid: int) -> None:
    """Delete a user's box with all preferences, and all rows about the user's actions in other boxes.

    Reads all boxes, because no index contains the actors.
    """
    notification_boxes().delete_one({"_id": uid})
    paths = [*ROW_ARRAYS, *(f"dismissed.{name}" for name in ROW_ARRAYS)]
    actor_paths = [f"{name}.actor" for name in (*paths, "unread_messages")]
    _remove_rows(
        {"$or": [{path: uid} for path in (*actor_paths, "unread_messages.author")]},
        {"$in": [uid, ["$$this.actor", "$$this.author"]]},
    )


def withdraw_post(*, post_id: int, comment_id: int | None = None) -> None:
    """Remove all rows about a post, or about one comment on it."""
    names = (*ROW_ARRAYS, "unread_messages")
    paths = [*(f"{name}.post" for name in names), "dismissed.posts"]
    where: Document = {"$or": [{path: post_id} for path in paths]}
    is_about: Expression = {"$eq": ["$$this.post", post_id]}
    if comment_id is not None:
        is_about = {"$and": [is_about, {"$eq": ["$$this.comment", comment_id]}]}
    _remove_rows(where, is_about)


def expire(*, below: int, limit: int) -> int:
    """Delete expired rows from at most ``limit`` boxes, and return the number of changed boxes.

    Rows expire if their id is less than ``below``, unless they are durable.
    """
    uids = [
        document["_id"]
        for document in notification_boxes()
        .find({"oldest_expiring": {"$lt": below}}, {})
        .limit(limit)
    ]
    if uids:
        is_old = {"$lt": ["$$this.id", below]}
        remaining_rows = filter_array("recent", {"$or": [{"$not": [is_old]}, is_durable()]})
        filtered_rows = filter_array("filtered", {"$not": [is_old]})
        update_boxes(
            {"_id": {"$in": uids}},
            [{"$set": {"recent": remaining_rows, "filtered": filtered_rows}}],
        )
    return len(uids)


def sealable_boxes(*, limit: int) -> list[int]:
    """Return the uids of at most ``limit`` users whose overflow fills a bucket of the history."""
    documents = notification_boxes().find({"is_sealable": True}, {"_id": 1}).limit(limit)
    return [document["_id"] for document in documents]


def overflow_rows(*, recipient: int) -> tuple[int, list[Document]]:
    """Return the number of the next history bucket, and all overflow rows, oldest first."""
    document = notification_boxes().find_one({"_id": recipient}, ("overflow", "seq"))
    return (0, []) if document is None else (document.get("seq", 0), document.get("overflow", []))


def remove_sealed(*, recipient: int, seq: int, ids: Sequence[int]) -> list[int]:
    """Remove the rows of bucket ``seq`` from the overflow, and increment the box's ``seq``.

    Returns the ids of rows that had already left the overflow. If the bucket was already sealed, does
    nothing and returns an empty list.
    """
    is_next = {"seq": {"$in": [seq, None]}} if seq == 0 else {"seq": seq}
    remaining_rows = filter_array("overflow", {"$not": [has_id_in(ids)]})
    document = notification_boxes().find_one_and_update(
        {"_id": recipient, **is_next},
        [{"$set": {"overflow": remaining_rows, "seq": seq + 1}}, *settle_stages()],
        projection=["overflow.id"],
    )
    if document is None:
        return []
    overflow_ids = {row["id"] for row in document.get("overflow", ())}
    return [row_id for row_id in ids if row_id not in overflow_ids]


def _delivery_statement(
    row: NotificationRow, recipient: int, classes: Collection[str], *, upsert: bool = True
) -> UpdateOne:
    where: Document = {"_id": recipient, "disabled_kinds": {"$ne": row.kind}}
    where |= {f"{name}.key": {"$ne": row.key} for name in ROW_ARRAYS}
    if row.post_id:
        where["muted_posts"] = {"$ne": row.post_id}
    return UpdateOne(where, _delivery_pipeline(row, classes), upsert=upsert)


def _delivery_pipeline(row: NotificationRow, classes: Collection[str]) -> list[Expression]:
    new_rows = [{"$literal": document_from_row(row)}]
    mail_due = mail_queue.mail_due_expression(row=row)
    fields: dict[str, Expression] = {
        "recent": merge_by_id(array_or_empty("recent"), new_rows),
        "mail_due_at": mail_due,
        "last_arrival": row.id,
    }
    if classes:
        matching_classes = {"$setIntersection": [array_or_empty("filters"), list(classes)]}
        is_filtered = {"$gt": [{"$size": matching_classes}, 0]}
        filtered_rows = {"$slice": [merge_by_id(array_or_empty("filtered"), new_rows), -BOX_SIZE]}
        fields = {
            "recent": {"$cond": [is_filtered, array_or_empty("recent"), fields["recent"]]},
            "filtered": {"$cond": [is_filtered, filtered_rows, array_or_empty("filtered")]},
            "mail_due_at": {"$cond": [is_filtered, "$mail_due_at", mail_due]},
            "last_arrival": {"$cond": [is_filtered, "$last_arrival", row.id]},
        }
    return [{"$set": fields}, *settle_stages()]


def _remove_rows(where: Document, is_removed: Expression) -> None:
    is_kept = {"$not": [is_removed]}
    fields: dict[str, Expression] = {name: filter_array(name, is_kept) for name in ROW_ARRAYS}
    # Remove the rows from the last dismissal too. Otherwise undoing the dismissal would restore them.
    dismissed_rows = {name: filter_array(f"dismissed.{name}", is_kept) for name in ROW_ARRAYS}
    fields["dismissed"] = {
        "$cond": [
            {"$eq": [{"$type": "$dismissed"}, "missing"]},
            "$$REMOVE",
            {"$mergeObjects": ["$dismissed", dismissed_rows]},
        ]
    }
    fields["unread_messages"] = filter_array("unread_messages", is_kept)
    update_boxes(where, [{"$set": fields}, count_conversations()])


def update_boxes(where: Document, stages: list[Expression]) -> int:
    """Run the pipeline and ``settle_stages`` on matching boxes. Returns the number of changed boxes."""
    result = notification_boxes().update_many(where, [*stages, *settle_stages()])
    return int(result.modified_count)
