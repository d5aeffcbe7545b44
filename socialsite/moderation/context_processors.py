"""Template context of every page."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from . import decisions


def announcements(request: HttpRequest) -> dict[str, Any]:
    """Return the announcements, which are read only if a page shows them."""
    return {"announcements": SimpleLazyObject(decisions.announcements)}
