"""Computes the shard of a document from the shard keys in ``keys``, as the server would."""

import hashlib
import struct
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Protocol

from socialsite.sharding.keys import SHARD_KEYS

_NUMBER = 10
HASH_COUNT = 1 << 64
CHUNKS_PER_SHARD = 8

Key = tuple[int, ...]


def shard_key_hash(*, value: int) -> int:
    """Return the hash behind ``{_id: "hashed"}`` for a 64-bit integer, as a signed 64-bit number.

    It is the first 64 bits of the MD5 of a seed (0), the canonical type (10, a number) and the value:
    ``BSONElementHasher`` in the server's source, ``convertShardKeyToHashed`` in mongosh.
    """
    packed = struct.pack("<iiq", 0, _NUMBER, value)
    digest = hashlib.md5(packed, usedforsecurity=False).digest()
    return int(struct.unpack_from("<q", digest)[0])


class Placement(Protocol):
    def shard_of(self, key: Key) -> int:
        """The shard of one document."""

    def shards_of(self, prefix: Key) -> set[int]:
        """The shards that a look-up by the key's first fields asks."""


class HashedPlacement:
    """Each shard has an equal part of all hashes, as an empty collection is spread."""

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
    """Chunks of equally many documents, split at what is there now and dealt to the shards in turn.

    What comes later goes to the chunk it falls into: nothing is split again or moved.
    """

    def __init__(self, *, shards: int, keys: Sequence[Key], field_count: int) -> None:
        """``width``: how many fields of the documents' keys are in the shard key."""
        self._shards, self._width = shards, field_count
        ordered = sorted(key[:field_count] for key in keys)
        chunks = shards * CHUNKS_PER_SHARD
        at = (len(ordered) * number // chunks for number in range(1, chunks))
        # A chunk begins with its split point; equal keys cannot be split.
        self._splits = sorted({ordered[position] for position in at}) if ordered else []

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
    """``keys``: those of the documents there are, in the order of ``fields``, to split ranges by."""
    key = SHARD_KEYS[collection]
    if list(key.fields) != list(fields[: len(key.fields)]):
        raise ValueError(f"{collection} is sharded by {key.fields}, not by {fields}.")
    if key.is_hashed:
        return HashedPlacement(shards=shards)
    return RangedPlacement(shards=shards, keys=keys, field_count=len(key.fields))
