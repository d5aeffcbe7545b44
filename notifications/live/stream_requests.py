"""Open streams: Django answers the request of a client in a thread, and the hub adds the stream."""

from functools import cache
from io import BytesIO
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.base import BaseHandler
from django.core.signals import request_started
from django.http import HttpResponse, JsonResponse
from django.utils.translation import gettext as _

from accounts.selectors.access_tokens import INVALID_TOKEN

from .event_streams import EventStreamResponse
from .hub import AccessRevoked, Hub, NotWatching, TooManyStreams
from .threads import TooBusy, opening_threads

URLCONF = "socialsite.streaming_urls"
FULL_RETRY_SECONDS, STARTING_RETRY_SECONDS = 60, 5


async def open_stream(hub: Hub, scope: Any, *, is_subscription: bool = False) -> HttpResponse:
    """Return the response to a request. If it is an ``EventStreamResponse``, close its stream later.

    Authentication happens after ``begin_opening``, so no revocation is missed in between.

    Args:
        scope: the ASGI scope of a request or a WebSocket. The body of a request is not read.
        is_subscription: whether the stream belongs to a WebSocket that is already open.
    """
    try:
        opening = hub.begin_opening()
        response = await opening_threads.run(_response_to, scope)
        if isinstance(response, EventStreamResponse):
            stream = response.events.stream
            stream.is_subscription = is_subscription
            hub.open(stream=stream, opening=opening)
    except TooManyStreams:
        text = _("There are too many open streams. Please try again later.")
        return _unavailable(text, FULL_RETRY_SECONDS)
    except (NotWatching, TooBusy):
        return _unavailable(_("Please try again soon."), STARTING_RETRY_SECONDS)
    except AccessRevoked:
        return _error(str(INVALID_TOKEN), status=401)
    if response.status_code >= 500:  # Django has logged the reason
        return _unavailable(_("Please try again soon."), STARTING_RETRY_SECONDS)
    return response


@cache
def request_handler() -> BaseHandler:
    """Return Django with its middleware."""
    handler = BaseHandler()
    handler.load_middleware()
    return handler


def _response_to(scope: Any) -> HttpResponse:
    request_started.send(sender=BaseHandler, scope=scope)
    if scope["type"] == "websocket":
        scheme = "https" if scope["scheme"] == "wss" else "http"
        scope = {**scope, "type": "http", "method": "GET", "scheme": scheme}
    request = ASGIRequest(scope, BytesIO())
    request.urlconf = URLCONF
    response: Any = request_handler().get_response(request)
    response.close()
    return response  # type: ignore[no-any-return]


def _unavailable(text: str, seconds: int) -> HttpResponse:
    response = _error(text, status=503)
    response["Retry-After"] = str(seconds)
    return response


def _error(text: str, *, status: int) -> HttpResponse:
    response = JsonResponse({"error": text}, status=status)
    response["Access-Control-Allow-Origin"] = "*"  # scripts of apps may read the error
    response["Cache-Control"] = "no-store"
    return response
