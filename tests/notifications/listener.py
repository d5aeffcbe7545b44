"""One stream in a process of its own: ``python -m tests.notifications.listener READER``. Prints the counts
that it hears, ``?`` where it is to look again."""

import sys

import django

# A process of its own, not a test: models can be imported only after this. Hence E402 below.
django.setup()

from notifications.live.hub import Hub  # noqa: E402
from notifications.live.page_stream import PageStream  # noqa: E402


def main() -> None:
    hub = Hub()
    stream = PageStream(viewer=int(sys.argv[1]), session_key="", followed_uids=())
    hub.open(stream=stream)
    while True:
        news = stream.wait_for_update(seconds=60)
        text = "?" if news is None or news.has_gap else news.unread_count
        print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
