"""The unread badges in the navigation of every page, and the address of its live updates."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from accounts.viewer import viewer_id
from notifications.services.boxes import record_presence

from .selectors import read_state
from .selectors.read_state import Badge

LIVE_PATH = "/notifications/live/"


def live_updates(request: HttpRequest) -> dict[str, str]:
    """Return the address of the page's event stream: ``live_stream_url``, "" if pages have to poll."""
    origin = "" if settings.STREAMING_URL == settings.SITE_URL else settings.STREAMING_URL
    return {"live_stream_url": f"{origin}{LIVE_PATH}" if settings.LIVE_MAX_STREAMS else ""}


def unread_badges(request: HttpRequest) -> dict[str, Any]:
    """Return the badges of the viewer: ``unread`` for notifications, ``unread_messages``.

    One command reads both numbers, and only if a page shows a badge.
    """
    viewer = viewer_id(request) if hasattr(request, "user") else None
    if viewer is None:
        return {}
    counts: Any = SimpleLazyObject(lambda: record_presence(recipient=viewer))

    def unread() -> Badge:
        return read_state.unread_badge(count=counts.notifications)

    def unread_messages() -> Badge:
        return read_state.messages_badge(count=counts.conversations)

    return {
        "unread": SimpleLazyObject(unread),
        "unread_messages": SimpleLazyObject(unread_messages),
    }
