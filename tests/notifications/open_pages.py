"""Open pages of a test: a test reads their streams event by event."""

import json
import time
from collections import deque
from contextlib import contextmanager

from django.test import Client

from accounts.infra.cursors import parse_id


class Page:
    """An open page with the events of its stream."""

    def __init__(self, user, path="/notifications/live/", **headers):
        self.events = deque()
        self.client = Client()
        self.client.force_login(user)
        self.response = self.client.get(path, headers=headers)
        self.lines = iter(self.response.streaming_content) if self.response.streaming else None

    def next_event(self):
        """Return the next event: (name, data)."""
        while not self.events:
            for part in next(self.lines).decode().split("\n\n"):
                fields = dict(line.split(": ", 1) for line in part.splitlines() if ": " in line)
                if "event" in fields:
                    assert fields["event"] == "full" or parse_id(fields["id"])
                    self.events.append((fields["event"], json.loads(fields["data"])))
        return self.events.popleft()

    def wait_for_event(self, name):
        """Return the data of the next event with this name."""
        while True:
            event_name, data = self.next_event()
            if event_name == name:
                return data

    def wait_until_open(self):
        """Read the first events of the stream."""
        assert next(self.lines).startswith(b"retry: ")
        assert self.wait_for_event("unread") is not None
        return self

    def close(self):
        self.response.close()


@contextmanager
def open_page(user, path="/notifications/live/", **headers):
    page = Page(user, path, **headers).wait_until_open()
    try:
        yield page
    finally:
        page.close()


def wait_until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
