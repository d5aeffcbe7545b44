"""Hold a stream open for each session: ``python -m tests.load.idle_streams SESSIONS ORIGIN STATE``.

``STATE`` is a file for the numbers of open, refused and closed streams. Closed streams are opened again.
"""

import asyncio
import json
import os
import resource
import sys
from pathlib import Path
from urllib.parse import urlsplit

OPENING = 50
"""Streams that are being opened at the same time."""

RESUME_SECONDS = 3.0
COOKIE = "sessionid"


class Streams:
    def __init__(self, origin: str):
        parts = urlsplit(origin)
        self.host, self.port = parts.hostname, parts.port
        self.counts = {"open": 0, "closed": 0, "refused": 0, "bytes": 0}
        self.opening = asyncio.Semaphore(OPENING)

    async def hold(self, session: str) -> None:
        """Keep a stream of the session open."""
        while True:
            async with self.opening:
                stream = await self._connect(session)
            if stream:
                self.counts["open"] += 1
                await stream.closed
                self.counts["open"] -= 1
                self.counts["closed"] += 1
            else:
                self.counts["refused"] += 1
            await asyncio.sleep(RESUME_SECONDS)

    async def _connect(self, session: str) -> "Stream | None":
        loop = asyncio.get_running_loop()
        try:
            transport, stream = await loop.create_connection(
                lambda: Stream(self.counts), self.host, self.port
            )
            transport.write(
                f"GET /notifications/live/ HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n"
                f"Accept: text/event-stream\r\nCookie: {COOKIE}={session}\r\n\r\n".encode()
            )
            async with asyncio.timeout(60):
                return stream if await stream.status == 200 else None
        except (OSError, TimeoutError):
            return None


class Stream(asyncio.Protocol):
    """Count bytes. A protocol takes less memory than a reader and a writer."""

    def __init__(self, counts: dict[str, int]):
        loop = asyncio.get_running_loop()
        self._counts = counts
        self.status: asyncio.Future[int] = loop.create_future()
        self.closed: asyncio.Future[None] = loop.create_future()

    def data_received(self, data: bytes) -> None:
        self._counts["bytes"] += len(data)
        if not self.status.done():
            self.status.set_result(int(data.split(b" ", 2)[1]))

    def connection_lost(self, exc: Exception | None) -> None:
        for future in (self.status, self.closed):
            if not future.done():
                future.set_result(0)


async def main(sessions: list[str], origin: str, state: Path) -> None:
    streams = Streams(origin)
    tasks = [asyncio.create_task(streams.hold(session)) for session in sessions]
    unfinished = state.with_suffix(".unfinished")
    while tasks:
        unfinished.write_text(json.dumps(streams.counts))
        unfinished.rename(state)
        await asyncio.sleep(1)


if __name__ == "__main__":
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    os.nice(1)  # the site comes first
    keys = json.loads(Path(sys.argv[1]).read_text())
    asyncio.run(main(keys, sys.argv[2], Path(sys.argv[3])))
