"""How a person stands to others in every respect, as their pages say it: of many at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from accounts.store import blocks_and_mutes, relationship_kinds
from accounts.store.relationship_kinds import UidsByKind
from accounts.user_cards import cards_by_uid


@dataclass(frozen=True, slots=True)
class RelationshipDetails:
    """``muted_until``: None of a mute for good, too."""

    uid: int
    is_following: bool
    hides_shares: bool
    is_requested: bool
    is_followed_by: bool
    is_requested_by: bool
    is_blocking: bool
    is_blocked_by: bool
    is_muting: bool
    muted_until: datetime | None


def relationship_details(*, viewer: int, uids: Sequence[int]) -> list[RelationshipDetails]:
    """In their order, without those who are gone: one command besides those of cards."""
    known = cards_by_uid(uids=uids)
    stands = relationship_kinds.find_for_viewer(
        viewer=viewer,
        uids=known,
        now=timezone.now(),
        include_requests=True,
        include_followers=True,
        include_incoming_requests=True,
    )

    def so(uid: int, kind: str) -> bool:
        return uid in stands.of_kind(kind)

    return [
        RelationshipDetails(
            uid=uid,
            is_following=so(uid, relationship_kinds.FOLLOWS),
            hides_shares=so(uid, blocks_and_mutes.HIDE_SHARES),
            is_requested=so(uid, relationship_kinds.REQUESTED)
            and not so(uid, relationship_kinds.FOLLOWS),
            is_followed_by=so(uid, relationship_kinds.FOLLOWED_BY),
            is_requested_by=so(uid, relationship_kinds.REQUESTED_BY)
            and not so(uid, relationship_kinds.FOLLOWED_BY),
            is_blocking=so(uid, blocks_and_mutes.BLOCK),
            is_blocked_by=so(uid, blocks_and_mutes.BLOCKED_BY),
            is_muting=so(uid, blocks_and_mutes.MUTE),
            muted_until=stands.muted_until.get(uid),
        )
        for uid in dict.fromkeys(uids)
        if uid in known
    ]


# MERGED FROM accounts.selectors.relationships: How a viewer stands to other people now: what decides whether they may see, and want to see, a post.
@dataclass(frozen=True, slots=True)
class Relationships:
    """How the viewer stands, now, to the people asked for."""

    followed: frozenset[int]
    """whom of them the viewer follows"""
    blocked: frozenset[int]
    """blocked by the viewer or blocking the viewer"""
    muted: frozenset[int]
    """muted by the viewer, not expired"""
    shares_hidden: frozenset[int]
    """whose shares the viewer hides"""
    private: frozenset[int]
    """who approve their followers"""
    unavailable: frozenset[int]
    """whose accounts are closed, or limited to their followers, of whom the viewer is none"""


@dataclass(frozen=True, slots=True)
class HiddenUsers:
    """All whom a viewer mutes now, and all whose shares they hide."""

    muted: frozenset[int]
    shares_hidden: frozenset[int]


@dataclass(frozen=True, slots=True)
class RecipientRelationships:
    """How many people stand, now, to one: what decides whether they are told of what that one does."""

    followers: frozenset[int]
    """who of them follows the person"""
    followees: frozenset[int]
    """whom of them the person follows"""
    unreachable: frozenset[int]
    """who of them blocks the person or is blocked by them, has closed the account, or does not follow the
    person, who is limited to followers"""
    muters: frozenset[int]
    """who of them has muted the person"""
    is_actor_private: bool
    """whether the person approves followers"""

    def for_recipient(self, uid: int, *, actor: int) -> Relationships:
        """How one of them stands to the person, ``towards``: for rules that ask a viewer's relations."""
        person, nobody = frozenset([actor]), frozenset[int]()
        return Relationships(
            followed=person if uid in self.followers else nobody,
            blocked=person if uid in self.unreachable else nobody,
            muted=person if uid in self.muters else nobody,
            shares_hidden=nobody,
            private=person if self.is_actor_private else nobody,
            unavailable=nobody,
        )


def recipient_relationships(*, recipients: Iterable[int], actor: int) -> RecipientRelationships:
    """One command whatever their number; none if there are no ``uids``."""
    found = relationship_kinds.find_for_recipients(
        uids=recipients, towards=actor, now=timezone.now()
    )
    following = found.of_kind(relationship_kinds.FOLLOWS)
    strangers = (
        frozenset(recipients) - following
        if found.of_kind(relationship_kinds.LIMITED)
        else frozenset[int]()
    )
    return RecipientRelationships(
        followers=following,
        followees=found.of_kind(relationship_kinds.FOLLOWED_BY),
        unreachable=found.of_kind(
            blocks_and_mutes.BLOCK, blocks_and_mutes.BLOCKED_BY, relationship_kinds.INACTIVE
        )
        | strangers,
        muters=found.of_kind(blocks_and_mutes.MUTE),
        is_actor_private=bool(found.of_kind(relationship_kinds.PRIVATE)),
    )


def relationships(*, viewer: int | None, uids: Iterable[int]) -> Relationships:
    """One command whatever their number; none if there are no ``uids``."""
    return relationships_from(
        relationship_kinds.find_for_viewer(viewer=viewer, uids=uids, now=timezone.now())
    )


def relationships_from(found: UidsByKind) -> Relationships:
    return Relationships(
        followed=found.of_kind(relationship_kinds.FOLLOWS),
        blocked=found.of_kind(blocks_and_mutes.BLOCK, blocks_and_mutes.BLOCKED_BY),
        muted=found.of_kind(blocks_and_mutes.MUTE),
        shares_hidden=found.of_kind(blocks_and_mutes.HIDE_SHARES),
        private=found.of_kind(relationship_kinds.PRIVATE),
        unavailable=found.of_kind(relationship_kinds.INACTIVE)
        | (found.of_kind(relationship_kinds.LIMITED) - found.of_kind(relationship_kinds.FOLLOWS)),
    )


def blocked_or_muted_after(
    *, uid: int, kind: str, cursor: int, limit: int
) -> list[tuple[int, int]]:
    """(cursor, uid) of those whom this person blocks or mutes now (``kind``: "block" or "mute"), the first
    first, behind a cursor (0: all)."""
    found = blocks_and_mutes.blocks_or_mutes_page(
        owner=uid, kind=kind, now=timezone.now(), below=None, above=cursor, limit=limit
    )
    return [(one.id, one.other) for one in found[::-1]]


def hidden_users(*, viewer: int) -> HiddenUsers:
    """One command."""
    found = blocks_and_mutes.hidden_users(owner=viewer, now=timezone.now())
    return HiddenUsers(
        muted=frozenset(uid for uid, kind in found if kind == blocks_and_mutes.MUTE),
        shares_hidden=frozenset(uid for uid, kind in found if kind == blocks_and_mutes.HIDE_SHARES),
    )
