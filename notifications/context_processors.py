"""The unread badge in the header of every page."""

from functools import cache
from typing import Any

from django.http import HttpRequest

from accounts.viewer import viewer_id
from notifications.services.boxes import record_presence

from .selectors import read_state
from .selectors.read_state import Badge


def unread_badge(request: HttpRequest) -> dict[str, Any]:
    """Return ``unread``, a callable for templates. It runs one command, and only if a page calls
    it."""
    viewer = viewer_id(request) if hasattr(request, "user") else None
    if viewer is None:
        return {}

    @cache
    def unread() -> Badge:
        return read_state.unread_badge(viewer=viewer, count=record_presence(recipient=viewer))

    return {"unread": unread}
