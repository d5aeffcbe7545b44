"""Read each user's numbers of posts, followers and followed users.

The shared cache stores the numbers for ``CACHE_SECONDS``. For any number of users, reading cached numbers
costs one cache command. Missing numbers cost at most four further commands. The API counts again when it
shows a single account, so that users see their own changes at once.
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
    """The numbers of one user. ``newest_post_id`` is 0 if the user has no posts."""

    followers: int
    followed_users: int
    posts: int
    newest_post_id: int

    @property
    def last_posted_at(self) -> datetime | None:
        return time_of(id=self.newest_post_id) if self.newest_post_id else None


def counts_by_uid(*, uids: Iterable[int], should_refresh: bool = False) -> dict[int, UserCounts]:
    """Return the numbers of each user.

    Args:
        should_refresh: True to count again and update the cache, instead of reading the cache.
    """
    keys = {f"counts:{uid}": uid for uid in uids}
    cached = {} if should_refresh or not keys else cache.get_many(keys)
    counts = {keys[key]: UserCounts(*numbers) for key, numbers in cached.items()}
    if missing := [uid for uid in keys.values() if uid not in counts]:
        new_counts = _count(missing)
        cache.set_many(
            {
                f"counts:{uid}": [row.followers, row.followed_users, row.posts, row.newest_post_id]
                for uid, row in new_counts.items()
            },
            CACHE_SECONDS,
        )
        counts |= new_counts
    return counts


def clear_cached_counts(*, uid: int) -> None:
    """Delete the cached numbers of a user who is being erased."""
    cache.delete(f"counts:{uid}")


def _count(uids: list[int]) -> dict[int, UserCounts]:
    follows = follow_counts(uids=uids)
    post_counts = posts.post_counts(authors=uids)
    return {uid: UserCounts(*follows[uid], *post_counts.get(uid, (0, 0))) for uid in uids}
