"""How the viewer stands to somebody: https://docs.joinmastodon.org/entities/Relationship/."""

from collections.abc import Sequence
from typing import TypedDict

from accounts.selectors.relationships import relationship_details

from .values import DateTime, Id, format_datetime


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
    muting_expires_at: DateTime | None
    requested: bool
    requested_by: bool
    domain_blocking: bool
    endorsed: bool
    note: str


def serialize_relationships(*, viewer: int, uids: Sequence[int]) -> list[Relationship]:
    """In their order, without those who are gone."""
    return [
        {
            "id": str(one.uid),
            "following": one.is_following,
            "showing_reblogs": one.is_following and not one.hides_shares,
            "notifying": False,
            "languages": None,
            "followed_by": one.is_followed_by,
            "blocking": one.is_blocking,
            "blocked_by": one.is_blocked_by,
            "muting": one.is_muting,
            "muting_notifications": one.is_muting,
            "muting_expires_at": format_datetime(one.muted_until) if one.muted_until else None,
            "requested": one.is_requested,
            "requested_by": one.is_requested_by,
            "domain_blocking": False,
            "endorsed": False,
            "note": "",
        }
        for one in relationship_details(viewer=viewer, uids=uids)
    ]
