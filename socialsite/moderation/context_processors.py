"""Template context of every page."""

from typing import Any

from django.http import HttpRequest

from . import decisions


def announcements(request: HttpRequest) -> dict[str, Any]:
    """Return the function, so that only pages that show announcements read them."""
    return {"announcements": decisions.announcements}
