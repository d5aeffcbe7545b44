"""What each person was told: one document per reader.

    notification_boxes {_id: reader, items: [<= 100, by id], unread, kept: [], held: [<= 100],
                        full, expires, seq, hidden, newest, ... choices,
                        dismissed?: {at, items, kept, held, posts, hidden}}

One delivery is one command, whatever becomes of it: an upsert by a pipeline, whose filter knows what the
reader does not want, and who has been told already. ``kept`` are durable items that fell out of ``items``
and wait for a bucket of the ``history``, ``seq`` the number of the next one; buckets below ``hidden`` were
cleared; ``newest``: what came last, so that each arrival changes something that streams watch (``live``).
``held`` are items from people by whom the reader does not want to be told at once (``filters``).
``dismissed``: what the last dismissal took away, and could bring back; ``posts``: of which it tells.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pymongo import UpdateOne
from pymongo.errors import BulkWriteError

from . import mail_queue
from .collections import Document, notification_boxes
from .expressions import (
    BOX_SIZE,
    Expression,
    array_or_empty,
    filter_array,
    has_id_in,
    is_burning,
    is_durable,
    merge_by_id,
    settle_stages,
)
from .rows import NotificationRow, document_from_row, row_from_document

DUPLICATE_KEY_CODE = 11000
ROW_ARRAYS = ("items", "kept", "held")


@dataclass(frozen=True, slots=True)
class Box:
    """``items`` and ``held``: the newest first. ``seq``, ``hidden``: the buckets of the history between
    them are to be read. ``dismissed_at``: when what can be restored was dismissed."""

    recent: tuple[NotificationRow, ...] = ()
    overflow: tuple[NotificationRow, ...] = ()
    filtered: tuple[NotificationRow, ...] = ()
    unread_count: int = 0
    seq: int = 0
    cleared_seq: int = 0
    dismissed_at: datetime | None = None


def create_indexes() -> None:
    boxes = notification_boxes()
    for name in ROW_ARRAYS:
        boxes.create_index([(f"{name}.post", 1)], sparse=True)
    boxes.create_index([("dismissed.posts", 1)], sparse=True)
    boxes.create_index([("expires", 1)], sparse=True)
    boxes.create_index([("full", 1)], partialFilterExpression={"full": True})


def deliver(*, row: NotificationRow, classes_by_recipient: Mapping[int, Collection[str]]) -> int:
    """Tell readers, each once: one command, and a second one for those it could not tell. Safe to repeat.
    Returns how many were told now.

    ``readers``: what the actor is to each of them, as ``filters`` name it.
    """
    if not classes_by_recipient:
        return 0
    statements = [
        _statement(row, reader, classes) for reader, classes in classes_by_recipient.items()
    ]
    try:
        done = notification_boxes().bulk_write(statements, ordered=False)
        return int(done.modified_count + done.upserted_count)
    except BulkWriteError as error:
        refused = error.details["writeErrors"]
        if any(one["code"] != DUPLICATE_KEY_CODE for one in refused):
            raise
        told = error.details["nModified"] + error.details["nUpserted"]
    # There is a box: either it has the item, or its reader does not want it, or it was made this moment.
    pairs = list(classes_by_recipient.items())
    again = [_statement(row, *pairs[one["index"]], upsert=False) for one in refused]
    return int(told + notification_boxes().bulk_write(again, ordered=False).modified_count)


def get(*, recipient: int) -> Box:
    """One command."""
    names = (*ROW_ARRAYS, "unread", "seq", "hidden", "dismissed.at")
    found = notification_boxes().find_one({"_id": recipient}, _shape(*names))
    if found is None:
        return Box()
    items, kept, held = (
        tuple(row_from_document(one) for one in reversed(found.get(name, ())))
        for name in ROW_ARRAYS
    )
    dismissed_at = found.get("dismissed", {}).get("at")
    return Box(
        items,
        kept,
        held,
        unread_count=found["unread"],
        seq=found.get("seq", 0),
        cleared_seq=found.get("hidden", 0),
        dismissed_at=dismissed_at and dismissed_at.replace(tzinfo=UTC),
    )


def unread_count(*, recipient: int) -> int:
    """One command."""
    found = notification_boxes().find_one({"_id": recipient}, _shape("unread"))
    return 0 if found is None else int(found["unread"])


def mark(
    *, recipient: int, ids: Collection[int], is_read: bool, keep_marked_unread: bool = False
) -> None:
    """Read, or unread again; what is burning is gone once it is read. ``is_seen_only``: they were on a
    page, so that those which the reader has made unread again stay so."""
    chosen = has_id_in(ids)
    if keep_marked_unread:
        chosen = {"$and": [chosen, {"$not": [{"$ifNull": ["$$this.again", False]}]}]}
    state = {"read": is_read, "again": not is_read}
    marked = {
        "$map": {
            "input": array_or_empty("items"),
            "in": {"$cond": [chosen, {"$mergeObjects": ["$$this", state]}, "$$this"]},
        }
    }
    burnt = {"$and": [chosen, is_burning()]} if is_read else False
    left = {"$filter": {"input": marked, "cond": {"$not": [burnt]}}}
    update_boxes({"_id": recipient, "items.id": {"$in": list(ids)}}, [{"$set": {"items": left}}])


def mark_actor_read(*, recipient: int, actor: int) -> None:
    """All that this person did."""
    by_them = {"$eq": ["$$this.actor", actor]}
    read = {"$mergeObjects": ["$$this", {"read": True}]}
    marked = {
        "$map": {"input": array_or_empty("items"), "in": {"$cond": [by_them, read, "$$this"]}}
    }
    update_boxes({"_id": recipient, "items.actor": actor}, [{"$set": {"items": marked}}])


def accept_filtered(*, recipient: int, ids: Collection[int]) -> None:
    """Bring held items among the others."""
    moved = {
        "items": merge_by_id(array_or_empty("items"), filter_array("held", has_id_in(ids))),
        "held": filter_array("held", {"$not": [has_id_in(ids)]}),
    }
    update_boxes({"_id": recipient, "held.id": {"$in": list(ids)}}, [{"$set": moved}])


def withdraw(*, recipient: int, key: str) -> None:
    """It is not so any more."""
    _drop({"_id": recipient}, {"$eq": ["$$this.key", key]})


def withdraw_actor(*, recipient: int, actor: int) -> None:
    """Nothing that this person did is told any more."""
    _drop({"_id": recipient}, {"$eq": ["$$this.actor", actor]})


def erase_user(*, uid: int) -> None:
    """Their box goes, with all they have chosen; and nothing that they did is told to anybody any more.
    Reads all boxes: no page asks so."""
    notification_boxes().delete_one({"_id": uid})
    told = [*ROW_ARRAYS, *(f"dismissed.{name}" for name in ROW_ARRAYS)]
    _drop({"$or": [{f"{name}.actor": uid} for name in told]}, {"$eq": ["$$this.actor", uid]})


def withdraw_post(*, post_id: int, comment_id: int | None = None) -> None:
    """Nobody is told any more of a post, or of one comment on it."""
    held_in = [*(f"{name}.post" for name in ROW_ARRAYS), "dismissed.posts"]
    where: Document = {"$or": [{path: post_id} for path in held_in]}
    gone: Expression = {"$eq": ["$$this.post", post_id]}
    if comment_id is not None:
        gone = {"$and": [gone, {"$eq": ["$$this.comment", comment_id]}]}
    _drop(where, gone)


def expire(*, below: int, limit: int) -> int:
    """Drop the items that are not durable and whose id is below; of so many boxes at a time. Returns of how
    many."""
    due = [
        one["_id"]
        for one in notification_boxes().find({"expires": {"$lt": below}}, {}).limit(limit)
    ]
    if due:
        too_old = {"$lt": ["$$this.id", below]}
        left = filter_array("items", {"$or": [{"$not": [too_old]}, is_durable()]})
        held = filter_array("held", {"$not": [too_old]})
        update_boxes({"_id": {"$in": due}}, [{"$set": {"items": left, "held": held}}])
    return len(due)


def sealable_boxes(*, limit: int) -> list[int]:
    """Readers whose kept items fill a bucket of the history."""
    found = notification_boxes().find({"full": True}, {"_id": 1}).limit(limit)
    return [one["_id"] for one in found]


def overflow_rows(*, recipient: int) -> tuple[int, list[Document]]:
    """The number of the next bucket of the history, and all kept items, the oldest first."""
    found = notification_boxes().find_one({"_id": recipient}, _shape("kept", "seq"))
    return (0, []) if found is None else (found.get("seq", 0), found.get("kept", []))


def remove_sealed(*, recipient: int, seq: int, ids: Sequence[int]) -> list[int]:
    """The bucket of this number has these items: keep them no more, and count on. Returns those of them
    that were not kept any more; none if the bucket has been sealed already."""
    is_next = {"seq": {"$in": [seq, None]}} if seq == 0 else {"seq": seq}
    left = filter_array("kept", {"$not": [has_id_in(ids)]})
    before = notification_boxes().find_one_and_update(
        {"_id": recipient, **is_next},
        [{"$set": {"kept": left, "seq": seq + 1}}, *settle_stages()],
        projection=_shape("kept.id"),
    )
    if before is None:
        return []
    kept = {one["id"] for one in before.get("kept", ())}
    return [one for one in ids if one not in kept]


def _statement(
    item: NotificationRow, reader: int, classes: Collection[str], *, upsert: bool = True
) -> UpdateOne:
    where: Document = {"_id": reader, "off": {"$ne": item.kind}}
    where |= {f"{name}.key": {"$ne": item.key} for name in ROW_ARRAYS}
    if item.post_id:
        where["muted"] = {"$ne": item.post_id}
    return UpdateOne(where, _arrival(item, classes), upsert=upsert)


def _arrival(item: NotificationRow, classes: Collection[str]) -> list[Expression]:
    new = [{"$literal": document_from_row(item)}]
    mail_due = mail_queue.mail_due_expression(row=item)
    arrived: dict[str, Expression] = {
        "items": merge_by_id(array_or_empty("items"), new),
        "mail_due": mail_due,
        "newest": item.id,
    }
    if classes:
        common = {"$setIntersection": [array_or_empty("filters"), list(classes)]}
        is_held = {"$gt": [{"$size": common}, 0]}
        held = {"$slice": [merge_by_id(array_or_empty("held"), new), -BOX_SIZE]}
        arrived = {
            "items": {"$cond": [is_held, array_or_empty("items"), arrived["items"]]},
            "held": {"$cond": [is_held, held, array_or_empty("held")]},
            "mail_due": {"$cond": [is_held, "$mail_due", mail_due]},
            "newest": {"$cond": [is_held, "$newest", item.id]},
        }
    return [{"$set": arrived}, *settle_stages()]


def _drop(where: Document, gone: Expression) -> None:
    stays = {"$not": [gone]}
    left: dict[str, Expression] = {name: filter_array(name, stays) for name in ROW_ARRAYS}
    # Nor does an undo bring it back.
    undo = {name: filter_array(f"dismissed.{name}", stays) for name in ROW_ARRAYS}
    left["dismissed"] = {
        "$cond": [
            {"$eq": [{"$type": "$dismissed"}, "missing"]},
            "$$REMOVE",
            {"$mergeObjects": ["$dismissed", undo]},
        ]
    }
    update_boxes(where, [{"$set": left}])


def update_boxes(where: Document, stages: list[Expression]) -> int:
    """How many boxes were changed."""
    done = notification_boxes().update_many(where, [*stages, *settle_stages()])
    return int(done.modified_count)


def _shape(*names: str) -> dict[str, int]:
    return dict.fromkeys(names, 1)
