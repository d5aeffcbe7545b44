"""Commands of a design: the shards they reach, and the documents that each shard reads or writes."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from .placement import Key, Placement
from .workload import PageView, Post


@dataclass(frozen=True, slots=True)
class Command:
    """A database command.

    Attributes:
        documents_by_shard: the number of documents on each shard that the command reaches. The number is 0
            for shards without a match.
        has_shard_key: whether the command contains the shard key. Other commands reach all shards.
        reads_posts: whether the command reads posts by id, the last step of most designs.
    """

    documents_by_shard: Mapping[int, int]
    has_shard_key: bool = True
    reads_posts: bool = False


class Design(Protocol):
    """A timeline design.

    The simulation calls ``add_post`` for each post of the history, then ``place_documents`` once, then the
    other methods.
    """

    def add_post(self, post: Post) -> object:
        """Publish and deliver a post without counting commands."""

    def place_documents(self) -> None:
        """Shard the existing documents."""

    def publish_commands(self, post: Post) -> list[Command]:
        """Publish and deliver a post. Return the commands."""

    def page_commands(self, view: PageView) -> list[Command]:
        """Return the commands of a home page."""

    def bytes_by_shard(self) -> Counter[int]:
        """Return the approximate size of the data on each shard."""


def count_by_shard(*, placement: Placement, keys: Iterable[Key]) -> Counter[int]:
    """Return the number of documents on each shard. ``keys`` are the shard keys of the documents."""
    return Counter(map(placement.shard_of, keys))


def multi_update(*, placement: Placement, keys: Iterable[Key], shards: int) -> Command:
    """Return a multi-update. If its documents are on several shards, mongos sends it to all shards."""
    documents = count_by_shard(placement=placement, keys=keys)
    if len(documents) > 1:
        documents.update(dict.fromkeys(range(shards), 0))
    return Command(documents)
