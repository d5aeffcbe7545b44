"""How the viewer stands to somebody: https://docs.joinmastodon.org/entities/Relationship/."""

from collections.abc import Sequence
from typing import TypedDict

from accounts import selectors as people

from .values import Id, Moment, at


class Relationship(TypedDict):
    """Here a mute covers notifications too; there are no notes, no featured people and no other sites."""

    id: Id
    following: bool
    showing_reblogs: bool
    notifying: bool
    languages: list[str] | None
    followed_by: bool
    blocking: bool
    blocked_by: bool
    muting: bool
    muting_notifications: bool
    muting_expires_at: Moment | None
    requested: bool
    requested_by: bool
    domain_blocking: bool
    endorsed: bool
    note: str


def relationships_of(*, viewer: int, uids: Sequence[int]) -> list[Relationship]:
    """In their order, without those who are gone."""
    return [
        {
            "id": str(one.uid),
            "following": one.is_following,
            "showing_reblogs": one.is_following and not one.hides_shares,
            "notifying": False,
            "languages": None,
            "followed_by": one.follows_me,
            "blocking": one.blocks_them,
            "blocked_by": one.blocked_by_them,
            "muting": one.mutes_them,
            "muting_notifications": one.mutes_them,
            "muting_expires_at": at(one.muted_until) if one.muted_until else None,
            "requested": one.is_requested,
            "requested_by": one.asks_me,
            "domain_blocking": False,
            "endorsed": False,
            "note": "",
        }
        for one in people.relationships(viewer=viewer, uids=uids)
    ]
