"""Designs with fan-out on write into documents with many entries.

* ``Buckets``, the default: each user has an open head. The oldest entries of the head move into buckets.
* ``CountedBuckets``, the design of "Socialite" (MongoDB World 2014): each user has a counter, which numbers
  the buckets.

The simulation does not trim inboxes. Each user has one generation, whose number is the uid.
"""

from collections import Counter, defaultdict

from feed.timeline.store.seal import BUCKET_SIZE, SEAL_AT

from .commands import Command, count_by_shard, multi_update
from .placement import Key, make_placement
from .posts import ID_BYTES, Posts
from .workload import PAGE_SIZE, PageView, Post, Workload

HEAD_BYTES = 250
BUCKET_BYTES = 90
READER_BYTES = 120
BUCKET_KEY_FIELDS = ("owner", "gen", "seq")


class Buckets:
    def __init__(self, *, workload: Workload, posts: Posts) -> None:
        self._workload, self._posts, self._shards = workload, posts, posts.shards
        self._ids: dict[int, list[int]] = defaultdict(list)
        self._sealed: Counter[int] = Counter()
        self._heads = make_placement(collection="inbox_heads", fields=["_id"], shards=self._shards)

    def add_post(self, post: Post) -> list[Key]:
        """Add a post and return the keys of the buckets that are sealed because of this post."""
        self._posts.add_post(post)
        sealed_keys: list[Key] = []
        for reader in self._workload.recipients(post):
            ids, sealed = self._ids[reader], self._sealed[reader]
            ids.append(post.id)
            if len(ids) - BUCKET_SIZE * sealed >= SEAL_AT:
                sealed_keys.append((reader, reader, sealed))
                self._sealed[reader] += 1
        return sealed_keys

    def place_documents(self) -> None:
        keys, shards = self._keys(), self._shards
        self._at = make_placement(
            collection="inbox_buckets", fields=BUCKET_KEY_FIELDS, keys=keys, shards=shards
        )

    def publish_commands(self, post: Post) -> list[Command]:
        sealed_keys = self.add_post(post)
        readers = [(reader,) for reader in self._workload.recipients(post)]
        push = multi_update(placement=self._heads, keys=readers, shards=self._shards)
        owners = [(owner,) for owner, *_ in sealed_keys]
        probed = count_by_shard(placement=self._heads, keys=readers)
        full = Counter(dict.fromkeys(probed, 0))
        full.update(count_by_shard(placement=self._heads, keys=owners))
        commands = [self._posts.insert_command(post), push, Command(full)]
        if sealed_keys:
            commands.append(Command(count_by_shard(placement=self._at, keys=sealed_keys)))
            commands.append(multi_update(placement=self._heads, keys=owners, shards=self._shards))
        return commands

    def page_commands(self, view: PageView) -> list[Command]:
        owner = view.uid
        ids, sealed = self._ids[owner], self._sealed[owner]
        page = ids[::-1][view.offset : view.offset + PAGE_SIZE]
        commands = [Command({self._heads.shard_of((owner,)): 1})]
        # The page reads one entry more than it shows, to find out whether there is an older page.
        if sealed and len(ids) - BUCKET_SIZE * sealed <= view.offset + PAGE_SIZE:
            buckets = dict.fromkeys(self._at.shards_of((owner, owner)), 0)
            keys = ((owner, owner, seq) for seq in range(sealed))
            commands.append(Command(buckets | count_by_shard(placement=self._at, keys=keys)))
        return commands + self._posts.by_id_commands(page)

    def bytes_by_shard(self) -> Counter[int]:
        total = self._posts.bytes_by_shard()
        for owner, ids in self._ids.items():
            open_ids = len(ids) - BUCKET_SIZE * self._sealed[owner]
            total[self._heads.shard_of((owner,))] += HEAD_BYTES + ID_BYTES * open_ids
        for key in self._keys():
            total[self._at.shard_of(key)] += BUCKET_BYTES + ID_BYTES * BUCKET_SIZE
        return total

    def _keys(self) -> list[Key]:
        return [(owner, owner, seq) for owner, n in self._sealed.items() for seq in range(n)]


class CountedBuckets:
    def __init__(self, *, workload: Workload, posts: Posts) -> None:
        self._workload, self._posts, self._shards = workload, posts, posts.shards
        self._ids: dict[int, list[int]] = defaultdict(list)
        self._readers = make_placement(
            collection="counted_heads", fields=["_id"], shards=self._shards
        )

    def add_post(self, post: Post) -> list[Key]:
        """Add a post and return the keys of the buckets that receive the post."""
        self._posts.add_post(post)
        keys: list[Key] = []
        for reader in self._workload.recipients(post):
            ids = self._ids[reader]
            keys.append((reader, reader, len(ids) // BUCKET_SIZE))
            ids.append(post.id)
        return keys

    def place_documents(self) -> None:
        keys, shards = self._keys(), self._shards
        self._at = make_placement(
            collection="counted_buckets", fields=BUCKET_KEY_FIELDS, keys=keys, shards=shards
        )

    def publish_commands(self, post: Post) -> list[Command]:
        buckets = self.add_post(post)
        readers = [(owner,) for owner, *_ in buckets]
        return [
            self._posts.insert_command(post),
            multi_update(placement=self._readers, keys=readers, shards=self._shards),
            Command(count_by_shard(placement=self._at, keys=buckets)),
        ]

    def page_commands(self, view: PageView) -> list[Command]:
        owner, ids = view.uid, self._ids[view.uid]
        end = max(0, len(ids) - view.offset)
        page = ids[max(0, end - PAGE_SIZE) : end]
        commands = [Command({self._readers.shard_of((owner,)): 1})]
        if page:
            numbers = range(max(0, end - PAGE_SIZE) // BUCKET_SIZE, (end - 1) // BUCKET_SIZE + 1)
            commands.append(
                Command(
                    count_by_shard(placement=self._at, keys=((owner, owner, n) for n in numbers))
                )
            )
        return commands + self._posts.by_id_commands(page)

    def bytes_by_shard(self) -> Counter[int]:
        total = self._posts.bytes_by_shard()
        for owner in self._workload.uids:
            total[self._readers.shard_of((owner,))] += READER_BYTES
        for owner, ids in self._ids.items():
            for at in range(0, len(ids), BUCKET_SIZE):
                count = len(ids[at : at + BUCKET_SIZE])
                key = (owner, owner, at // BUCKET_SIZE)
                total[self._at.shard_of(key)] += BUCKET_BYTES + ID_BYTES * count
        return total

    def _keys(self) -> list[Key]:
        return [
            (owner, owner, seq)
            for owner, ids in self._ids.items()
            for seq in range(-(-len(ids) // BUCKET_SIZE))
        ]
