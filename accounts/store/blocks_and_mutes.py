"""Blocks, mutes, and what the home timeline leaves out of the posts and shares of followed users.

    blocks_and_mutes {_id: id, owner, other, kind, at, expires_at?, shows_notifications?,
                      languages?, restores_follow?}

Unique on (owner, other, kind). ``owner`` is the viewer whose pages the document affects, so every look-up
needs only the viewer. A block affects the pages of both users. So one transaction stores a block twice: as
"block" with the blocker as owner, and as "blocked_by" with the blocked user as owner.

"hide_from_home" means that an exclusive user list of the owner contains the other user. The feed keeps
these documents equal to its lists, so that a page of the home timeline needs only those of its authors.

"languages" means that the owner follows, or has requested to follow, the other user only in ``languages``.
This document and "hide_shares" are the settings of a follow and end with it.

``expires_at`` is the end of a mute. The server deletes the document some time later, so queries leave out
expired mutes. ``shows_notifications`` means that the owner still gets notifications about a muted user.
``restores_follow`` on a block means that the blocker followed the other user, and that unblocking restores
this follow.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pymongo import ASCENDING, DESCENDING, UpdateOne

from accounts.infra.cursors import PageBounds
from accounts.infra.store.connection import Document, session
from accounts.infra.store.unions import SINGLE_BATCH, Query, UnionResult

from .collections import blocks_and_mutes, find_page

BLOCK = "block"
BLOCKED_BY = "blocked_by"
MUTE = "mute"
HIDE_SHARES = "hide_shares"
HIDE_FROM_HOME = "hide_from_home"
LANGUAGES = "languages"
FOLLOW_SETTINGS = (HIDE_SHARES, LANGUAGES)


@dataclass(frozen=True, slots=True)
class BlockOrMute:
    id: int
    other: int
    restores_follow: bool
    shows_notifications: bool


def create_indexes() -> None:
    blocks_and_mutes().create_index(
        [("owner", ASCENDING), ("other", ASCENDING), ("kind", ASCENDING)], unique=True
    )
    blocks_and_mutes().create_index(
        [("owner", ASCENDING), ("kind", ASCENDING), ("_id", DESCENDING)]
    )
    blocks_and_mutes().create_index([("expires_at", ASCENDING)], expireAfterSeconds=0)


def not_expired(*, now: datetime) -> Document:
    """Return the query condition that leaves out expired documents."""
    return {"expires_at": {"$not": {"$lte": now}}}


def find_by_kind(*, owner: int, other: int) -> dict[str, BlockOrMute]:
    """Return the documents for this owner and this other user, by kind. One command.

    Includes expired mutes.
    """
    rows = blocks_and_mutes().find({"owner": owner, "other": other}, session=session())
    return {row["kind"]: _from_document(row) for row in rows}


def insert_block(
    *,
    block_id: int,
    mirror_id: int,
    owner: int,
    other: int,
    at: datetime,
    restores_follow: bool,
) -> None:
    """Insert both documents of a block. The caller must have checked that none exists."""
    block: Document = {"_id": block_id, **_key(owner, other, BLOCK), "at": at}
    if restores_follow:
        block["restores_follow"] = True
    mirror = {"_id": mirror_id, **_key(other, owner, BLOCKED_BY), "at": at}
    blocks_and_mutes().insert_many([block, mirror], session=session())


def delete_block(*, owner: int, other: int) -> None:
    """Delete both documents of a block, if they exist."""
    keys = [_key(owner, other, BLOCK), _key(other, owner, BLOCKED_BY)]
    blocks_and_mutes().delete_many({"$or": keys}, session=session())


def clear_restored_follow(*, owner: int, other: int) -> bool:
    """Make a block restore no follow when the block ends.

    Return whether the block would have restored a follow.
    """
    query = _key(owner, other, BLOCK) | {"restores_follow": True}
    result = blocks_and_mutes().update_one(
        query, {"$unset": {"restores_follow": 1}}, session=session()
    )
    return bool(result.modified_count)


def save_mute(
    *,
    insert_id: int,
    owner: int,
    other: int,
    at: datetime,
    expires_at: datetime | None,
    shows_notifications: bool,
) -> None:
    """Insert a mute, or replace the existing mute. ``insert_id`` is used only for a new document."""
    mute = {"at": at, "expires_at": expires_at, "shows_notifications": shows_notifications}
    change = {"$setOnInsert": {"_id": insert_id}, "$set": mute}
    blocks_and_mutes().update_one(_key(owner, other, MUTE), change, upsert=True, session=session())


def delete_mute(*, owner: int, other: int) -> bool:
    """Delete a mute. Return whether there was one, even an expired one."""
    result = blocks_and_mutes().delete_one(_key(owner, other, MUTE), session=session())
    return bool(result.deleted_count)


def save_follow_setting(
    *,
    insert_id: int,
    owner: int,
    other: int,
    kind: str,
    at: datetime,
    languages: Sequence[str] = (),
) -> None:
    """Save one of ``FOLLOW_SETTINGS``. ``insert_id`` is used only for a new document."""
    change: Document = {"$setOnInsert": {"_id": insert_id}, "$set": {"at": at}}
    if languages:
        change["$set"]["languages"] = list(languages)
    blocks_and_mutes().update_one(_key(owner, other, kind), change, upsert=True, session=session())


def delete_follow_settings(
    *, owner: int, other: int, kinds: Iterable[str] = FOLLOW_SETTINGS
) -> None:
    """Delete settings of a follow, if they exist. One command."""
    query = {"owner": owner, "other": other, "kind": {"$in": list(kinds)}}
    blocks_and_mutes().delete_many(query, session=session())


def languages_by_followee(*, owner: int) -> dict[int, list[str]]:
    """Return the languages in which the owner follows users, without users followed in all languages.

    One command.
    """
    rows = blocks_and_mutes().find(
        {"owner": owner, "kind": LANGUAGES}, {"_id": 0, "other": 1, "languages": 1}
    )
    return {row["other"]: row["languages"] for row in rows.batch_size(SINGLE_BATCH)}


def hide_from_home(*, ids_by_uid: Mapping[int, int], owner: int, at: datetime) -> None:
    """Hide these users from the owner's home timeline. Safe to repeat. One command.

    The values of ``ids_by_uid`` are the ids of new documents.
    """
    updates = [
        UpdateOne(
            _key(owner, uid, HIDE_FROM_HOME),
            {"$setOnInsert": {"_id": new_id, "at": at}},
            upsert=True,
        )
        for uid, new_id in ids_by_uid.items()
    ]
    blocks_and_mutes().bulk_write(updates, ordered=False, session=session())


def show_in_home(*, owner: int, uids: Iterable[int]) -> None:
    """Undo ``hide_from_home`` for these users. One command."""
    query = {"owner": owner, "other": {"$in": list(uids)}, "kind": HIDE_FROM_HOME}
    blocks_and_mutes().delete_many(query, session=session())


def delete_all_of_user(*, uid: int) -> None:
    """Delete all documents with this user as ``owner`` or ``other``.

    No index covers ``other``, so this reads the whole collection. Only erasure calls it.
    """
    blocks_and_mutes().delete_many({"$or": [{"owner": uid}, {"other": uid}]})


def hidden_user_queries(*, owner: int, now: datetime) -> list[Query]:
    """Return the query for the owner's current mutes, hidden shares and users hidden from home."""
    kinds = [MUTE, HIDE_SHARES, HIDE_FROM_HOME]
    query = {"owner": owner, "kind": {"$in": kinds}, **not_expired(now=now)}
    fields = {"_id": 0, "other": 1, "kind": 1}
    return [("blocks_and_mutes", [{"$match": query}, {"$project": fields}])]


