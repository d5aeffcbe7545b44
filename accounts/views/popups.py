"""Decorators for pages that apps open in a pop-up window.

Some apps log users in that way: the pop-up ends on a page of the app, which passes the code to its opener.
Our other pages separate a window from its opener (``Cross-Origin-Opener-Policy: same-origin``), and one
such page separates them permanently. So the log-in pages on the way to the app must keep the opener, too.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

View = Callable[..., HttpResponse]


def keep_opener(view: View, *, only_if: Callable[[HttpRequest], bool] = lambda _: True) -> View:
    """Keep the opener of a page."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        if only_if(request):
            response["Cross-Origin-Opener-Policy"] = "unsafe-none"
        return response

    return wrapped


def keep_opener_for_apps(view: View) -> View:
    """Keep the opener of a page if its next page is the one where users authorize apps."""
    return keep_opener(view, only_if=_leads_to_authorization)


def _leads_to_authorization(request: HttpRequest) -> bool:
    next_page = request.POST.get("next") or request.GET.get("next") or ""
    return next_page.startswith(reverse("oauth_authorize"))
