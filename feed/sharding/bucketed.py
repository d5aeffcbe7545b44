"""Fan-out on write into documents of many entries.

The default (``store.inboxes``): an open head for each reader, whose first entries are now and then moved
into a bucket. And the published one: a counter for each reader, which numbers the buckets.

No inbox is trimmed here, and of every reader there is one ``gen``, for which their uid stands.
"""

from collections import Counter, defaultdict

from feed.store.sealing import BUCKET_SIZE, SEAL_AT

from .commands import Command, each, update_many
from .placing import Key, placing
from .posts import ID_BYTES, Posts
from .workload import PAGE, PageView, Post, Workload

HEAD_BYTES = 250
BUCKET_BYTES = 90
READER_BYTES = 120
FIELDS = ("owner", "gen", "seq")


class Buckets:
    def __init__(self, *, workload: Workload, posts: Posts) -> None:
        self._workload, self._posts, self._shards = workload, posts, posts.shards
        self._ids: dict[int, list[int]] = defaultdict(list)
        self._sealed: Counter[int] = Counter()
        self._heads = placing(collection="inbox_heads", fields=["_id"], shards=self._shards)

    def add(self, post: Post) -> list[Key]:
        """Returns the keys of the buckets that are cut thereby."""
        self._posts.add(post)
        cut: list[Key] = []
        for reader in self._workload.readers_of(post):
            ids, sealed = self._ids[reader], self._sealed[reader]
            ids.append(post.id)
            if len(ids) - BUCKET_SIZE * sealed >= SEAL_AT:
                cut.append((reader, reader, sealed))
                self._sealed[reader] += 1
        return cut

    def place(self) -> None:
        keys, shards = self._keys(), self._shards
        self._at = placing(collection="inbox_buckets", fields=FIELDS, keys=keys, shards=shards)

    def publish(self, post: Post) -> list[Command]:
        cut = self.add(post)
        readers = [(reader,) for reader in self._workload.readers_of(post)]
        push = update_many(at=self._heads, keys=readers, shards=self._shards)
        owners = [(owner,) for owner, *_ in cut]
        probed = each(at=self._heads, keys=readers)
        full = Counter(dict.fromkeys(probed, 0))
        full.update(each(at=self._heads, keys=owners))
        commands = [self._posts.insert(post), push, Command(full)]
        if cut:
            commands.append(Command(each(at=self._at, keys=cut)))
            commands.append(update_many(at=self._heads, keys=owners, shards=self._shards))
        return commands

    def read(self, view: PageView) -> list[Command]:
        owner = view.person
        ids, sealed = self._ids[owner], self._sealed[owner]
        page = ids[::-1][view.skip : view.skip + PAGE]
        commands = [Command({self._heads.shard_of((owner,)): 1})]
        # One more than is shown tells that there is an older page.
        if sealed and len(ids) - BUCKET_SIZE * sealed <= view.skip + PAGE:
            buckets = dict.fromkeys(self._at.shards_of((owner, owner)), 0)
            keys = ((owner, owner, seq) for seq in range(sealed))
            commands.append(Command(buckets | each(at=self._at, keys=keys)))
        return commands + self._posts.by_ids(page)

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
        self._readers = placing(collection="counted_readers", fields=["_id"], shards=self._shards)

    def add(self, post: Post) -> list[Key]:
        """Returns the keys of the buckets that get the post."""
        self._posts.add(post)
        keys: list[Key] = []
        for reader in self._workload.readers_of(post):
            ids = self._ids[reader]
            keys.append((reader, reader, len(ids) // BUCKET_SIZE))
            ids.append(post.id)
        return keys

    def place(self) -> None:
        keys, shards = self._keys(), self._shards
        self._at = placing(collection="counted_buckets", fields=FIELDS, keys=keys, shards=shards)

    def publish(self, post: Post) -> list[Command]:
        buckets = self.add(post)
        readers = [(owner,) for owner, *_ in buckets]
        return [
            self._posts.insert(post),
            update_many(at=self._readers, keys=readers, shards=self._shards),
            Command(each(at=self._at, keys=buckets)),
        ]

    def read(self, view: PageView) -> list[Command]:
        owner, ids = view.person, self._ids[view.person]
        end = max(0, len(ids) - view.skip)
        page = ids[max(0, end - PAGE) : end]
        commands = [Command({self._readers.shard_of((owner,)): 1})]
        if page:
            numbers = range(max(0, end - PAGE) // BUCKET_SIZE, (end - 1) // BUCKET_SIZE + 1)
            commands.append(Command(each(at=self._at, keys=((owner, owner, n) for n in numbers))))
        return commands + self._posts.by_ids(page)

    def bytes_by_shard(self) -> Counter[int]:
        total = self._posts.bytes_by_shard()
        for owner in self._workload.people:
            total[self._readers.shard_of((owner,))] += READER_BYTES
        for owner, ids in self._ids.items():
            for at in range(0, len(ids), BUCKET_SIZE):
                held = len(ids[at : at + BUCKET_SIZE])
                key = (owner, owner, at // BUCKET_SIZE)
                total[self._at.shard_of(key)] += BUCKET_BYTES + ID_BYTES * held
        return total

    def _keys(self) -> list[Key]:
        return [
            (owner, owner, seq)
            for owner, ids in self._ids.items()
            for seq in range(-(-len(ids) // BUCKET_SIZE))
        ]
