"""What people keep from each other: blocks, mutes, and shares they do not want to see.

    boundaries {_id: id, owner, other, kind, at, until?, suspended?}

Unique on (owner, other, kind). ``owner`` is whom it concerns when they read, so that every look-up is
by the viewer alone. Therefore a block is kept twice, written by one transaction: as "block" with the
blocker as its owner, and mirrored as "blocked_by" with the blocked person as its owner.

``until``: when a mute ends by itself. The server deletes it some time after that, so readers leave out
what has ended. ``suspended`` on a block: the blocker followed, and follows again after unblocking.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from pymongo import ASCENDING, DESCENDING

from .collections import Document, blocks_and_mutes, session
from .pages import find_page

BLOCK = "block"
BLOCKED_BY = "blocked_by"
MUTE = "mute"
HIDE_SHARES = "hide_shares"


@dataclass(frozen=True, slots=True)
class BlockOrMute:
    id: int
    other: int
    kind: str
    expires_at: datetime | None
    restores_follow: bool


def create_indexes() -> None:
    blocks_and_mutes().create_index(
        [("owner", ASCENDING), ("other", ASCENDING), ("kind", ASCENDING)], unique=True
    )
    blocks_and_mutes().create_index(
        [("owner", ASCENDING), ("kind", ASCENDING), ("_id", DESCENDING)]
    )
    blocks_and_mutes().create_index([("until", ASCENDING)], expireAfterSeconds=0)


def not_expired(*, now: datetime) -> Document:
    """The part of a query that leaves out what has ended."""
    return {"until": {"$not": {"$lte": now}}}


def find_by_kind(*, owner: int, other: int) -> dict[str, BlockOrMute]:
    """By kind, what this person keeps from the other; also ended mutes. One command."""
    found = blocks_and_mutes().find({"owner": owner, "other": other}, session=session())
    return {one["kind"]: _boundary(one) for one in found}


def insert_block(
    *,
    block_id: int,
    mirror_id: int,
    owner: int,
    other: int,
    at: datetime,
    restores_follow: bool,
) -> None:
    """Both documents of a block. The caller has seen that there is none."""
    block: Document = {"_id": block_id, **_key(owner, other, BLOCK), "at": at}
    if restores_follow:
        block["suspended"] = True
    mirror = {"_id": mirror_id, **_key(other, owner, BLOCKED_BY), "at": at}
    blocks_and_mutes().insert_many([block, mirror], session=session())


def delete_block(*, owner: int, other: int) -> None:
    """Takes both documents away, if they are there."""
    either = [_key(owner, other, BLOCK), _key(other, owner, BLOCKED_BY)]
    blocks_and_mutes().delete_many({"$or": either}, session=session())


def clear_restored_follow(*, owner: int, other: int) -> bool:
    """Unblocking restores nothing any more. Whether it would have."""
    query = _key(owner, other, BLOCK) | {"suspended": True}
    ended = blocks_and_mutes().update_one(query, {"$unset": {"suspended": 1}}, session=session())
    return bool(ended.modified_count)


def save_mute_or_hide(
    *,
    insert_id: int,
    owner: int,
    other: int,
    kind: str,
    at: datetime,
    expires_at: datetime | None = None,
) -> None:
    """Set it, or give the one there is another end. The id stays that of the first."""
    change: Document = {"$setOnInsert": {"_id": insert_id}, "$set": {"at": at}}
    if expires_at is None:
        change["$unset"] = {"until": 1}
    else:
        change["$set"]["until"] = expires_at
    blocks_and_mutes().update_one(_key(owner, other, kind), change, upsert=True, session=session())


def delete_mute_or_hide(*, owner: int, other: int, kind: str) -> bool:
    """Whether there was one, be it ended."""
    gone = blocks_and_mutes().delete_one(_key(owner, other, kind), session=session())
    return bool(gone.deleted_count)


def delete_all_of_user(*, uid: int) -> None:
    """Theirs, and those of others towards them. Reads all there are: no page asks so."""
    blocks_and_mutes().delete_many({"$or": [{"owner": uid}, {"other": uid}]})


def hidden_users(*, owner: int, now: datetime) -> list[tuple[int, str]]:
    """(uid, kind) of all whom this person mutes now or whose shares they hide: one command."""
    query = {"owner": owner, "kind": {"$in": [MUTE, HIDE_SHARES]}, **not_expired(now=now)}
    found = blocks_and_mutes().find(query, {"_id": 0, "other": 1, "kind": 1}).batch_size(400_000)
    return [(one["other"], one["kind"]) for one in found]


def blocked_pairs(*, owners: Iterable[int], others: Iterable[int]) -> set[tuple[int, int]]:
    """(person, other) of all pairs of whom one blocks the other: one command, on the index alone."""
    found = blocks_and_mutes().find(
        {
            "owner": {"$in": list(owners)},
            "other": {"$in": list(others)},
            "kind": {"$in": [BLOCK, BLOCKED_BY]},
        },
        {"_id": 0, "owner": 1, "other": 1},
        hint=[("owner", ASCENDING), ("other", ASCENDING), ("kind", ASCENDING)],
        session=session(),
    )
    return {(one["owner"], one["other"]) for one in found}


def blocks_or_mutes_page(
    *,
    owner: int,
    kind: str,
    now: datetime,
    below: int | None,
    above: int | None,
    limit: int,
) -> list[BlockOrMute]:
    """The newest of a kind that last, newest first; see ``pages.page``."""
    query = {"owner": owner, "kind": kind, **not_expired(now=now)}
    found = find_page(
        collection=blocks_and_mutes(), query=query, below=below, above=above, limit=limit
    )
    return [_boundary(one) for one in found]


def _key(owner: int, other: int, kind: str) -> Document:
    return {"owner": owner, "other": other, "kind": kind}


def _boundary(document: Document) -> BlockOrMute:
    until = document.get("until")
    return BlockOrMute(
        id=document["_id"],
        other=document["other"],
        kind=document["kind"],
        expires_at=None if until is None else until.replace(tzinfo=UTC),
        restores_follow=document.get("suspended", False),
    )
