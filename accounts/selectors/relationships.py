"""Relationships between users: sets of uids for visibility rules, and details per user for the API."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from django.utils import timezone

from accounts.infra.cursors import PageBounds
from accounts.infra.store.unions import Query, UnionResult, read_union
from accounts.store import blocks_and_mutes, relationship_kinds, user_notes
from accounts.store.blocks_and_mutes import languages_by_followee as languages_by_followee
from accounts.store.relationship_kinds import UidsByKind
from accounts.store.user_notes import notes_after as notes_after
from accounts.user_cards import cards_by_uid


@dataclass(frozen=True, slots=True)
class Relationships:
    """A viewer's current relationships to some users. Each field contains the uids with a relationship."""

    followed: frozenset[int]
    """followed by the viewer"""
    blocked: frozenset[int]
    """blocked by the viewer or blocking the viewer"""
    muted: frozenset[int]
    """muted by the viewer, not expired"""
    notifications_muted: frozenset[int]
    """muted by the viewer, with notifications about them"""
    shares_hidden: frozenset[int]
    """users whose shares the viewer hides"""
    languages: Mapping[int, frozenset[str]]
    """languages in which the viewer follows a user, by uid, without users followed in all languages"""
    hidden_from_home: frozenset[int]
    """members of the viewer's exclusive lists"""
    private: frozenset[int]
    """approve their followers"""
    unavailable: frozenset[int]
    """inactive, or limited to followers and not followed by the viewer"""

    @property
    def invisible(self) -> frozenset[int]:
        """Users whom lists never show to the viewer."""
        return self.blocked | self.unavailable

    def joined_with(self, other: "Relationships") -> "Relationships":
        """Return these relationships and those to other users."""
        return Relationships(
            **{
                field.name: getattr(self, field.name) | getattr(other, field.name)
                for field in fields(self)
            }
        )


@dataclass(frozen=True, slots=True)
class HiddenUsers:
    """Users whom a viewer currently mutes, whose shares the viewer hides, or whom home leaves out."""

    muted: frozenset[int]
    shares_hidden: frozenset[int]
    hidden_from_home: frozenset[int]


@dataclass(frozen=True, slots=True)
class RecipientRelationships:
    """The current relationships of many recipients to one actor.

    These relationships decide which recipients are notified of the actor's actions. Each set contains uids
    of recipients.
    """

    followers: frozenset[int]
    """follow the actor"""
    followees: frozenset[int]
    """are followed by the actor"""
    unreachable: frozenset[int]
    """block the actor or are blocked by the actor, are inactive, or do not follow an actor who is limited
    to followers"""
    muters: frozenset[int]
    """have muted notifications about the actor"""
    is_actor_private: bool
    """the actor approves followers"""

    def for_recipient(self, uid: int, *, actor: int) -> Relationships:
        """Return one recipient's relationships to the actor, for rules that expect a viewer."""
        only_actor, empty = frozenset([actor]), frozenset[int]()
        return Relationships(
            followed=only_actor if uid in self.followers else empty,
            blocked=only_actor if uid in self.unreachable else empty,
            muted=empty,
            notifications_muted=only_actor if uid in self.muters else empty,
            shares_hidden=empty,
            languages={},
            hidden_from_home=empty,
            private=only_actor if self.is_actor_private else empty,
            unavailable=empty,
        )


DETAIL_KINDS = (
    relationship_kinds.REQUESTED,
    relationship_kinds.FOLLOWED_BY,
    relationship_kinds.REQUESTED_BY,
    relationship_kinds.SUBSCRIBES,
    relationship_kinds.FEATURES,
)
"""The kinds that ``RelationshipDetails`` needs besides the usual ones."""


@dataclass(frozen=True, slots=True)
class RelationshipDetails:
    """All relationships between a viewer and one user, in both directions, and the viewer's private note.

    ``muted_until`` is None for a permanent mute, and if the viewer does not mute the user.
    """

    uid: int
    is_following: bool
    hides_shares: bool
    languages: frozenset[str]
    """in which the viewer follows the user, empty for all languages"""
    is_featured: bool
    """the viewer's profile features the user"""
    is_requested: bool
    """the viewer has sent a follow request"""
    is_followed_by: bool
    is_requested_by: bool
    is_blocking: bool
    is_blocked_by: bool
    is_muting: bool
    is_muting_notifications: bool
    muted_until: datetime | None
    is_subscribed: bool
    """the viewer is notified of each post of the user, or will be once the user accepts the request"""
    note: str


