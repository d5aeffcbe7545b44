"""Private notes of users about other users.

    user_notes {_id, owner, other, text}

Unique on (owner, other). Only the owner reads a note.
"""

from collections.abc import Collection, Mapping, Sequence

from pymongo import ASCENDING, UpdateOne
from pymongo.errors import BulkWriteError

from accounts.infra.store.connection import upsert
from accounts.infra.store.unions import Query, UnionResult
from accounts.infra.transactions import duplicate_key_indexes

from .collections import user_notes


def create_indexes() -> None:
    user_notes().create_index([("owner", ASCENDING), ("other", ASCENDING)], unique=True)
    user_notes().create_index([("other", ASCENDING)])


def note_queries(*, owner: int | None, others: Collection[int]) -> list[Query]:
    """Return the query for the owner's notes about these users, to read it with others in one command."""
    if owner is None or not others:
        return []
    query = {"owner": owner, "other": {"$in": list(others)}}
    fields = {"_id": 0, "noted": "$other", "text": 1}
    return [(user_notes().name, [{"$match": query}, {"$project": fields}])]


def notes_in(*, union: UnionResult) -> dict[int, str]:
    """Return the notes by uid in a result that includes that of ``note_queries``."""
    return {row["noted"]: row["text"] for row in union.having("noted")}


def save_note(*, id: int, owner: int, other: int, text: str) -> None:
    """Insert or replace a note. Safe to repeat. ``id`` is the id of a new note."""
    change = {"$set": {"text": text}, "$setOnInsert": {"_id": id}}
    upsert(collection=user_notes(), query={"owner": owner, "other": other}, change=change)


def insert_notes(*, owner: int, texts: Mapping[int, str], ids: Sequence[int]) -> int:
    """Insert notes by uid, unless the owner has a note about the user. One command. Safe to repeat.

    Return the number of new notes. ``ids`` are the ids of new notes, one for each text.
    """
    inserts = [
        UpdateOne(
            {"owner": owner, "other": other},
            {"$setOnInsert": {"_id": note_id, "text": text}},
            upsert=True,
        )
        for note_id, (other, text) in zip(ids, texts.items(), strict=True)
    ]
    if not inserts:
        return 0
    try:
        return user_notes().bulk_write(inserts, ordered=False).upserted_count
    except BulkWriteError as error:
        # Another process inserted a note about the same user at the same time.
        duplicate_key_indexes(error=error)
        return int(error.details["nUpserted"])


def delete_note(*, owner: int, other: int) -> None:
    user_notes().delete_one({"owner": owner, "other": other})


def notes_after(*, uid: int, cursor: int, limit: int) -> list[tuple[int, str]]:
    """Return (uid, text) of this user's notes, in the order of the uids above ``cursor``."""
    rows = user_notes().find({"owner": uid, "other": {"$gt": cursor}}, {"other": 1, "text": 1})
    return [(row["other"], row["text"]) for row in rows.sort("other", ASCENDING).limit(limit)]


def delete_all_of_user(*, uid: int) -> None:
    """Delete all notes by this user and about this user."""
    user_notes().delete_many({"$or": [{"owner": uid}, {"other": uid}]})
