"""Helpers for views: who the viewer is, and where to redirect after a form."""

import re

from allauth.account.adapter import get_adapter
from django.http import HttpRequest

from .models import User

ANCHOR = re.compile(r"[a-z]+(-[a-z]+)?-[0-9]{1,19}")


def viewer_id(request: HttpRequest) -> int | None:
    """Return the uid of the viewer, or None for an anonymous viewer."""
    return request.user.pk if request.user.is_authenticated else None


def signed_in_user(request: HttpRequest) -> User:
    """Return the logged-in user. Only for views that require log-in."""
    assert isinstance(request.user, User)  # noqa: S101 - narrows the type
    return request.user


def next_url(request: HttpRequest, *, default: str, anchor: str = "") -> str:
    """Return the path in the form's ``next`` field if it is safe, else ``default``.

    ``anchor``: the id of the element to scroll to. The button that was pressed may name another in ``at``.
    """
    target, at = request.POST.get("next", ""), request.POST.get("at", "")
    if not get_adapter().is_safe_url(target):
        return default
    anchor = at if ANCHOR.fullmatch(at) else anchor
    return f"{target}#{anchor}" if anchor and "#" not in target else target
