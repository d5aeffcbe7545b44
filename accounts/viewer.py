"""Who is asking, and where to go back to, for views."""

from allauth.account.adapter import get_adapter
from django.http import HttpRequest

from .models import User


def viewer_id(request: HttpRequest) -> int | None:
    """The uid of the signed-in person; None for a visitor."""
    return request.user.pk if request.user.is_authenticated else None


def signed_in_user(request: HttpRequest) -> User:
    """The signed-in person; only where nobody else gets to."""
    assert isinstance(request.user, User)  # noqa: S101 - narrows the type
    return request.user


def next_url(request: HttpRequest, *, default: str) -> str:
    """Where the form was, if that is a path of this site."""
    target = request.POST.get("next", "")
    return target if get_adapter().is_safe_url(target) else default
