"""WebSockets of apps: one connection with several streams, in Mastodon's format.

Apps send ``{"type": "subscribe" | "unsubscribe", "stream": name, "tag": ..., "list": ...}``. They receive
``{"stream": [name, parameter], "event": name, "payload": text}`` or ``{"error": text, "status": number}``.
"""

import asyncio
import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from feed.text.hashtags import normalize_tag
from notifications.live.hub import Hub
from notifications.live.stream_requests import (
    SEND_SECONDS,
    EventStreamResponse,
    batches_until_end,
    open_stream,
)
from notifications.live.streams import EndReason, Stream

from .app_events import MAX_STREAM_SECONDS

PATH = "/api/v1/streaming"
QUERIES = {
    "user": ("user", {}),
    "user:notification": ("user/notification", {}),
    "public": ("public", {}),
    "public:media": ("public", {"only_media": "true"}),
    "public:local": ("public/local", {}),
    "public:local:media": ("public/local", {"only_media": "true"}),
    "public:remote": ("public/remote", {}),
    "public:remote:media": ("public/remote", {}),
    "hashtag": ("hashtag", {}),
    "hashtag:local": ("hashtag/local", {}),
    "list": ("list", {}),
    "direct": ("direct", {}),
}
"""The path and query of each stream, by its name in messages."""

PARAMETERS = {"hashtag": "tag", "hashtag:local": "tag", "list": "list"}
MAX_MESSAGE_CHARACTERS = 4096
MAX_SUBSCRIPTIONS = 40

# Codes of https://www.iana.org/assignments/websocket
NORMAL, ABNORMAL, POLICY_VIOLATION, TOO_BIG, RESTART = 1000, 1006, 1008, 1009, 1012
CLOSE_CODES = {
    EndReason.REVOKED: POLICY_VIOLATION,
    EndReason.REPLACED: POLICY_VIOLATION,
    EndReason.RESTART: RESTART,
}

Name = tuple[str, ...]
Error = tuple[str, int]
"""A text and an HTTP status."""

logger = logging.getLogger(__name__)


async def serve_socket(websocket: WebSocket) -> None:
    """Authenticate the client, and serve it until either side closes the connection."""
    hub: Hub = websocket.app.state.hub
    token, subprotocol = _token_of(websocket)
    response = await _open(websocket, hub, token, path="", query={})
    if not isinstance(response, EventStreamResponse):
        await websocket.send_denial_response(
            Response(response.content, response.status_code, dict(response.items()))
        )
        return
    stream = response.events.stream
    try:
        await Socket(websocket, hub=hub, token=token, stream=stream).serve(subprotocol)
    except (WebSocketDisconnect, TimeoutError):
        pass
    finally:
        hub.close(stream=stream)


