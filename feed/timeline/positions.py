"""The reading position in the home timeline."""

from django.utils import timezone

from accounts.infra.ids import first_id_at
from feed.store import home_states
from feed.store.home_states import HomePosition


def advance_home_position(*, viewer: int, position: int) -> None:
    """Move the viewer's reading position up to the entry ``position``. The position never moves down."""
    # A position in the future would hide all new posts.
    now = timezone.now()
    newest = first_id_at(moment=now)
    home_states.advance_position(viewer=viewer, position=min(position, newest), now=now)


def home_position(*, viewer: int) -> HomePosition | None:
    """Return the viewer's reading position, or None before the first visit."""
    return home_states.home_position(viewer=viewer)
