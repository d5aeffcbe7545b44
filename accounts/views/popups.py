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


def on_the_way_to_an_app(view: View) -> View:
    """Keep the opener of a page that leads to the page where people authorize apps."""

    @wraps(view)
    def keep_opener(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        following = request.POST.get("next") or request.GET.get("next") or ""
        response = view(request, *args, **kwargs)
        if following.startswith(reverse("authorize_app")):
            _keep_opener(response)
        return response

    return keep_opener


def in_a_pop_up(view: View) -> View:
    """Keep the opener of this page, wherever it leads."""

    @wraps(view)
    def keep_opener(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        _keep_opener(response)
        return response

    return keep_opener


def _keep_opener(response: HttpResponse) -> None:
    response["Cross-Origin-Opener-Policy"] = "unsafe-none"
