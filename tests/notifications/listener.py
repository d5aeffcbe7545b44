"""A stream in a separate process: ``python -m tests.notifications.listener RECIPIENT``.

The process prints each unread count that the stream receives. After a gap, it prints ``?``, because a page
would read the count from the database.
"""

import sys

import django

# This module is a program. Models can be imported only after ``django.setup()``, hence E402 below.
django.setup()

from notifications.live.hub import Hub  # noqa: E402
from notifications.live.page_stream import PageStream  # noqa: E402


def main() -> None:
    hub = Hub()
    stream = PageStream(viewer=int(sys.argv[1]), session_key="", followed_uids=())
    hub.open(stream=stream)
    while True:
        update = stream.wait_for_update(seconds=60)
        text = "?" if update is None or update.has_gap else update.unread_count
        print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
