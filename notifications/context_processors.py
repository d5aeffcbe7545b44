"""What every page tells its viewer: how much there is to read."""

from functools import cache
from typing import Any

from django.http import HttpRequest

from accounts.viewer import viewer_id

from .selectors.live import Told, unread_told
from .services import note_presence


def badge(request: HttpRequest) -> dict[str, Any]:
    """``unread``: notifications; asked for only where a page shows it, in one command."""
    viewer = viewer_id(request) if hasattr(request, "user") else None
    if viewer is None:
        return {}

    @cache
    def unread() -> Told:
        return unread_told(reader=viewer, count=note_presence(reader=viewer))

    return {"unread": unread}
