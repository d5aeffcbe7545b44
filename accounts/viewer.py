"""Who is asking, for views."""

from django.http import HttpRequest

from .models import User


def viewer_id(request: HttpRequest) -> int | None:
    """The uid of the signed-in person; None for a visitor."""
    return request.user.pk if request.user.is_authenticated else None


def signed_in(request: HttpRequest) -> User:
    """The signed-in person; only where nobody else gets to."""
    assert isinstance(request.user, User)  # noqa: S101 - narrows the type
    return request.user
