"""How a viewer stands to other people now: what decides whether they may see, and want to see, a post."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils import timezone

from accounts.store import boundaries, standings
from accounts.store.standings import Standings


@dataclass(frozen=True, slots=True)
class Relations:
    """How the viewer stands, now, to the people asked for."""

    follows: frozenset[int]
    """whom of them the viewer follows"""
    blocks: frozenset[int]
    """blocked by the viewer or blocking the viewer"""
    mutes: frozenset[int]
    """muted by the viewer, not expired"""
    hides_shares: frozenset[int]
    """whose shares the viewer hides"""
    private: frozenset[int]
    """who approve their followers"""
    gone: frozenset[int]
    """whose accounts are closed, or limited to their followers, of whom the viewer is none"""


@dataclass(frozen=True, slots=True)
class Hidden:
    """All whom a viewer mutes now, and all whose shares they hide."""

    mutes: frozenset[int]
    hides_shares: frozenset[int]


@dataclass(frozen=True, slots=True)
class Listeners:
    """How many people stand, now, to one: what decides whether they are told of what that one does."""

    following: frozenset[int]
    """who of them follows the person"""
    followed: frozenset[int]
    """whom of them the person follows"""
    apart: frozenset[int]
    """who of them blocks the person or is blocked by them, has closed the account, or does not follow the
    person, who is limited to followers"""
    muting: frozenset[int]
    """who of them has muted the person"""
    is_private: bool
    """whether the person approves followers"""

    def as_viewer(self, uid: int, *, towards: int) -> Relations:
        """How one of them stands to the person, ``towards``: for rules that ask a viewer's relations."""
        person, nobody = frozenset([towards]), frozenset[int]()
        return Relations(
            follows=person if uid in self.following else nobody,
            blocks=person if uid in self.apart else nobody,
            mutes=person if uid in self.muting else nobody,
            hides_shares=nobody,
            private=person if self.is_private else nobody,
            gone=nobody,
        )


def listeners(*, uids: Iterable[int], towards: int) -> Listeners:
    """One command whatever their number; none if there are no ``uids``."""
    found = standings.of_many(uids=uids, towards=towards, now=timezone.now())
    following = found.of(standings.FOLLOWS)
    strangers = frozenset(uids) - following if found.of(standings.LIMITED) else frozenset[int]()
    return Listeners(
        following=following,
        followed=found.of(standings.FOLLOWED_BY),
        apart=found.of(boundaries.BLOCK, boundaries.BLOCKED_BY, standings.GONE) | strangers,
        muting=found.of(boundaries.MUTE),
        is_private=bool(found.of(standings.PRIVATE)),
    )


def relations(*, viewer: int | None, uids: Iterable[int]) -> Relations:
    """One command whatever their number; none if there are no ``uids``."""
    return relations_of(standings.towards(viewer=viewer, uids=uids, now=timezone.now()))


def relations_of(found: Standings) -> Relations:
    return Relations(
        follows=found.of(standings.FOLLOWS),
        blocks=found.of(boundaries.BLOCK, boundaries.BLOCKED_BY),
        mutes=found.of(boundaries.MUTE),
        hides_shares=found.of(boundaries.HIDE_SHARES),
        private=found.of(standings.PRIVATE),
        gone=found.of(standings.GONE) | (found.of(standings.LIMITED) - found.of(standings.FOLLOWS)),
    )


def boundaries_after(*, uid: int, kind: str, cursor: int, limit: int) -> list[tuple[int, int]]:
    """(cursor, uid) of those whom this person blocks or mutes now (``kind``: "block" or "mute"), the first
    first, behind a cursor (0: all)."""
    found = boundaries.page_of_boundaries(
        owner=uid, kind=kind, now=timezone.now(), below=None, above=cursor, limit=limit
    )
    return [(one.id, one.other) for one in found[::-1]]


def hidden_by(*, viewer: int) -> Hidden:
    """One command."""
    found = boundaries.hidden_from(owner=viewer, now=timezone.now())
    return Hidden(
        mutes=frozenset(uid for uid, kind in found if kind == boundaries.MUTE),
        hides_shares=frozenset(uid for uid, kind in found if kind == boundaries.HIDE_SHARES),
    )
