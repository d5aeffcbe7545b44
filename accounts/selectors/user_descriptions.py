"""What people say of themselves and how many follow them: for lists of people, at a constant cost."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from accounts import avatars
from accounts.models import User
from accounts.store import audiences, edges


@dataclass(frozen=True, slots=True)
class UserDescription:
    """Somebody as strangers see them. ``avatar``: the stored name, "" for the drawn one."""

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
        """As telephones draw it, too."""
        return self.avatar_url if self.avatar else avatars.identicon_png_url(uid=self.uid)


USER_FIELDS = ("pk", "username", "display_name", "bio", "avatar", "is_private", "is_limited")


def user_descriptions(
    *, uids: Iterable[int], include_inactive: bool = False
) -> dict[int, UserDescription]:
    """By uid, without those who are gone or inactive: one command. ``with_closed``: for moderators."""
    found = User.objects.filter(pk__in=set(uids))
    if not include_inactive:
        found = found.filter(is_active=True)
    return {
        row["pk"]: UserDescription(
            uid=row["pk"],
            username=row["username"],
            display_name=row["display_name"] or row["username"],
            bio=row["bio"],
            avatar=row["avatar"],
            avatar_url=avatars.avatar_url(uid=row["pk"], avatar=row["avatar"]),
            is_private=row["is_private"],
            is_limited=row["is_limited"],
            joined_at=row["date_joined"],
        )
        for row in found.values(*USER_FIELDS, "date_joined")
    }


def follow_counts(*, uids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """(followers, followees) by uid: two commands."""
    wanted = set(uids)
    followers = audiences.follower_counts(authors=wanted)
    followees = edges.followee_counts(followers=wanted)
    return {uid: (followers.get(uid, 0), followees.get(uid, 0)) for uid in wanted}
