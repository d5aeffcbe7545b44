"""Open streams: Django answers the request of a client in a thread, the hub adds the stream, and the client
gets server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import Any, Protocol

from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.base import BaseHandler
from django.core.signals import request_started
from django.http import Http404, HttpResponse, JsonResponse
from django.utils.translation import gettext as _

from accounts.selectors.access_tokens import INVALID_TOKEN
from notifications.store.changes import DatabaseUnavailable

from .hub import AccessRevoked, Hub, NotWatching, TooManyStreams
from .streams import Stream
from .threads import TooBusy, opening_threads

URLCONF = "socialsite.streaming_urls"
FULL_RETRY_SECONDS, STARTING_RETRY_SECONDS = 60, 5
SEND_SECONDS = 20.0
"""A client that does not read for this long loses its stream."""

logger = logging.getLogger(__name__)


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


@dataclass(frozen=True, slots=True)
class Event:
    """An event. ``data`` has one line."""

    name: str
    data: str
    id: str = ""

    def as_text(self) -> str:
        id_line = f"id: {self.id}\n" if self.id else ""
        return f"{id_line}event: {self.name}\ndata: {self.data}\n\n"


class EventSource(Protocol):
    """The events of one client. ``greeting`` and ``heartbeat`` are sent as they are."""

    @property
    def stream(self) -> Stream: ...

    @property
    def greeting(self) -> str: ...

    @property
    def heartbeat(self) -> str: ...

    def batches(self, hub: Hub) -> AsyncIterator[list[Event]]:
        """Yield events until the stream ends. An empty batch is a heartbeat.

        Call this when the hub has opened the stream.
        """


class EventStreamResponse(HttpResponse):
    """The answer of a view to an accepted client. The streams process sends the events as its body."""

    def __init__(self, events: EventSource) -> None:
        super().__init__(content_type="text/event-stream")
        self.events = events
        self["X-Accel-Buffering"] = "no"  # otherwise nginx buffers the stream


async def send_events(events: EventSource, *, hub: Hub, receive: Any, send: Any) -> None:
    """Send the body of a response until the stream ends or the client leaves."""
    writer: Any = asyncio.current_task()
    reader = asyncio.create_task(_cancel_on_disconnect(writer, receive))
    try:
        await _write(events, hub, send)
    except asyncio.CancelledError:
        if not reader.done():  # the process ends this stream, not the client
            raise
        writer.uncancel()
    finally:
        reader.cancel()


async def batches_until_end(events: EventSource, *, hub: Hub) -> AsyncIterator[list[Event]]:
    """Yield the events of a stream. Errors end the stream, so that the client reconnects."""
    try:
        async for batch in events.batches(hub):
            yield batch
    except (DatabaseUnavailable, Http404):
        return  # Http404: the list of this stream was deleted
    except Exception:
        logger.exception("A stream failed")


async def _write(events: EventSource, hub: Hub, send: Any) -> None:
    try:
        await _send(send, events.greeting)
        async for batch in batches_until_end(events, hub=hub):
            await _send(send, "".join(event.as_text() for event in batch) or events.heartbeat)
        await _send(send, "", is_last=True)
    except TimeoutError:
        pass
    except Exception:
        logger.exception("A stream failed")


async def _send(send: Any, text: str, *, is_last: bool = False) -> None:
    async with asyncio.timeout(SEND_SECONDS):
        await send({"type": "http.response.body", "body": text.encode(), "more_body": not is_last})


async def _cancel_on_disconnect(writer: asyncio.Task[Any], receive: Any) -> None:
    """Cancel the writer, and any read that it waits for, when the client leaves."""
    while (await receive())["type"] != "http.disconnect":
        pass
    writer.cancel()


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
