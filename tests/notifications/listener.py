"""A stream in a separate process: ``python -m tests.notifications.listener RECIPIENT``.

The process prints each unread count that the stream receives. After a gap, it prints ``?``, because a page
would read the count from the database. It prints ``end`` when the stream ends.
"""

import asyncio
import sys

import django

# This module is a program. Models can be imported only after ``django.setup()``, hence E402 below.
django.setup()

from notifications.live.hub import Hub, NotWatching  # noqa: E402
from notifications.live.streams import PageStream  # noqa: E402


async def main() -> None:
    hub = Hub()
    watching = asyncio.create_task(hub.run())
    while True:
        try:
            opening = hub.begin_opening()
        except NotWatching:
            await asyncio.sleep(0.05)
            continue
        stream = PageStream(viewer=int(sys.argv[1]), session_key="", session_id=None)
        hub.open(stream=stream, opening=opening)
        while stream.end_reason() is None:
            await stream.wait(seconds=60)
            update = stream.take_update()
            if update.has_gap or update.unread_count is not None:
                print("?" if update.has_gap else update.unread_count, flush=True)  # noqa: T201
        print("end", flush=True)  # noqa: T201
        assert not watching.done()


if __name__ == "__main__":
    asyncio.run(main())
