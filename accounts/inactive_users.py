"""Restriction of inactive users to the page that explains their account status.

``allow_inactive_users`` marks the other views that inactive users may use, such as reactivation.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

from .infra.middleware import Middleware
from .viewer import signed_in_user

ALLOWED_URL_NAMES = frozenset(
    {
        "account_logout",
        "account_reauthenticate",
        "mfa_reauthenticate",
        "set_theme",
        "initial",
        "initial_png",
        "avatar",
        "header_picture",
        "picture",
    }
)
"""URL names of third-party views, which we cannot decorate, and of views that do not depend on the user."""

View = TypeVar("View", bound=Callable[..., Any])


def allow_inactive_users(view: View) -> View:
    """Decorator: let inactive users use the view.

    It must be the outermost decorator, because the middleware reads an attribute of the function it
    returns.
    """
    view.allows_inactive_users = True  # type: ignore[attr-defined]
    return view


def account_status_response(request: HttpRequest, *, status: int = 200) -> HttpResponse:
    """Return the page that tells inactive users why their account is inactive and what they can do."""
    user = signed_in_user(request)
    context = {
        "is_deactivated": user.deactivated_at is not None,
        "erase_at": user.erase_at,
        "can_cancel_deletion": user.erase_at is not None and user.erase_at > timezone.now(),
        # Without a recorded reason, somebody cleared ``is_active`` by hand. Treat the user as suspended.
        "is_suspended": bool(user.suspended_at) or not (user.deactivated_at or user.erase_at),
    }
    response = render(request, "accounts/account_status.html", context, status=status)
    add_never_cache_headers(response)
    return response


class InactiveUserMiddleware(Middleware):
    """Redirect inactive users to their account status, and refuse their requests that are not page views.

    Must run after the authentication middleware.
    """

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        match = request.resolver_match
        if match is not None and match.url_name in ALLOWED_URL_NAMES:
            return None
        if getattr(view, "allows_inactive_users", False):
            return None
        if not request.user.is_authenticated or request.user.is_active:
            return None
        # Only a page view gets the redirect. A script would mistake the status page for the expected
        # response.
        is_page = request.headers.get("Sec-Fetch-Dest", "document") == "document"
        if request.method in ("GET", "HEAD") and is_page:
            return HttpResponseRedirect(reverse("account_status"))
        return account_status_response(request, status=403)
