"""Decorators for pages that apps open in a pop-up window.

Some apps log users in with a pop-up. The pop-up ends on a page of the app, which passes the code to its
opener window. Our other pages separate a window from its opener (``Cross-Origin-Opener-Policy:
same-origin``), and a single such page separates the two permanently. So all log-in pages on the way to the
app must keep the opener.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

View = Callable[..., HttpResponse]


def keep_opener(view: View, *, only_if: Callable[[HttpRequest], bool] = lambda _: True) -> View:
    """Decorator: keep the connection between the page and the window that opened it."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        if only_if(request):
            response["Cross-Origin-Opener-Policy"] = "unsafe-none"
        return response

    return wrapped


def keep_opener_for_apps(view: View) -> View:
    """Decorator: keep the opener if the next page is the page on which users authorize apps."""
    return keep_opener(view, only_if=_leads_to_authorization)


def _leads_to_authorization(request: HttpRequest) -> bool:
    next_page = request.POST.get("next") or request.GET.get("next") or ""
    return next_page.startswith(reverse("oauth_authorize"))
