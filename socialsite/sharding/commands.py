"""What a design sends: which shards are asked, and how many documents each of them reads or writes."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from .placement import Key, Placement
from .workload import PageView, Post


@dataclass(frozen=True, slots=True)
class Command:
    """``documents``: by shard, 0 where one is asked in vain. ``is_keyed``: whether the shard key is in
    it; without, it goes to all shards. ``is_posts``: reads posts by id, as most designs do at last."""

    documents_by_shard: Mapping[int, int]
    has_shard_key: bool = True
    reads_posts: bool = False


class Design(Protocol):
    """First come ``add`` for all of the history and ``place``, once, then the other three."""

    def add_post(self, post: Post) -> object:
        """Publish and deliver, without a word about shards."""

    def place_documents(self) -> None:
        """Shard what there is."""

    def publish_commands(self, post: Post) -> list[Command]:
        """Add a post, and tell the commands."""

    def page_commands(self, view: PageView) -> list[Command]:
        """The commands of a home page."""

    def bytes_by_shard(self) -> Counter[int]:
        """About how much data each shard holds."""


def count_by_shard(*, placement: Placement, keys: Iterable[Key]) -> Counter[int]:
    """How many of these documents are on each shard."""
    return Counter(map(placement.shard_of, keys))


def multi_update(*, placement: Placement, keys: Iterable[Key], shards: int) -> Command:
    """As mongos does it: a multi-update for more than one shard is sent to all of them."""
    documents = count_by_shard(placement=placement, keys=keys)
    if len(documents) > 1:
        documents.update(dict.fromkeys(range(shards), 0))
    return Command(documents)
