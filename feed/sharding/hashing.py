"""The hash behind ``{_id: "hashed"}``, so that a plan places documents as the server would.

The first 64 bits, as a signed number, of the MD5 of a seed (0), the canonical type (10, a number) and the
value: ``BSONElementHasher`` in the server's source; mongosh has it as ``convertShardKeyToHashed``.
"""

import hashlib
import struct

_NUMBER = 10
HASHES = 1 << 64


def hashed(*, value: int) -> int:
    """A signed 64-bit number for a whole number that fits into 64 bits."""
    packed = struct.pack("<iiq", 0, _NUMBER, value)
    digest = hashlib.md5(packed, usedforsecurity=False).digest()
    return int(struct.unpack_from("<q", digest)[0])
