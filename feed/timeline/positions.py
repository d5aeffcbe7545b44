"""The reading position in the home timeline."""

from django.utils import timezone

from accounts.infra.ids import first_id_at
from feed.store import home_states
from feed.store.home_states import HomePosition


def advance_home_position(*, viewer: int, position: int) -> None:
    """Record that the viewer has seen the home timeline up to this entry. It never moves back."""
    # A position in the future would hide all new posts.
    now = timezone.now()
    newest = first_id_at(moment=now)
    home_states.advance_position(viewer=viewer, position=min(position, newest), now=now)


def home_position(*, viewer: int) -> HomePosition | None:
    """Return how far the viewer has read the home timeline; None before the first visit."""
    return home_states.home_position(viewer=viewer)
