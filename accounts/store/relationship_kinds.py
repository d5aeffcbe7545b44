"""All relationships between a viewer and other users, from every collection in one command.

Each part of the union queries by the shard key of its collection: edges and requests by follower, blocks
and mutes by owner, users by id. Services that write query each collection on its own instead, inside their
transaction.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from accounts.infra.store.connection import Document
from accounts.infra.store.unions import Query, UnionResult, read_union

from . import blocks_and_mutes, edges

FOLLOWS = "follows"
FOLLOWED_BY = "followed_by"
REQUESTED = "requested"
REQUESTED_BY = "requested_by"
SUBSCRIBES = "subscribes"
FEATURES = "features"
PRIVATE = "private"
PUBLIC = "public"
INACTIVE = "inactive"
LIMITED = "limited"
UNDISCOVERABLE = "undiscoverable"
SHOWS_NOTIFICATIONS = "shows_notifications"


@dataclass(frozen=True, slots=True)
class UidsByKind:
    """Uids by relationship kind.

    ``muted_until`` contains the end of each mute by the uid of the muted user, without permanent mutes.
    ``languages`` contains the languages in which the viewer follows a user, by the uid of that user. Users
    with ``SHOWS_NOTIFICATIONS`` are muted, but not their notifications.
    """

    by_kind: dict[str, set[int]] = field(default_factory=dict)
    muted_until: dict[int, datetime] = field(default_factory=dict)
    languages: dict[int, frozenset[str]] = field(default_factory=dict)

    def of_kind(self, *kinds: str) -> frozenset[int]:
        """Return the uids that have at least one of these kinds."""
        return frozenset().union(*(self.by_kind.get(kind, ()) for kind in kinds))


def find_for_viewer(
    *, viewer: int | None, uids: Iterable[int], now: datetime, include: Collection[str] = ()
) -> UidsByKind:
    """Return the viewer's relationships to ``uids``. One command, none if ``uids`` is empty.

    For an anonymous viewer, returns only the kinds that do not depend on the viewer: private, limited,
    inactive, undiscoverable.

    Args:
        include: kinds to add: ``REQUESTED``, follow requests by the viewer; ``FOLLOWED_BY``, followers of
            the viewer; ``REQUESTED_BY``, follow requests to the viewer; ``SUBSCRIBES``, follows and
            requests with notifications about posts; ``FEATURES``, users on the viewer's profile.
    """
    return _run_union(queries_for_viewer(viewer=viewer, uids=uids, now=now, include=include))


def queries_for_viewer(
    *, viewer: int | None, uids: Iterable[int], now: datetime, include: Collection[str] = ()
) -> list[Query]:
    """Return the queries of ``find_for_viewer``, to read them with others in one command.

    ``uids_by_kind`` reads their documents in the result.
    """
    sorted_uids = sorted(set(uids))
    if not sorted_uids:
        return []
    among = {"$in": sorted_uids}
    if viewer is None:
        return [_match_users(among, viewer=None)]
    queries = [
        _match("follow_edges", {"follower": viewer, "followee": among}, "$followee", FOLLOWS),
        _match_blocks_and_mutes(
            {"owner": viewer, "other": among, **blocks_and_mutes.not_expired(now=now)}
        ),
        _match_users(among, viewer=viewer),
    ]
    if REQUESTED in include:
        sent = {"follower": viewer, "followee": among}
        queries.append(_match("follow_requests", sent, "$followee", REQUESTED))
    if FOLLOWED_BY in include:
        incoming = {"followee": viewer, "follower": among}
        queries.append(_match("follow_edges", incoming, "$follower", FOLLOWED_BY))
    if REQUESTED_BY in include:
        received = {"followee": viewer, "follower": among}
        queries.append(_match("follow_requests", received, "$follower", REQUESTED_BY))
    if SUBSCRIBES in include:
        subscribed = {"follower": viewer, "followee": among, "notify": True}
        queries += [
            _match(collection, subscribed, "$followee", SUBSCRIBES)
            for collection in ("follow_edges", "follow_requests")
        ]
    if FEATURES in include:
        featured = {"follower": viewer, "followee": among, **edges.IS_FEATURED}
        queries.append(_match("follow_edges", featured, "$followee", FEATURES))
    return queries


def find_for_recipients(*, recipients: Iterable[int], actor: int, now: datetime) -> UidsByKind:
    """Return each recipient's relationships to the actor. One command, none without recipients.

    The direction is the opposite of ``find_for_viewer``. The kinds private, limited and inactive of the
    actor are listed under the actor's uid. Of the recipients' own kinds, only inactive is included.
    """
    sorted_uids = sorted(set(recipients))
    if not sorted_uids:
        return UidsByKind()
    among = {"$in": sorted_uids}
    query = {"owner": among, "other": actor, **blocks_and_mutes.not_expired(now=now)}
    fields = {"_id": 0, "uid": "$owner", "kind": 1, "shows_notifications": 1}
    return _run_union(
        [
            _match("follow_edges", {"follower": among, "followee": actor}, "$follower", FOLLOWS),
            _match(
                "follow_edges", {"follower": actor, "followee": among}, "$followee", FOLLOWED_BY
            ),
            ("blocks_and_mutes", [{"$match": query}, {"$project": fields}]),
            _match("accounts_user", {"_id": among, "is_active": False}, "$_id", INACTIVE),
            _match_users(actor, viewer=None),
        ]
    )


def find_before_follow(*, follower: int, followee: int) -> UidsByKind:
    """Return the facts that decide how to follow a user. One command.

    These are an existing follow or request, and whether the followee is private or public. An inactive or
    missing followee is neither private nor public.
    """
    pair = {"follower": follower, "followee": followee}
    active = {"_id": followee, "is_active": True}
    return _run_union(
        [
            _match("accounts_user", active | {"is_private": True}, "$_id", PRIVATE),
            _match("accounts_user", active | {"is_private": {"$ne": True}}, "$_id", PUBLIC),
            _match("follow_edges", pair, "$followee", FOLLOWS),
            _match("follow_requests", pair, "$followee", REQUESTED),
        ]
    )


def _match_users(uid_query: Document | int, *, viewer: int | None) -> Query:
    """Match ``PRIVATE``, ``LIMITED``, ``INACTIVE`` and ``UNDISCOVERABLE`` users.

    The viewer is never ``LIMITED``, because limited users still see their own posts.
    """
    conditions: Document = {
        PRIVATE: "$is_private",
        LIMITED: {"$and": ["$is_limited", {"$ne": ["$_id", viewer]}]},
        INACTIVE: {"$not": ["$is_active"]},
        UNDISCOVERABLE: {"$eq": ["$is_discoverable", False]},
    }
    has_any_kind = [
        {"is_private": True},
        {"is_limited": True},
        {"is_active": False},
        {"is_discoverable": False},
    ]
    kinds = {
        "$concatArrays": [
            {"$cond": [condition, [kind], []]} for kind, condition in conditions.items()
        ]
    }
    return "accounts_user", [
        {"$match": {"_id": uid_query, "$or": has_any_kind}},
        {"$project": {"_id": 0, "uid": "$_id", "kind": kinds}},
        {"$unwind": "$kind"},
    ]


def _match(collection: str, query: Document, uid_field: str, kind: str) -> Query:
    fields = {"_id": 0, "uid": uid_field, "kind": {"$literal": kind}}
    return collection, [{"$match": query}, {"$project": fields}]


def _match_blocks_and_mutes(query: Document) -> Query:
    names = ("kind", "expires_at", "shows_notifications", "languages")
    fields = {"_id": 0, "uid": "$other", **dict.fromkeys(names, 1)}
    return "blocks_and_mutes", [{"$match": query}, {"$project": fields}]


def _run_union(queries: Sequence[Query]) -> UidsByKind:
    return uids_by_kind(union=read_union(queries=queries))


def uids_by_kind(*, union: UnionResult) -> UidsByKind:
    """Return what the documents ``{uid, kind, ...}`` in the result say."""
    result = UidsByKind()
    for row in union.having("kind"):
        result.by_kind.setdefault(row["kind"], set()).add(row["uid"])
        if row.get("expires_at") is not None:
            result.muted_until[row["uid"]] = row["expires_at"].replace(tzinfo=UTC)
        if row.get("shows_notifications"):
            result.by_kind.setdefault(SHOWS_NOTIFICATIONS, set()).add(row["uid"])
        if row.get("languages"):
            result.languages[row["uid"]] = frozenset(row["languages"])
    return result
