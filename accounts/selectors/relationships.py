"""How a person stands to others in every respect, as their pages say it: of many at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from accounts.store import boundaries, standings
from accounts.user_cards import cards


@dataclass(frozen=True, slots=True)
class Relationship:
    """``muted_until``: None of a mute for good, too."""

    uid: int
    is_following: bool
    hides_shares: bool
    is_requested: bool
    follows_me: bool
    asks_me: bool
    blocks_them: bool
    blocked_by_them: bool
    mutes_them: bool
    muted_until: datetime | None


def relationships(*, viewer: int, uids: Sequence[int]) -> list[Relationship]:
    """In their order, without those who are gone: one command besides those of cards."""
    known = cards(uids=uids)
    stands = standings.towards(
        viewer=viewer,
        uids=known,
        now=timezone.now(),
        with_requests=True,
        with_followers=True,
        with_askers=True,
    )

    def so(uid: int, kind: str) -> bool:
        return uid in stands.of(kind)

    return [
        Relationship(
            uid=uid,
            is_following=so(uid, standings.FOLLOWS),
            hides_shares=so(uid, boundaries.HIDE_SHARES),
            is_requested=so(uid, standings.REQUESTED) and not so(uid, standings.FOLLOWS),
            follows_me=so(uid, standings.FOLLOWED_BY),
            asks_me=so(uid, standings.REQUESTED_BY) and not so(uid, standings.FOLLOWED_BY),
            blocks_them=so(uid, boundaries.BLOCK),
            blocked_by_them=so(uid, boundaries.BLOCKED_BY),
            mutes_them=so(uid, boundaries.MUTE),
            muted_until=stands.muted_until.get(uid),
        )
        for uid in dict.fromkeys(uids)
        if uid in known
    ]
