"""The streams process: ``python -m uvicorn socialsite.asgi:application``.

It serves the event streams of pages and apps, and nothing else. Start exactly one worker per port.
"""

import asyncio
import gc
import logging
import os
import resource
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")
django.setup()

# Models can be imported only after ``django.setup()``, hence E402 below.
from starlette.applications import Starlette  # noqa: E402
from starlette.responses import Response  # noqa: E402
from starlette.routing import WebSocketRoute  # noqa: E402

from notifications.live.hub import Hub  # noqa: E402
from notifications.live.stream_requests import (  # noqa: E402
    EventStreamResponse,
    open_stream,
    request_handler,
    send_events,
)
from socialsite.api.streaming.endpoints import SOCKET_STATUS  # noqa: E402
from socialsite.api.streaming.sockets import PATH, serve_socket  # noqa: E402
from socialsite.monitoring.heartbeats import record_heartbeat_of  # noqa: E402

HEARTBEAT_SECONDS = 10.0
RARE_COLLECTIONS = 1000
"""Number of partial garbage collections before a full one, instead of 10. Each follows 7,000 objects.

Closed streams leave no garbage for a full collection, and openings leave little. With 8 openings a second,
a full collection runs every few minutes."""

SERVED_PATHS = (PATH, "/notifications/live/")


async def serve_http(scope: Any, receive: Any, send: Any) -> None:
    """Answer a request for an event stream."""
    hub: Hub = socket_application.state.hub
    if not scope["path"].startswith(SERVED_PATHS):
        await Response("Not found", 404)(scope, receive, send)
        return
    response = await open_stream(hub, scope)
    is_stream = isinstance(response, EventStreamResponse)
    has_events = is_stream and scope["method"] == "GET" and response.status_code != SOCKET_STATUS
    if has_events:
        del response["Content-Length"]
    headers = [(name.lower().encode(), value.encode()) for name, value in response.items()]
    headers += [
        (b"set-cookie", morsel.OutputString().encode()) for morsel in response.cookies.values()
    ]
    start = {"type": "http.response.start", "status": response.status_code, "headers": headers}
    try:
        await send(start)
        if isinstance(response, EventStreamResponse) and has_events:
            await send_events(response.events, hub=hub, receive=receive, send=send)
        else:
            await send({"type": "http.response.body", "body": response.content})
    finally:
        if isinstance(response, EventStreamResponse):
            hub.close(stream=response.events.stream)


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    _raise_file_limit()
    request_handler()
    app.state.hub = hub = Hub()
    # In tests, this is a thread of pytest's process.
    if threading.current_thread() is threading.main_thread():
        _end_streams_on_sigterm(hub)
        _collect_garbage_rarely()
    tasks = [asyncio.create_task(hub.run()), asyncio.create_task(record_heartbeats(hub))]
    yield
    hub.leave()
    for task in tasks:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def record_heartbeats(hub: Hub) -> None:
    """Record that this process works, as long as it watches the database. Runs until it is cancelled."""
    while True:
        if hub.is_watching():
            await asyncio.to_thread(record_heartbeat_of, name="streams")
            await asyncio.sleep(HEARTBEAT_SECONDS)
        else:
            await asyncio.sleep(1)


def _raise_file_limit() -> None:
    """Allow as many connections as the system permits. Each needs a file descriptor."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _end_streams_on_sigterm(hub: Hub) -> None:
    """End all streams on SIGTERM. uvicorn would wait for them before it stops the application."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        previous_handler: Any = signal.getsignal(number)

        def shut_down(number: int, frame: Any, previous_handler: Any = previous_handler) -> None:
            loop.call_soon_threadsafe(hub.leave)
            previous_handler(number, frame)

        signal.signal(number, shut_down)


def _collect_garbage_rarely() -> None:
    """Make full collections rare. With 10,000 streams, each stops the process for one to three seconds."""
    gc.freeze()  # no collection examines what is loaded now
    gc.set_threshold(*gc.get_threshold()[:2], RARE_COLLECTIONS)


def _log_like_the_site() -> None:
    """Replace uvicorn's handlers, whose lines contain access tokens of URLs, by those of the site."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.setLevel(logging.NOTSET)
        logger.propagate = name != "uvicorn.access"
    logging.getLogger("uvicorn.error").addFilter(_is_no_refused_socket)


def _is_no_refused_socket(record: logging.LogRecord) -> bool:
    """Drop the error that uvicorn logs after each WebSocket that the site has refused with a response."""
    return record.msg != "ASGI callable returned without completing handshake."


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Serve event streams, and leave WebSockets and the lifespan of the process to Starlette.

    Streams bypass Starlette's layers, because every frame that waits costs each stream memory.
    """
    serve = serve_http if scope["type"] == "http" else socket_application
    await serve(scope, receive, send)


_log_like_the_site()
socket_application = Starlette(
    routes=[WebSocketRoute(PATH, serve_socket), WebSocketRoute(f"{PATH}/", serve_socket)],
    lifespan=_lifespan,
)
