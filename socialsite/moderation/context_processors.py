"""Template context of every page."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from accounts.models import User

from . import decisions
from .models import Announcement


def announcements(request: HttpRequest) -> dict[str, Any]:
    """Return the announcements for the viewer, which are read only if a page shows them."""

    def shown_announcements() -> list[Announcement]:
        user = getattr(request, "user", None)
        return decisions.announcements_for(user=user if isinstance(user, User) else None)

    return {"announcements": SimpleLazyObject(shown_announcements)}
