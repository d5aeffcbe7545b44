"""Server-sent events: the response to a client, and how its events are sent.

The format is defined in https://html.spec.whatwg.org/multipage/server-sent-events.html.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Protocol

from django.http import Http404, HttpResponse

from notifications.store.changes import DatabaseUnavailable

from .hub import Hub
from .streams import Stream

SEND_SECONDS = 20.0
"""A client that does not read for this long loses its stream."""

logger = logging.getLogger(__name__)


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
