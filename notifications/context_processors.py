"""The unread badge in the header of every page."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from accounts.viewer import viewer_id
from notifications.services.boxes import record_presence

from .selectors import read_state
from .selectors.read_state import Badge


def unread_badge(request: HttpRequest) -> dict[str, Any]:
    """Return ``unread``, the badge of the viewer. One command, and only if a page shows the badge."""
    viewer = viewer_id(request) if hasattr(request, "user") else None
    if viewer is None:
        return {}

    def unread() -> Badge:
        return read_state.unread_badge(viewer=viewer, count=record_presence(recipient=viewer))

    return {"unread": SimpleLazyObject(unread)}
