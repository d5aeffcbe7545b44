"""What every page says for the site."""

from typing import Any

from django.http import HttpRequest

from . import decisions


def announcements(request: HttpRequest) -> dict[str, Any]:
    """Asked for only where a page shows them."""
    return {"announcements": decisions.announcements}
