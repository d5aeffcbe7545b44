"""Helpers for views: the viewer, and the page to return to."""

from allauth.account.adapter import get_adapter
from django.http import HttpRequest

from .models import User


def viewer_id(request: HttpRequest) -> int | None:
    """Return the uid of the viewer; None when anonymous."""
    return request.user.pk if request.user.is_authenticated else None


def signed_in_user(request: HttpRequest) -> User:
    """Return the logged-in user. Only for views that require log-in."""
    assert isinstance(request.user, User)  # noqa: S101 - narrows the type
    return request.user


def next_url(request: HttpRequest, *, default: str) -> str:
    """Return the ``next`` path of the form if it is safe, else ``default``."""
    target = request.POST.get("next", "")
    return target if get_adapter().is_safe_url(target) else default
