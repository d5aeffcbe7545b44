"""What every page tells its viewer: how much there is to read."""

from functools import cache, partial
from typing import Any

from django.http import HttpRequest

from accounts.viewer import viewer_id

from .services import note_presence


def badge(request: HttpRequest) -> dict[str, Any]:
    """``unread``: notifications; asked for only where a page shows it, in one command."""
    viewer = viewer_id(request) if hasattr(request, "user") else None
    if viewer is None:
        return {}
    return {"unread": cache(partial(note_presence, reader=viewer))}
