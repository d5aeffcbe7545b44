"""Where a reader stands in the home timeline."""

from django.utils import timezone

from accounts.ids import first_id_at
from feed.store import reading


def remember_position(*, reader: int, position: int) -> None:
    """The reader has seen the home timeline up to this entry, on whatever device; never goes back."""
    # Not beyond what there can be, or nothing would ever be new again.
    now = timezone.now()
    newest = first_id_at(moment=now)
    reading.advance(reader=reader, position=min(position, newest), at=now)
