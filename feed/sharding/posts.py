"""The posts themselves, which all designs keep alike."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from .commands import Command, each
from .placing import placing
from .workload import PAGE, PageView, Post

POST_BYTES = 400
ID_BYTES = 11
"""Of a number in an array."""


class Posts:
    def __init__(self, *, shards: int) -> None:
        self.shards = shards
        self.by_author: dict[int, list[int]] = defaultdict(list)
        self._at = placing(collection="feed_post", fields=["_id"], shards=shards)

    def add(self, post: Post) -> None:
        self.by_author[post.author].append(post.id)

    def insert(self, post: Post) -> Command:
        return Command({self._at.shard_of((post.id,)): 1})

    def by_ids(self, ids: Iterable[int]) -> list[Command]:
        found = each(at=self._at, keys=((one,) for one in ids))
        return [Command(found, is_posts=True)] if found else []

    def newest(self, ids: list[int]) -> Command:
        """A page of posts that are found by something else than their ids: every shard gives the newest
        it has, and most of that is thrown away."""
        found: Counter[int] = Counter(dict.fromkeys(range(self.shards), 0))
        for one in sorted(ids, reverse=True):
            shard = self._at.shard_of((one,))
            if found[shard] < PAGE:
                found[shard] += 1
        return Command(found, is_keyed=False)

    def profile(self, view: PageView) -> list[Command]:
        return [self.newest(self.by_author[view.person])]

    def bytes_by_shard(self) -> Counter[int]:
        ids = ((one,) for some in self.by_author.values() for one in some)
        return Counter({at: POST_BYTES * n for at, n in each(at=self._at, keys=ids).items()})
