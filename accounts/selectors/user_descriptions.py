"""Bios and counts for lists of users. The number of commands does not depend on the number of users."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from accounts import avatars
from accounts.store import audiences, edges, user_data


@dataclass(frozen=True, slots=True)
class UserDescription:
    """The public data of a user. ``avatar``: the stored file name, or "" for the identicon."""

    uid: int
    username: str
    display_name: str
    bio: str
    avatar: str
    avatar_url: str
    is_private: bool
    is_limited: bool
    joined_at: datetime

    @property
    def bitmap_avatar_url(self) -> str:
        """The URL of an avatar that is not SVG. Many mobile apps cannot display SVG."""
        return self.avatar_url if self.avatar else avatars.identicon_png_url(uid=self.uid)


def user_descriptions(
    *, uids: Iterable[int], include_inactive: bool = False
) -> dict[int, UserDescription]:
    """Return descriptions by uid, without deleted users. One command.

    Args:
        include_inactive: add inactive users, for moderators' pages.
    """
    rows = user_data.descriptions(uids=set(uids), include_inactive=include_inactive)
    return {
        row["_id"]: UserDescription(
            uid=row["_id"],
            username=row["username"],
            display_name=row["display_name"] or row["username"],
            bio=row["bio"],
            avatar=row["avatar"],
            avatar_url=avatars.avatar_url(uid=row["_id"], avatar=row["avatar"]),
            is_private=row["is_private"],
            is_limited=row["is_limited"],
            joined_at=row["date_joined"],
        )
        for row in rows
    }


def follow_counts(*, uids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return (number of followers, number of followees) by uid. Two commands."""
    unique_uids = set(uids)
    followers = audiences.follower_counts(authors=unique_uids)
    followees = edges.followee_counts(followers=unique_uids)
    return {uid: (followers.get(uid, 0), followees.get(uid, 0)) for uid in unique_uids}
