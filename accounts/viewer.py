"""Helpers for views: who the viewer is, what sent the request, and where to redirect after a form."""

import re

from allauth.account.adapter import get_adapter
from django.http import HttpRequest
from django.utils import translation

from .infra.time_zones import TIME_ZONE_COOKIE, clean_time_zone
from .languages import is_offered
from .models import User

ANCHOR = re.compile(r"[a-z]+(-[a-z]+)?-[0-9]{1,19}")


def viewer_id(request: HttpRequest) -> int | None:
    """Return the uid of the viewer, or None for an anonymous viewer."""
    return request.user.pk if request.user.is_authenticated else None


def signed_in_user(request: HttpRequest) -> User:
    """Return the logged-in user. Only for views that require log-in."""
    assert isinstance(request.user, User)  # noqa: S101 - narrows the type
    return request.user


def browser_time_zone(request: HttpRequest) -> str:
    """Return the time zone that the browser reports in a cookie, or "" if it is missing or unknown."""
    return clean_time_zone(request.COOKIES.get(TIME_ZONE_COOKIE, ""))


def viewer_time_zone(request: HttpRequest) -> str:
    """Return the time zone of the user's setting, else of the browser. "" if both are unknown.

    Loads the user.
    """
    chosen = request.user.time_zone if isinstance(request.user, User) else ""
    return clean_time_zone(chosen) or browser_time_zone(request)


def activate_viewer_language(request: HttpRequest) -> None:
    """Use the language of the user's setting, if there is one, for this request. Loads the user."""
    language = request.user.language if isinstance(request.user, User) else ""
    if is_offered(language=language):
        translation.activate(language)


def is_htmx(request: HttpRequest) -> bool:
    return bool(getattr(request, "htmx", False))


def anchor_of(request: HttpRequest) -> str:
    """Return the id of the element whose button was pressed, or "" if it is missing or invalid."""
    at = request.POST.get("at", "")
    return at if ANCHOR.fullmatch(at) else ""


def next_url(request: HttpRequest, *, default: str, anchor: str = "") -> str:
    """Return the path in the form's ``next`` field if it is safe, else ``default``.

    ``anchor``: the id of the element to scroll to. The button that was pressed may name another in ``at``.
    """
    target = request.POST.get("next", "")
    if not get_adapter().is_safe_url(target):
        return default
    anchor = anchor_of(request) or anchor
    return f"{target}#{anchor}" if anchor and "#" not in target else target
