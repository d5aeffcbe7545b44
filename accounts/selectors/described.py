"""What people say of themselves and how many follow them: for lists of people, at a constant cost."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from accounts import avatars
from accounts.models import User
from accounts.store import audiences, edges


@dataclass(frozen=True, slots=True)
class DescribedPerson:
    """Somebody as strangers see them. ``avatar``: the stored name, "" for the drawn one."""

    uid: int
    username: str
    display_name: str
    bio: str
    avatar: str
    avatar_url: str
    is_private: bool
    is_limited: bool
    joined: datetime

    @property
    def picture_url(self) -> str:
        """As telephones draw it, too."""
        return self.avatar_url if self.avatar else avatars.drawn_url(uid=self.uid)


FIELDS = ("pk", "username", "display_name", "bio", "avatar", "is_private", "is_limited")


def described_people(
    *, uids: Iterable[int], with_closed: bool = False
) -> dict[int, DescribedPerson]:
    """By uid, without those who are gone or inactive: one command. ``with_closed``: for moderators."""
    found = User.objects.filter(pk__in=set(uids))
    if not with_closed:
        found = found.filter(is_active=True)
    return {
        row["pk"]: DescribedPerson(
            uid=row["pk"],
            username=row["username"],
            display_name=row["display_name"] or row["username"],
            bio=row["bio"],
            avatar=row["avatar"],
            avatar_url=avatars.url(uid=row["pk"], avatar=row["avatar"]),
            is_private=row["is_private"],
            is_limited=row["is_limited"],
            joined=row["date_joined"],
        )
        for row in found.values(*FIELDS, "date_joined")
    }


def counts_of_people(*, uids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """(followers, followees) by uid: two commands."""
    wanted = set(uids)
    followers = audiences.sizes(authors=wanted)
    followees = edges.counts_of_followees(followers=wanted)
    return {uid: (followers.get(uid, 0), followees.get(uid, 0)) for uid in wanted}
