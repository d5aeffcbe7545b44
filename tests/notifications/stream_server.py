"""The streams process as a thread of a test. Tests can change its intervals and count its commands."""

import threading
import time
from contextlib import contextmanager

import uvicorn

from notifications.live import hub as hubs
from notifications.live import page_events, stream_requests
from notifications.live.threads import DjangoThreads
from notifications.store import changes
from socialsite.api.streaming import app_events
from socialsite.asgi import application, socket_application

TIMEOUT_SECONDS = 20


class StreamServer:
    """A running server. ``url`` has no path."""

    def __init__(self):
        config = uvicorn.Config(
            application,
            port=0,
            ws="websockets-sansio",
            ws_max_size=16_384,
            ws_per_message_deflate=False,
            log_config=None,
            timeout_graceful_shutdown=5,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, name="streams")

    def start(self):
        self._thread.start()
        wait_until(lambda: self._server.started or not self._thread.is_alive())
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.netloc = f"127.0.0.1:{port}"
        self.url = f"http://{self.netloc}"
        wait_until(self.hub.is_watching)

    @property
    def hub(self) -> hubs.Hub:
        return socket_application.state.hub

    def stop(self):
        self.call(self.hub.leave)
        self._server.should_exit = True
        self._thread.join(TIMEOUT_SECONDS)
        assert not self._thread.is_alive()

    def call(self, function, *arguments):
        """Call a function in the event loop, to which the hub belongs."""
        loop = self._server.servers[0].get_loop()
        done = threading.Event()

        def call():
            function(*arguments)
            done.set()

        loop.call_soon_threadsafe(call)
        assert done.wait(TIMEOUT_SECONDS)


@contextmanager
def running_server(monkeypatch):
    """Run a server with short intervals."""
    monkeypatch.setattr(changes, "WAIT_MS", 100)
    monkeypatch.setattr(page_events, "CHECK_INTERVAL_SECONDS", 0.2)
    monkeypatch.setattr(page_events, "MAX_STREAM_SECONDS", 60.0)
    monkeypatch.setattr(app_events, "CHECK_INTERVAL_SECONDS", 0.05)
    monkeypatch.setattr(app_events, "HEARTBEAT_SECONDS", 5.0)
    # Commands of threads that are older than a test do not count.
    monkeypatch.setattr(stream_requests, "opening_threads", DjangoThreads(name="opening", count=4))
    content_threads = DjangoThreads(name="content", count=4)
    for module in (page_events, app_events):
        monkeypatch.setattr(module, "content_threads", content_threads)
    server = StreamServer()
    server.start()
    try:
        yield server
    finally:
        server.stop()


def wait_until(condition, *, pause_seconds=0.01):
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(pause_seconds)