class Socket:
    """An open connection. ``stream`` receives nothing, and ends when the token is revoked."""

    def __init__(self, websocket: WebSocket, *, hub: Hub, token: str, stream: Stream) -> None:
        self._websocket, self._hub, self._token, self._stream = websocket, hub, token, stream
        self._subscriptions: dict[Name, asyncio.Task[None]] = {}
        self._accepted = asyncio.Event()

    async def serve(self, subprotocol: str | None) -> None:
        tasks = [
            asyncio.create_task(self._receive(subprotocol)),
            asyncio.create_task(self._stream.pause(seconds=MAX_STREAM_SECONDS)),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            tasks += self._subscriptions.values()
            for task in tasks:
                task.cancel()
            outcome, *_others = await asyncio.gather(*tasks, return_exceptions=True)
        if isinstance(outcome, WebSocketDisconnect):
            return
        if isinstance(outcome, Exception):
            logger.error("A WebSocket failed", exc_info=outcome)
        code = outcome if isinstance(outcome, int) else RESTART
        if (reason := self._stream.end_reason()) is not None:
            code = CLOSE_CODES.get(reason, NORMAL)
        async with asyncio.timeout(SEND_SECONDS):
            await self._websocket.close(code)

    async def _receive(self, subprotocol: str | None) -> int:
        """Accept the connection and handle messages. Returns the code with which to close it."""
        query = self._websocket.query_params
        # This precedes ``accept``, so a connected client misses no event of the stream in its address.
        refusal = await self._subscribe(query) if "stream" in query else None
        try:
            await self._websocket.accept(subprotocol)
        except OSError as error:  # the client has left
            raise WebSocketDisconnect(ABNORMAL) from error
        self._accepted.set()
        await self._send_error(refusal)
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(message["code"])
            text = message.get("text") or ""
            if len(text) > MAX_MESSAGE_CHARACTERS:
                return TOO_BIG
            await self._handle(_parse(text))

    async def _handle(self, message: Mapping[str, Any]) -> None:
        match message.get("type"):
            case "subscribe":
                await self._send_error(await self._subscribe(message))
            case "unsubscribe":
                if task := self._subscriptions.pop(_key_of(_name_of(message)), None):
                    task.cancel()
            case _:
                await self._send_error(("Unknown message type", 400))

    async def _subscribe(self, message: Mapping[str, Any]) -> Error | None:
        name = _name_of(message)
        key = _key_of(name)
        if key in self._subscriptions:
            return None
        if name[0] not in QUERIES:
            return "Unknown stream type", 400
        if len(self._subscriptions) >= MAX_SUBSCRIPTIONS:
            return "Too many subscriptions", 400
        path, query = QUERIES[name[0]]
        if len(name) > 1:
            query = query | {PARAMETERS[name[0]]: name[1]}
        response = await _open(
            self._websocket,
            self._hub,
            self._token,
            path=f"/{path}",
            query=query,
            is_subscription=True,
        )
        if not isinstance(response, EventStreamResponse):
            return _error_in(response), response.status_code

        def end(task: asyncio.Task[None]) -> None:
            """Remove the subscription, also if its task was cancelled before it began."""
            self._hub.close(stream=response.events.stream)
            if self._subscriptions.get(key) is task:
                del self._subscriptions[key]

        self._subscriptions[key] = asyncio.create_task(self._forward(name, response))
        self._subscriptions[key].add_done_callback(end)
        return None

    async def _forward(self, name: Name, response: EventStreamResponse) -> None:
        """Send the events of a subscription."""
        await self._accepted.wait()
        try:
            async for batch in batches_until_end(response.events, hub=self._hub):
                for event in batch:
                    await self._send({"stream": name, "event": event.name, "payload": event.data})
        except (TimeoutError, WebSocketDisconnect):
            self._hub.close(stream=self._stream)  # the client does not read, so end the connection

    async def _send(self, message: Any) -> None:
        async with asyncio.timeout(SEND_SECONDS):
            await self._websocket.send_text(json.dumps(message))

    async def _send_error(self, error: Error | None) -> None:
        if error is not None:
            await self._send({"error": error[0], "status": error[1]})


async def _open(
    websocket: WebSocket,
    hub: Hub,
    token: str,
    *,
    path: str,
    query: dict[str, str],
    is_subscription: bool = False,
) -> HttpResponse:
    """Open the stream of an endpoint below ``PATH`` in the name of the client."""
    headers = [
        (name, value) for name, value in websocket.scope["headers"] if name != b"authorization"
    ]
    if token:
        headers.append((b"authorization", f"Bearer {token}".encode()))
    full_path = PATH + path
    scope = {
        **websocket.scope,
        "path": full_path,
        "raw_path": full_path.encode(),
        "query_string": urlencode(query, errors="replace").encode(),
        "headers": headers,
    }
    return await open_stream(hub, scope, is_subscription=is_subscription)


def _token_of(websocket: WebSocket) -> tuple[str, str | None]:
    """Return the token, and the subprotocol that the server has to accept.

    Scripts in browsers cannot send headers, so the name of the subprotocol may be the token.
    """
    subprotocol = next(iter(websocket.scope["subprotocols"]), None)
    scheme, _space, token = websocket.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        token = ""
    return token or websocket.query_params.get("access_token") or subprotocol or "", subprotocol


def _name_of(message: Mapping[str, Any]) -> Name:
    name = str(message.get("stream", ""))
    parameter = message.get(PARAMETERS[name]) if name in PARAMETERS else None
    return (name,) if parameter is None else (name, str(parameter))


def _key_of(name: Name) -> Name:
    """Return what equal streams have in common: all spellings of a hashtag are one stream."""
    is_hashtag = len(name) > 1 and PARAMETERS[name[0]] == "tag"
    return (name[0], normalize_tag(name[1])) if is_hashtag else name


def _parse(text: str) -> Mapping[str, Any]:
    with suppress(ValueError, RecursionError):
        message = json.loads(text)
        if isinstance(message, dict):
            return message
    return {}


def _error_in(response: HttpResponse) -> str:
    with suppress(ValueError):
        return str(json.loads(response.content)["error"])
    return str(response.reason_phrase)