def relationships(*, viewer: int | None, uids: Iterable[int]) -> Relationships:
    """Return the viewer's relationships to ``uids``: one command, none if ``uids`` is empty."""
    return relationships_from(
        relationship_kinds.find_for_viewer(viewer=viewer, uids=uids, now=timezone.now())
    )


def relationship_queries(*, viewer: int | None, uids: Iterable[int]) -> list[Query]:
    """Return the queries of ``relationships``, to read them with others in one command (``read_union``)."""
    return relationship_kinds.queries_for_viewer(viewer=viewer, uids=uids, now=timezone.now())


def relationships_in(*, union: UnionResult) -> Relationships:
    """Return the relationships in a result that includes that of ``relationship_queries``."""
    return relationships_from(relationship_kinds.uids_by_kind(union=union))


def discoverable_uids(*, viewer: int | None, uids: Iterable[int]) -> frozenset[int]:
    """Return which of ``uids`` may be shown to a viewer who did not ask for them. At most one command.

    Leaves out private, limited and inactive users and users who do not want to be suggested, even if the
    viewer follows them, and users whom the viewer blocks or mutes or who block the viewer.
    """
    unique_uids = frozenset(uids)
    uids_by_kind = relationship_kinds.find_for_viewer(
        viewer=viewer, uids=unique_uids, now=timezone.now()
    )
    return unique_uids - uids_by_kind.of_kind(
        blocks_and_mutes.BLOCK,
        blocks_and_mutes.BLOCKED_BY,
        blocks_and_mutes.MUTE,
        relationship_kinds.PRIVATE,
        relationship_kinds.LIMITED,
        relationship_kinds.INACTIVE,
        relationship_kinds.UNDISCOVERABLE,
    )


def relationships_from(uids_by_kind: UidsByKind) -> Relationships:
    """Return the relationships in a result of ``relationship_kinds.find_for_viewer``."""
    followed = uids_by_kind.of_kind(relationship_kinds.FOLLOWS)
    return Relationships(
        followed=followed,
        blocked=uids_by_kind.of_kind(blocks_and_mutes.BLOCK, blocks_and_mutes.BLOCKED_BY),
        muted=uids_by_kind.of_kind(blocks_and_mutes.MUTE),
        notifications_muted=_notifications_muted(uids_by_kind),
        shares_hidden=uids_by_kind.of_kind(blocks_and_mutes.HIDE_SHARES),
        languages=uids_by_kind.languages,
        hidden_from_home=uids_by_kind.of_kind(blocks_and_mutes.HIDE_FROM_HOME),
        private=uids_by_kind.of_kind(relationship_kinds.PRIVATE),
        unavailable=uids_by_kind.of_kind(relationship_kinds.INACTIVE)
        | (uids_by_kind.of_kind(relationship_kinds.LIMITED) - followed),
    )


def _notifications_muted(uids_by_kind: UidsByKind) -> frozenset[int]:
    return uids_by_kind.of_kind(blocks_and_mutes.MUTE) - uids_by_kind.of_kind(
        relationship_kinds.SHOWS_NOTIFICATIONS
    )


def recipient_relationships(*, recipients: Iterable[int], actor: int) -> RecipientRelationships:
    """Return the recipients' relationships to the actor. One command, none without recipients."""
    uids_by_kind = relationship_kinds.find_for_recipients(
        recipients=recipients, actor=actor, now=timezone.now()
    )
    followers = uids_by_kind.of_kind(relationship_kinds.FOLLOWS)
    excluded_by_limit = (
        frozenset(recipients) - followers
        if uids_by_kind.of_kind(relationship_kinds.LIMITED)
        else frozenset[int]()
    )
    return RecipientRelationships(
        followers=followers,
        followees=uids_by_kind.of_kind(relationship_kinds.FOLLOWED_BY),
        unreachable=uids_by_kind.of_kind(
            blocks_and_mutes.BLOCK, blocks_and_mutes.BLOCKED_BY, relationship_kinds.INACTIVE
        )
        | excluded_by_limit,
        muters=_notifications_muted(uids_by_kind),
        is_actor_private=bool(uids_by_kind.of_kind(relationship_kinds.PRIVATE)),
    )


def relationship_details(*, viewer: int, uids: Sequence[int]) -> list[RelationshipDetails]:
    """Return the viewer's relationships to ``uids``, in the same order, without deleted and inactive users.

    One command, and at most one more for user cards that are not cached.
    """
    cards = cards_by_uid(uids=uids)
    union = read_union(queries=detail_queries(viewer=viewer, uids=cards))
    uids_by_kind = relationship_kinds.uids_by_kind(union=union)
    notes = user_notes.notes_in(union=union)
    return [
        RelationshipDetails(**detail_values(uid, uids_by_kind, notes))
        for uid in dict.fromkeys(uids)
        if uid in cards
    ]


