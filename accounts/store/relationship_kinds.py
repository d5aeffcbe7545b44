"""How one person stands to others, from every collection at once, in one command.

Each part of the union is asked by its own shard key: edges and requests by the follower, boundaries by
their owner, people by their id. Services that must be sure ask the collections one by one instead, in
their transaction.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from . import blocks_and_mutes
from .collections import Document, database, session

FOLLOWS = "follows"
FOLLOWED_BY = "followed_by"
REQUESTED = "requested"
REQUESTED_BY = "requested_by"
PRIVATE = "private"
PUBLIC = "public"
INACTIVE = "gone"
LIMITED = "limited"

SINGLE_BATCH = 400_000
"""A batch so large that no answer takes a second command."""

UnionPart = tuple[str, list[Document]]
"""A collection, and the pipeline that makes ``{uid, kind, until?}`` of it."""


@dataclass(frozen=True, slots=True)
class UidsByKind:
    """Uids by what is so between the viewer and them; ``muted_until`` of mutes that end."""

    by_kind: dict[str, set[int]] = field(default_factory=dict)
    muted_until: dict[int, datetime] = field(default_factory=dict)

    def of_kind(self, *kinds: str) -> frozenset[int]:
        """Those of whom any of these is so."""
        return frozenset().union(*(self.by_kind.get(kind, ()) for kind in kinds))


def find_for_viewer(
    *,
    viewer: int | None,
    uids: Iterable[int],
    now: datetime,
    include_requests: bool = False,
    include_followers: bool = False,
    include_incoming_requests: bool = False,
) -> UidsByKind:
    """How the viewer stands to ``uids``; of a visitor only what they are themselves. Asks nothing if
    there are none.

    ``with_requests``: also whom the viewer has asked; ``with_followers``: also who follows the
    viewer; ``with_askers``: also who has asked to.
    """
    wanted = sorted(set(uids))
    if not wanted:
        return UidsByKind()
    among = {"$in": wanted}
    if viewer is None:
        return _ask([_themselves(among, viewer=None)])
    parts = [
        _part("follow_edges", {"follower": viewer, "followee": among}, "$followee", FOLLOWS),
        _boundaries({"owner": viewer, "other": among, **blocks_and_mutes.not_expired(now=now)}),
        _themselves(among, viewer=viewer),
    ]
    if include_requests:
        asked = {"follower": viewer, "followee": among}
        parts.append(_part("follow_requests", asked, "$followee", REQUESTED))
    if include_followers:
        following = {"followee": viewer, "follower": among}
        parts.append(_part("follow_edges", following, "$follower", FOLLOWED_BY))
    if include_incoming_requests:
        asking = {"followee": viewer, "follower": among}
        parts.append(_part("follow_requests", asking, "$follower", REQUESTED_BY))
    return _ask(parts)


def find_for_recipients(*, uids: Iterable[int], towards: int, now: datetime) -> UidsByKind:
    """How each of ``uids`` stands to one person: the other way round than ``towards``, one command. Also
    whether that person is private or limited."""
    wanted = sorted(set(uids))
    if not wanted:
        return UidsByKind()
    among = {"$in": wanted}
    kept = {"owner": among, "other": towards, **blocks_and_mutes.not_expired(now=now)}
    shape = {"_id": 0, "uid": "$owner", "kind": 1}
    return _ask(
        [
            _part("follow_edges", {"follower": among, "followee": towards}, "$follower", FOLLOWS),
            _part(
                "follow_edges", {"follower": towards, "followee": among}, "$followee", FOLLOWED_BY
            ),
            ("boundaries", [{"$match": kept}, {"$project": shape}]),
            _part("accounts_user", {"_id": among, "is_active": False}, "$_id", INACTIVE),
            _themselves(towards, viewer=None),
        ]
    )


def find_before_follow(*, follower: int, followee: int) -> UidsByKind:
    """What decides how to follow: whether they do or have asked, and whether the followee, if they are
    here at all, is private or public."""
    pair = {"follower": follower, "followee": followee}
    here = {"_id": followee, "is_active": True}
    return _ask(
        [
            _part("accounts_user", here | {"is_private": True}, "$_id", PRIVATE),
            _part("accounts_user", here | {"is_private": {"$ne": True}}, "$_id", PUBLIC),
            _part("follow_edges", pair, "$followee", FOLLOWS),
            _part("follow_requests", pair, "$followee", REQUESTED),
        ]
    )


def _themselves(who: Document | int, *, viewer: int | None) -> UnionPart:
    """What people are, whoever looks; nobody is limited for themselves."""
    kinds: Document = {
        PRIVATE: "$is_private",
        LIMITED: {"$and": ["$is_limited", {"$ne": ["$_id", viewer]}]},
        INACTIVE: {"$not": ["$is_active"]},
    }
    is_any = [{"is_private": True}, {"is_limited": True}, {"is_active": False}]
    so = {"$concatArrays": [{"$cond": [what, [kind], []]} for kind, what in kinds.items()]}
    return "accounts_user", [
        {"$match": {"_id": who, "$or": is_any}},
        {"$project": {"_id": 0, "uid": "$_id", "kind": so}},
        {"$unwind": "$kind"},
    ]


def _part(collection: str, query: Document, uid: str, kind: str) -> UnionPart:
    shape = {"_id": 0, "uid": uid, "kind": {"$literal": kind}}
    return collection, [{"$match": query}, {"$project": shape}]


def _boundaries(query: Document) -> UnionPart:
    shape = {"_id": 0, "uid": "$other", "kind": 1, "until": 1}
    return "boundaries", [{"$match": query}, {"$project": shape}]


def _ask(parts: list[UnionPart]) -> UidsByKind:
    (first, pipeline), *others = parts
    unions = [{"$unionWith": {"coll": name, "pipeline": part}} for name, part in others]
    found = database()[first].aggregate(
        pipeline + unions, batchSize=SINGLE_BATCH, session=session()
    )
    standings = UidsByKind()
    for one in found:
        standings.by_kind.setdefault(one["kind"], set()).add(one["uid"])
        if one.get("until") is not None:
            standings.muted_until[one["uid"]] = one["until"].replace(tzinfo=UTC)
    return standings
