"""How one person stands to others, from every collection at once, in one command.

Each part of the union is asked by its own shard key: edges and requests by the follower, boundaries by
their owner, people by their id. Services that must be sure ask the collections one by one instead, in
their transaction.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from . import boundaries
from .collections import Document, database, session

FOLLOWS = "follows"
FOLLOWED_BY = "followed_by"
REQUESTED = "requested"
REQUESTED_BY = "requested_by"
PRIVATE = "private"
PUBLIC = "public"
GONE = "gone"
LIMITED = "limited"

EVERYTHING = 400_000
"""A batch so large that no answer takes a second command."""

Part = tuple[str, list[Document]]
"""A collection, and the pipeline that makes ``{uid, kind, until?}`` of it."""


@dataclass(frozen=True, slots=True)
class Standings:
    """Uids by what is so between the viewer and them; ``muted_until`` of mutes that end."""

    uids: dict[str, set[int]] = field(default_factory=dict)
    muted_until: dict[int, datetime] = field(default_factory=dict)

    def of(self, *kinds: str) -> frozenset[int]:
        """Those of whom any of these is so."""
        return frozenset().union(*(self.uids.get(kind, ()) for kind in kinds))


def towards(
    *,
    viewer: int | None,
    uids: Iterable[int],
    now: datetime,
    with_requests: bool = False,
    with_followers: bool = False,
    with_askers: bool = False,
) -> Standings:
    """How the viewer stands to ``uids``; of a visitor only what they are themselves. Asks nothing if
    there are none.

    ``with_requests``: also whom the viewer has asked; ``with_followers``: also who follows the
    viewer; ``with_askers``: also who has asked to.
    """
    wanted = sorted(set(uids))
    if not wanted:
        return Standings()
    among = {"$in": wanted}
    if viewer is None:
        return _ask([_themselves(among, viewer=None)])
    parts = [
        _part("follow_edges", {"follower": viewer, "followee": among}, "$followee", FOLLOWS),
        _boundaries({"owner": viewer, "other": among, **boundaries.lasting(now=now)}),
        _themselves(among, viewer=viewer),
    ]
    if with_requests:
        asked = {"follower": viewer, "followee": among}
        parts.append(_part("follow_requests", asked, "$followee", REQUESTED))
    if with_followers:
        following = {"followee": viewer, "follower": among}
        parts.append(_part("follow_edges", following, "$follower", FOLLOWED_BY))
    if with_askers:
        asking = {"followee": viewer, "follower": among}
        parts.append(_part("follow_requests", asking, "$follower", REQUESTED_BY))
    return _ask(parts)


def of_many(*, uids: Iterable[int], towards: int, now: datetime) -> Standings:
    """How each of ``uids`` stands to one person: the other way round than ``towards``, one command. Also
    whether that person is private or limited."""
    wanted = sorted(set(uids))
    if not wanted:
        return Standings()
    among = {"$in": wanted}
    kept = {"owner": among, "other": towards, **boundaries.lasting(now=now)}
    shape = {"_id": 0, "uid": "$owner", "kind": 1}
    return _ask(
        [
            _part("follow_edges", {"follower": among, "followee": towards}, "$follower", FOLLOWS),
            _part(
                "follow_edges", {"follower": towards, "followee": among}, "$followee", FOLLOWED_BY
            ),
            ("boundaries", [{"$match": kept}, {"$project": shape}]),
            _part("accounts_user", {"_id": among, "is_active": False}, "$_id", GONE),
            _themselves(towards, viewer=None),
        ]
    )


def before_follow(*, follower: int, followee: int) -> Standings:
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


def _themselves(who: Document | int, *, viewer: int | None) -> Part:
    """What people are, whoever looks; nobody is limited for themselves."""
    kinds: Document = {
        PRIVATE: "$is_private",
        LIMITED: {"$and": ["$is_limited", {"$ne": ["$_id", viewer]}]},
        GONE: {"$not": ["$is_active"]},
    }
    is_any = [{"is_private": True}, {"is_limited": True}, {"is_active": False}]
    so = {"$concatArrays": [{"$cond": [what, [kind], []]} for kind, what in kinds.items()]}
    return "accounts_user", [
        {"$match": {"_id": who, "$or": is_any}},
        {"$project": {"_id": 0, "uid": "$_id", "kind": so}},
        {"$unwind": "$kind"},
    ]


def _part(collection: str, query: Document, uid: str, kind: str) -> Part:
    shape = {"_id": 0, "uid": uid, "kind": {"$literal": kind}}
    return collection, [{"$match": query}, {"$project": shape}]


def _boundaries(query: Document) -> Part:
    shape = {"_id": 0, "uid": "$other", "kind": 1, "until": 1}
    return "boundaries", [{"$match": query}, {"$project": shape}]


def _ask(parts: list[Part]) -> Standings:
    (first, pipeline), *others = parts
    unions = [{"$unionWith": {"coll": name, "pipeline": part}} for name, part in others]
    found = database()[first].aggregate(pipeline + unions, batchSize=EVERYTHING, session=session())
    standings = Standings()
    for one in found:
        standings.uids.setdefault(one["kind"], set()).add(one["uid"])
        if one.get("until") is not None:
            standings.muted_until[one["uid"]] = one["until"].replace(tzinfo=UTC)
    return standings
