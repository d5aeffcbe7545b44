"""How much people have posted, who follows them and whom they follow: for lists of people.

What is counted is kept for a minute (``FRESH_SECONDS``) in the cache that all processes share, so a page
of many people costs one command, and at most four more. A page about one person counts anew.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.core.cache import cache

from accounts.infra.ids import time_of
from accounts.selectors.user_descriptions import follow_counts
from feed.store import posts

CACHE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class UserCounts:
    """``newest``: the id of the last post, 0 if there is none."""

    followers: int
    followed_users: int
    posts: int
    newest_post_id: int

    @property
    def last_posted_at(self) -> datetime | None:
        return time_of(id=self.newest_post_id) if self.newest_post_id else None


def counts_by_uid(*, uids: Iterable[int], should_refresh: bool = False) -> dict[int, UserCounts]:
    """``is_fresh``: as it is now."""
    keys = {f"counts:{uid}": uid for uid in uids}
    kept = {} if should_refresh or not keys else cache.get_many(keys)
    found = {keys[key]: UserCounts(*numbers) for key, numbers in kept.items()}
    if missing := [uid for uid in keys.values() if uid not in found]:
        counted = _counted(missing)
        cache.set_many(
            {
                f"counts:{uid}": [one.followers, one.followed_users, one.posts, one.newest_post_id]
                for uid, one in counted.items()
            },
            CACHE_SECONDS,
        )
        found |= counted
    return found


def clear_cached_counts(*, uid: int) -> None:
    """Of somebody who is erased."""
    cache.delete(f"counts:{uid}")


def _counted(uids: list[int]) -> dict[int, UserCounts]:
    around = follow_counts(uids=uids)
    posted = posts.post_counts(authors=uids)
    return {uid: UserCounts(*around[uid], *posted.get(uid, (0, 0))) for uid in uids}