def hidden_users_in(*, union: UnionResult) -> list[tuple[int, str]]:
    """Return (uid, kind) in a result that includes that of ``hidden_user_queries``."""
    return [(row["other"], row["kind"]) for row in union.having("other")]


def blocked_pairs(*, owners: Iterable[int], others: Iterable[int]) -> set[tuple[int, int]]:
    """Return all pairs (owner, other) in which either user blocks the other.

    One command, which reads only the index.
    """
    rows = blocks_and_mutes().find(
        {
            "owner": {"$in": list(owners)},
            "other": {"$in": list(others)},
            "kind": {"$in": [BLOCK, BLOCKED_BY]},
        },
        {"_id": 0, "owner": 1, "other": 1},
        hint=[("owner", ASCENDING), ("other", ASCENDING), ("kind", ASCENDING)],
        session=session(),
    )
    return {(row["owner"], row["other"]) for row in rows}


def blocks_or_mutes_page(
    *, owner: int, kind: str, now: datetime, bounds: PageBounds
) -> list[BlockOrMute]:
    """Return a page of unexpired documents of one kind, newest first."""
    query = {"owner": owner, "kind": kind, **not_expired(now=now)}
    rows = find_page(collection=blocks_and_mutes(), query=query, bounds=bounds)
    return [_from_document(row) for row in rows]


def _key(owner: int, other: int, kind: str) -> Document:
    return {"owner": owner, "other": other, "kind": kind}


def _from_document(document: Document) -> BlockOrMute:
    return BlockOrMute(
        id=document["_id"],
        other=document["other"],
        restores_follow=document.get("restores_follow", False),
        shows_notifications=document.get("shows_notifications", False),
    )