def detail_queries(*, viewer: int | None, uids: Collection[int]) -> list[Query]:
    """Return the queries of ``relationship_details``, to read them with others in one command."""
    now = timezone.now()
    return [
        *relationship_kinds.queries_for_viewer(
            viewer=viewer, uids=uids, now=now, include=DETAIL_KINDS
        ),
        *user_notes.note_queries(owner=viewer, others=uids),
    ]


def detail_values(uid: int, uids_by_kind: UidsByKind, notes: Mapping[int, str]) -> dict[str, Any]:
    """Return the fields of ``RelationshipDetails`` from a result of ``detail_queries``."""

    def has_kind(kind: str) -> bool:
        return uid in uids_by_kind.by_kind.get(kind, ())

    is_following, is_muting = has_kind(relationship_kinds.FOLLOWS), has_kind(blocks_and_mutes.MUTE)
    is_followed_by = has_kind(relationship_kinds.FOLLOWED_BY)
    return {
        "uid": uid,
        "is_following": is_following,
        "hides_shares": has_kind(blocks_and_mutes.HIDE_SHARES),
        "languages": uids_by_kind.languages.get(uid, frozenset()),
        "is_featured": has_kind(relationship_kinds.FEATURES),
        "is_requested": has_kind(relationship_kinds.REQUESTED) and not is_following,
        "is_followed_by": is_followed_by,
        "is_requested_by": has_kind(relationship_kinds.REQUESTED_BY) and not is_followed_by,
        "is_blocking": has_kind(blocks_and_mutes.BLOCK),
        "is_blocked_by": has_kind(blocks_and_mutes.BLOCKED_BY),
        "is_muting": is_muting,
        "is_muting_notifications": is_muting
        and not has_kind(relationship_kinds.SHOWS_NOTIFICATIONS),
        "muted_until": uids_by_kind.muted_until.get(uid),
        "is_subscribed": has_kind(relationship_kinds.SUBSCRIBES),
        "note": notes.get(uid, ""),
    }


def blocked_after(*, uid: int, cursor: int, limit: int) -> list[tuple[int, int]]:
    """Return (cursor, uid) of users whom this user blocks, oldest first.

    The list begins after ``cursor``. Pass 0 for the beginning.
    """
    return [(row.id, row.other) for row in _rows_after(uid, blocks_and_mutes.BLOCK, cursor, limit)]


def muted_after(*, uid: int, cursor: int, limit: int) -> list[tuple[int, int, bool]]:
    """Return (cursor, uid, are notifications muted) of users whom this user mutes, like ``blocked_after``.

    Leaves out expired mutes.
    """
    return [
        (row.id, row.other, not row.shows_notifications)
        for row in _rows_after(uid, blocks_and_mutes.MUTE, cursor, limit)
    ]


def _rows_after(uid: int, kind: str, cursor: int, limit: int) -> list[blocks_and_mutes.BlockOrMute]:
    page = blocks_and_mutes.blocks_or_mutes_page(
        owner=uid, kind=kind, now=timezone.now(), bounds=PageBounds(limit, min_id=cursor)
    )
    return page[::-1]


def hidden_users(*, viewer: int) -> HiddenUsers:
    """Return the users whose posts or shares the viewer's home timeline leaves out. One command."""
    return hidden_users_in(union=read_union(queries=hidden_user_queries(viewer=viewer)))


def hidden_user_queries(*, viewer: int) -> list[Query]:
    """Return the query of ``hidden_users``, to read it with others in one command (``read_union``)."""
    return blocks_and_mutes.hidden_user_queries(owner=viewer, now=timezone.now())


def hidden_users_in(*, union: UnionResult) -> HiddenUsers:
    """Return the users in a result that includes that of ``hidden_user_queries``."""
    rows = blocks_and_mutes.hidden_users_in(union=union)

    def uids_of(kind: str) -> frozenset[int]:
        return frozenset(uid for uid, row_kind in rows if row_kind == kind)

    return HiddenUsers(
        muted=uids_of(blocks_and_mutes.MUTE),
        shares_hidden=uids_of(blocks_and_mutes.HIDE_SHARES),
        hidden_from_home=uids_of(blocks_and_mutes.HIDE_FROM_HOME),
    )
