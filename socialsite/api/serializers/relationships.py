"""Relationships of the viewer with other users: https://docs.joinmastodon.org/entities/Relationship/."""

from collections.abc import Sequence
from typing import TypedDict

from accounts.selectors.relationships import relationship_details

from .values import DateTime, Id, format_datetime


class Relationship(TypedDict):
    """The caller's relationship with an account.

    ``domain_blocking`` never changes, because there are no other sites.
    """

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
    """Return relationships in the order of ``uids``, without deactivated and deleted users."""
    return [
        {
            "id": str(relationship.uid),
            "following": relationship.is_following,
            "showing_reblogs": (relationship.is_following or relationship.is_requested)
            and not relationship.hides_shares,
            "notifying": relationship.is_subscribed,
            "languages": sorted(relationship.languages) or None,
            "followed_by": relationship.is_followed_by,
            "blocking": relationship.is_blocking,
            "blocked_by": relationship.is_blocked_by,
            "muting": relationship.is_muting,
            "muting_notifications": relationship.is_muting_notifications,
            "muting_expires_at": format_datetime(relationship.muted_until)
            if relationship.muted_until
            else None,
            "requested": relationship.is_requested,
            "requested_by": relationship.is_requested_by,
            "domain_blocking": False,
            "endorsed": relationship.is_featured,
            "note": relationship.note,
        }
        for relationship in relationship_details(viewer=viewer, uids=uids)
    ]
