"""Which shard holds a document, under the keys of ``store.sharding``."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Protocol

from feed.store.sharding import KEYS

from .hashing import HASHES, hashed

CHUNKS_PER_SHARD = 8

Key = tuple[int, ...]


class Placing(Protocol):
    def shard_of(self, key: Key) -> int:
        """The shard of one document."""

    def shards_of(self, prefix: Key) -> set[int]:
        """The shards that a look-up by the key's first fields asks."""


class Hashed:
    """Each shard has an equal part of all hashes, as an empty collection is spread."""

    def __init__(self, *, shards: int) -> None:
        self._shards = shards
        self._known: dict[int, int] = {}

    def shard_of(self, key: Key) -> int:
        value = key[0]
        if value not in self._known:
            place = hashed(value=value) + HASHES // 2
            self._known[value] = place * self._shards // HASHES
        return self._known[value]

    def shards_of(self, prefix: Key) -> set[int]:
        return {self.shard_of(prefix)}


class Ranged:
    """Chunks of equally many documents, split at what is there now and dealt to the shards in turn.

    What comes later goes to the chunk it falls into: nothing is split again or moved.
    """

    def __init__(self, *, shards: int, keys: Sequence[Key], width: int) -> None:
        """``width``: how many fields of the documents' keys are in the shard key."""
        self._shards, self._width = shards, width
        ordered = sorted(key[:width] for key in keys)
        chunks = shards * CHUNKS_PER_SHARD
        at = (len(ordered) * number // chunks for number in range(1, chunks))
        # A chunk begins with its split point; equal keys cannot be split.
        self._splits = sorted({ordered[one] for one in at}) if ordered else []

    def shard_of(self, key: Key) -> int:
        return bisect_right(self._splits, key[: self._width]) % self._shards

    def shards_of(self, prefix: Key) -> set[int]:
        wanted = prefix[: self._width]
        first = bisect_right(self._splits, wanted)
        after = (*wanted[:-1], wanted[-1] + 1)
        last = bisect_left(self._splits, after)
        return {chunk % self._shards for chunk in range(first, max(first, last) + 1)}


def placing(
    *, collection: str, fields: Sequence[str], keys: Sequence[Key] = (), shards: int
) -> Placing:
    """``keys``: those of the documents there are, in the order of ``fields``, to split ranges by."""
    key = KEYS[collection]
    if list(key.fields) != list(fields[: len(key.fields)]):
        raise ValueError(f"{collection} is sharded by {key.fields}, not by {fields}.")
    if key.is_hashed:
        return Hashed(shards=shards)
    return Ranged(shards=shards, keys=keys, width=len(key.fields))
