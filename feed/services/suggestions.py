"""Hide suggestions of people."""

from feed.store import home_states


def hide_suggestions(*, viewer: int) -> None:
    """Hide the suggestions in the home timeline for good. Safe to repeat."""
    home_states.hide_suggestions(viewer=viewer)
