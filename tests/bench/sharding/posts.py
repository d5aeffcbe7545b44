"""The posts, which all designs store in the same way."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from .commands import Command, count_by_shard
from .placement import make_placement
from .workload import PAGE_SIZE, PageView, Post

POST_BYTES = 400
ID_BYTES = 11
"""The size of a number in an array, in bytes."""


class Posts:
    def __init__(self, *, shards: int) -> None:
        self.shards = shards
        self.by_author: dict[int, list[int]] = defaultdict(list)
        self._at = make_placement(collection="feed_post", fields=["_id"], shards=shards)

    def add_post(self, post: Post) -> None:
        self.by_author[post.author].append(post.id)

    def insert_command(self, post: Post) -> Command:
        return Command({self._at.shard_of((post.id,)): 1})

    def by_id_commands(self, ids: Iterable[int]) -> list[Command]:
        counts = count_by_shard(placement=self._at, keys=((id_,) for id_ in ids))
        return [Command(counts, reads_posts=True)] if counts else []

    def newest_command(self, ids: list[int]) -> Command:
        """Return the command for a page of posts that are found by another field than the id.

        Every shard returns its newest matches, and most of them are discarded.
        """
        counts: Counter[int] = Counter(dict.fromkeys(range(self.shards), 0))
        for id_ in sorted(ids, reverse=True):
            shard = self._at.shard_of((id_,))
            if counts[shard] < PAGE_SIZE:
                counts[shard] += 1
        return Command(counts, has_shard_key=False)

    def profile_commands(self, view: PageView) -> list[Command]:
        return [self.newest_command(self.by_author[view.uid])]

    def bytes_by_shard(self) -> Counter[int]:
        ids = ((post_id,) for post_ids in self.by_author.values() for post_id in post_ids)
        return Counter(
            {at: POST_BYTES * n for at, n in count_by_shard(placement=self._at, keys=ids).items()}
        )
