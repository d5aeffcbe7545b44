"""Where people get who are logged in and not active: to the page that says why, and to what it offers.

A view that they may reach besides is marked with ``reachable_when_closed``.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

from .viewer import signed_in_user

ALLOWED_URL_NAMES = frozenset(
    {
        "account_logout",
        "account_reauthenticate",
        "mfa_reauthenticate",
        "set_theme",
        "identicon",
        "drawn_avatar",
        "avatar",
        "picture",
    }
)
"""Names of views that are not ours to mark, and of those whose answer is the same for everybody."""

GetResponse = Callable[[HttpRequest], HttpResponseBase]
View = TypeVar("View", bound=Callable[..., Any])


def allow_inactive_users(view: View) -> View:
    """Decorator of a view, outermost: also for people who are suspended, away or about to be erased."""
    view.reachable_when_closed = True  # type: ignore[attr-defined]
    return view


def account_status_response(request: HttpRequest, *, status: int = 200) -> HttpResponse:
    """Says to a person who is not active which it is, and what they can do."""
    user = signed_in_user(request)
    context = {
        "is_away": user.deactivated_at is not None,
        "erase_at": user.erase_at,
        "can_keep": user.erase_at is not None and user.erase_at > timezone.now(),
        # Also whoever was switched off by hand, for no reason that is known.
        "is_suspended": bool(user.suspended_at) or not (user.deactivated_at or user.erase_at),
    }
    response = render(request, "accounts/standing.html", context, status=status)
    add_never_cache_headers(response)
    return response


class InactiveUserMiddleware:
    """After authentication. Pages lead to the page about one's standing, all else is refused with it."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        match = request.resolver_match
        if match is not None and match.url_name in ALLOWED_URL_NAMES:
            return None
        if getattr(view, "reachable_when_closed", False):
            return None
        if not request.user.is_authenticated or request.user.is_active:
            return None
        # A script would take the page for what it asked for.
        is_page = request.headers.get("Sec-Fetch-Dest", "document") == "document"
        if request.method in ("GET", "HEAD") and is_page:
            return HttpResponseRedirect(reverse("account_standing"))
        return account_status_response(request, status=403)
