"""The bit layout of an id, and conversion between ids and times."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(2010, 1, 1, tzinfo=UTC)
"""Early enough for imported posts, and late enough for 41 bits of milliseconds to last until 2079."""

EPOCH_MS = int(EPOCH.timestamp() * 1000)
NODE_BITS = 10
SEQUENCE_BITS = 12
NODES = 1 << NODE_BITS
SEQUENCES = 1 << SEQUENCE_BITS
MAX_ID = (1 << 63) - 1


def first_id_at(*, moment: datetime) -> int:
    """Return the smallest possible id at ``moment`` (an aware datetime), or 0 before the epoch."""
    milliseconds = (moment - EPOCH) // timedelta(milliseconds=1)
    return max(0, milliseconds) << (NODE_BITS + SEQUENCE_BITS)


def time_of(*, id: int) -> datetime:
    """Return the creation time of an id in UTC, to the millisecond."""
    return EPOCH + timedelta(milliseconds=id >> (NODE_BITS + SEQUENCE_BITS))
