"""Read each user's numbers of posts, followers and followed users.

The shared cache keeps the numbers for ``SHARED_SECONDS``, and each process keeps what it has read for
``PROCESS_SECONDS``. So a number is at most a minute old. For any number of users, reading the shared cache
costs one command, and counting the missing numbers at most four. The API counts again when it shows a
single account, so that users see their own changes at once.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.core.cache import cache

from accounts.infra.ids import time_of
from accounts.infra.process_cache import ProcessCache
from accounts.selectors.follow_graph import follow_counts
from feed.store import posts

SHARED_SECONDS = 30
PROCESS_SECONDS = 30.0


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
    """Return the numbers of each user. With ``should_refresh``, count again without the cache."""
    wanted = set(uids)
    counts = {} if should_refresh else _process_cache.get(wanted)
    if missing := wanted - counts.keys():
        version = _process_cache.version()
        keys = {} if should_refresh else {f"counts:{uid}": uid for uid in missing}
        stored = cache.get_many(keys) if keys else {}
        new_counts = {keys[key]: UserCounts(*numbers) for key, numbers in stored.items()}
        if uncounted := missing - new_counts.keys():
            follows = follow_counts(uids=uncounted)
            post_counts = posts.post_counts(authors=uncounted)
            rows = {uid: (*follows[uid], *post_counts.get(uid, (0, 0))) for uid in uncounted}
            cache.set_many({f"counts:{uid}": row for uid, row in rows.items()}, SHARED_SECONDS)
            new_counts |= {uid: UserCounts(*row) for uid, row in rows.items()}
        _process_cache.put(new_counts, version=version, seconds=PROCESS_SECONDS)
        counts |= new_counts
    return counts


def clear_cached_counts(*, uid: int) -> None:
    """Delete the cached numbers of a user who is being erased. Other processes keep theirs for a while."""
    _process_cache.drop(uid)
    cache.delete(f"counts:{uid}")


def clear_process_cache() -> None:
    """Drop all numbers that this process has cached."""
    _process_cache.clear()


_process_cache = ProcessCache[int, UserCounts](name="user counts")
