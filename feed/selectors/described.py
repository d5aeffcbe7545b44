"""How much people have posted, who follows them and whom they follow: for lists of people.

What is counted is kept for a minute (``FRESH_SECONDS``) in the cache that all processes share, so a page
of many people costs one command, and at most four more. A page about one person counts anew.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.core.cache import cache

from accounts import selectors as people
from accounts.ids import time_of
from feed.store import posts

FRESH_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Counts:
    """``newest``: the id of the last post, 0 if there is none."""

    followers: int
    followees: int
    posts: int
    newest: int

    @property
    def posted_at(self) -> datetime | None:
        return time_of(id=self.newest) if self.newest else None


def counts_of(*, uids: Iterable[int], is_fresh: bool = False) -> dict[int, Counts]:
    """``is_fresh``: as it is now."""
    keys = {f"counts:{uid}": uid for uid in uids}
    kept = {} if is_fresh or not keys else cache.get_many(keys)
    found = {keys[key]: Counts(*numbers) for key, numbers in kept.items()}
    if missing := [uid for uid in keys.values() if uid not in found]:
        counted = _counted(missing)
        cache.set_many(
            {
                f"counts:{uid}": [one.followers, one.followees, one.posts, one.newest]
                for uid, one in counted.items()
            },
            FRESH_SECONDS,
        )
        found |= counted
    return found


def forget_counts(*, uid: int) -> None:
    """Of somebody who is erased."""
    cache.delete(f"counts:{uid}")


def _counted(uids: list[int]) -> dict[int, Counts]:
    around = people.counts_of_people(uids=uids)
    posted = posts.counts_by(authors=uids)
    return {uid: Counts(*around[uid], *posted.get(uid, (0, 0))) for uid in uids}
