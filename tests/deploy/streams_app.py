"""A stand-in for the streams process: what nginx must pass through, and nothing else."""

import asyncio
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

FORWARDED = ("host", "x-forwarded-for", "x-forwarded-proto")


async def events(request: Request) -> StreamingResponse:
    """Send what nginx passes on as one event, and then nothing more."""

    async def body() -> AsyncIterator[str]:
        for name in FORWARDED:
            yield f"data: {name} {request.headers.get(name)}\n"
        yield f"data: version {request.scope['http_version']}\n"
        yield "\n"
        await asyncio.Event().wait()

    return StreamingResponse(body(), media_type="text/event-stream")


async def echo(websocket: WebSocket) -> None:
    await websocket.accept()
    async for text in websocket.iter_text():
        await websocket.send_text(text)


application = Starlette(
    routes=[
        Route("/api/v1/streaming/user", events),
        Route("/notifications/live/", events),
        WebSocketRoute("/api/v1/streaming", echo),
    ]
)
