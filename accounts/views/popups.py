"""Pages that apps open in a pop-up, and that have to reach the window that opened them.

Some apps log people in that way: the pop-up ends on a page of the app, which hands the code to its opener.
Our other pages cut that tie (``Cross-Origin-Opener-Policy: same-origin``). Once one page on the way has
cut it, it stays cut, so the log-in pages on the way to the app must leave it alone as well.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

View = Callable[..., HttpResponse]


def in_a_pop_up(view: View, *, only_if: Callable[[HttpRequest], bool] = lambda _: True) -> View:
    """Keep the opener of this page."""

    @wraps(view)
    def keep_opener(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        if only_if(request):
            response["Cross-Origin-Opener-Policy"] = "unsafe-none"
        return response

    return keep_opener


def keep_opener_for_apps(view: View) -> View:
    """Keep the opener of a page if it leads to the page where people authorize apps."""
    return in_a_pop_up(view, only_if=_leads_to_an_app)


def _leads_to_an_app(request: HttpRequest) -> bool:
    following = request.POST.get("next") or request.GET.get("next") or ""
    return following.startswith(reverse("authorize_app"))
