"""The design with one document for each recipient and post. A page is one range of entries on one shard.

The simulation counts each entry as a document read. A strategy that reads entries from an index alone would
avoid this cost.
"""

from collections import Counter, defaultdict

from .commands import Command, count_by_shard
from .placement import make_placement
from .posts import Posts
from .workload import PAGE_SIZE, PageView, Post, Workload

READER_BYTES = 120
ENTRY_BYTES = 70


class FanOutOnWrite:
    def __init__(self, *, workload: Workload, posts: Posts) -> None:
        self._workload, self._posts = workload, posts
        self._of: dict[int, list[int]] = defaultdict(list)
        self._readers = make_placement(
            collection="entry_heads", fields=["_id"], shards=posts.shards
        )

    def add_post(self, post: Post) -> list[int]:
        self._posts.add_post(post)
        readers = self._workload.recipients(post)
        for reader in readers:
            self._of[reader].append(post.id)
        return readers

    def place_documents(self) -> None:
        fields = ("owner", "gen", "activity")
        keys, shards = self._keys(), self._posts.shards
        self._at = make_placement(
            collection="inbox_entries", fields=fields, keys=keys, shards=shards
        )

    def publish_commands(self, post: Post) -> list[Command]:
        entries = ((reader, reader, post.id) for reader in self.add_post(post))
        return [
            self._posts.insert_command(post),
            Command(count_by_shard(placement=self._at, keys=entries)),
        ]

    def page_commands(self, view: PageView) -> list[Command]:
        owner = view.uid
        page = self._of[owner][::-1][view.offset : view.offset + PAGE_SIZE]
        entries = dict.fromkeys(self._at.shards_of((owner, owner)), 0)
        entries |= count_by_shard(
            placement=self._at, keys=((owner, owner, post_id) for post_id in page)
        )
        return [
            Command({self._readers.shard_of((owner,)): 1}),
            Command(entries),
            *self._posts.by_id_commands(page),
        ]

    def bytes_by_shard(self) -> Counter[int]:
        readers = count_by_shard(
            placement=self._readers, keys=((uid,) for uid in self._workload.uids)
        )
        entries = count_by_shard(placement=self._at, keys=self._keys())
        total = self._posts.bytes_by_shard()
        total.update({shard: READER_BYTES * n for shard, n in readers.items()})
        total.update({shard: ENTRY_BYTES * n for shard, n in entries.items()})
        return total

    def _keys(self) -> list[tuple[int, int, int]]:
        return [(owner, owner, id_) for owner, ids in self._of.items() for id_ in ids]
