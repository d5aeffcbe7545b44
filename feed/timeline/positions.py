"""Where a reader stands in the home timeline."""

from django.utils import timezone

from accounts.infra.ids import first_id_at
from feed.store import reading


def advance_home_position(*, viewer: int, position: int) -> None:
    """The reader has seen the home timeline up to this entry, on whatever device; never goes back."""
    # Not beyond what there can be, or nothing would ever be new again.
    now = timezone.now()
    newest = first_id_at(moment=now)
    reading.advance_position(viewer=viewer, position=min(position, newest), now=now)
