"""Compute the shard of a document from the shard keys of the site, as the server does."""

import hashlib
import struct
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Protocol

from socialsite.shard_keys import SHARD_KEYS

_NUMBER = 10
HASH_COUNT = 1 << 64
CHUNKS_PER_SHARD = 8

Key = tuple[int, ...]


def shard_key_hash(*, value: int) -> int:
    """Return the hash behind ``{_id: "hashed"}`` for a 64-bit integer, as a signed 64-bit number.

    The hash is the first 64 bits of the MD5 of a seed (0), the canonical type (10, a number) and the value.
    See ``BSONElementHasher`` in the server's source, ``convertShardKeyToHashed`` in mongosh.
    """
    packed = struct.pack("<iiq", 0, _NUMBER, value)
    digest = hashlib.md5(packed, usedforsecurity=False).digest()
    return int(struct.unpack_from("<q", digest)[0])


class Placement(Protocol):
    def shard_of(self, key: Key) -> int:
        """Return the shard of a document."""

    def shards_of(self, prefix: Key) -> set[int]:
        """Return the shards that a query reaches. ``prefix`` contains values of the first key fields."""


class HashedPlacement:
    """Hashed keys: each shard has an equal part of the hashes, as after sharding an empty collection."""

    def __init__(self, *, shards: int) -> None:
        self._shards = shards
        self._known: dict[int, int] = {}

    def shard_of(self, key: Key) -> int:
        value = key[0]
        if value not in self._known:
            place = shard_key_hash(value=value) + HASH_COUNT // 2
            self._known[value] = place * self._shards // HASH_COUNT
        return self._known[value]

    def shards_of(self, prefix: Key) -> set[int]:
        return {self.shard_of(prefix)}


class RangedPlacement:
    """Ranged keys: chunks with equal numbers of documents, assigned to the shards in turn.

    The existing documents define the chunks. Later documents never split or move a chunk.
    """

    def __init__(self, *, shards: int, keys: Sequence[Key], field_count: int) -> None:
        """Split the sorted keys into chunks. The shard key consists of the first ``field_count`` fields."""
        self._shards, self._width = shards, field_count
        ordered = sorted(key[:field_count] for key in keys)
        chunks = shards * CHUNKS_PER_SHARD
        positions = (len(ordered) * number // chunks for number in range(1, chunks))
        # Each split point begins a chunk. Documents with equal keys are always in the same chunk.
        self._splits = sorted({ordered[position] for position in positions}) if ordered else []

    def shard_of(self, key: Key) -> int:
        return bisect_right(self._splits, key[: self._width]) % self._shards

    def shards_of(self, prefix: Key) -> set[int]:
        wanted = prefix[: self._width]
        first = bisect_right(self._splits, wanted)
        after = (*wanted[:-1], wanted[-1] + 1)
        last = bisect_left(self._splits, after)
        return {chunk % self._shards for chunk in range(first, max(first, last) + 1)}


def make_placement(
    *, collection: str, fields: Sequence[str], keys: Sequence[Key] = (), shards: int
) -> Placement:
    """Return the placement of a collection.

    Args:
        fields: the names of the values in each key. They begin with the fields of the shard key.
        keys: the keys of existing documents, which define the chunks of a ranged key.
    """
    key = SHARD_KEYS[collection]
    if list(key.fields) != list(fields[: len(key.fields)]):
        raise ValueError(f"{collection} is sharded by {key.fields}, not by {fields}.")
    if key.is_hashed:
        return HashedPlacement(shards=shards)
    return RangedPlacement(shards=shards, keys=keys, field_count=len(key.fields))
