"""Designs with fan-out on read: deliveries write nothing, and every page queries all shards."""

from collections import Counter, defaultdict

from .commands import Command
from .posts import ID_BYTES, Posts
from .workload import PageView, Post, Workload


class FanOutOnRead:
    """Pages find posts by their authors."""

    def __init__(self, *, workload: Workload, posts: Posts) -> None:
        self._workload, self._posts = workload, posts

    def add_post(self, post: Post) -> None:
        self._posts.add_post(post)

    def place_documents(self) -> None:
        """Do nothing, because posts have a hashed key without ranges to split."""

    def publish_commands(self, post: Post) -> list[Command]:
        self.add_post(post)
        return [self._posts.insert_command(post)]

    def page_commands(self, view: PageView) -> list[Command]:
        authors = [view.uid, *self._workload.followees[view.uid]]
        ids = [post_id for author in authors for post_id in self._posts.by_author[author]]
        return [self._posts.newest_command(sorted(ids, reverse=True)[view.offset :])]

    def bytes_by_shard(self) -> Counter[int]:
        return self._posts.bytes_by_shard()


class RecipientsInPost:
    """Pages find posts by their recipients, an array in each post."""

    def __init__(self, *, workload: Workload, posts: Posts) -> None:
        self._workload, self._posts = workload, posts
        self._of: dict[int, list[int]] = defaultdict(list)
        self._recipients: Counter[int] = Counter()

    def add_post(self, post: Post) -> None:
        self._posts.add_post(post)
        readers = self._workload.recipients(post)
        for reader in readers:
            self._of[reader].append(post.id)
        (shard,) = self._posts.insert_command(post).documents_by_shard
        self._recipients[shard] += len(readers)

    def place_documents(self) -> None:
        """Do nothing, as in ``FanOutOnRead``."""

    def publish_commands(self, post: Post) -> list[Command]:
        self.add_post(post)
        return [self._posts.insert_command(post)]

    def page_commands(self, view: PageView) -> list[Command]:
        newest_first = self._of[view.uid][::-1]
        return [self._posts.newest_command(newest_first[view.offset :])]

    def bytes_by_shard(self) -> Counter[int]:
        arrays = Counter({shard: ID_BYTES * n for shard, n in self._recipients.items()})
        return self._posts.bytes_by_shard() + arrays
