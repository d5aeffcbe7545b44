"""Open pages, as the server sees them: streams that are read event by event."""

import json
import time
from collections import deque
from contextlib import contextmanager

from django.test import Client

from accounts.infra.cursors import parse_id


class Page:
    """An open page: what its stream says, read one by one."""

    def __init__(self, user, path="/notifications/live/", **headers):
        self.heard = deque()
        self.client = Client()
        self.client.force_login(user)
        self.response = self.client.get(path, headers=headers)
        self.lines = iter(self.response.streaming_content) if self.response.streaming else None

    def hear(self):
        """The next event: (name, data)."""
        while not self.heard:
            for part in next(self.lines).decode().split("\n\n"):
                fields = dict(line.split(": ", 1) for line in part.splitlines() if ": " in line)
                if "event" in fields:
                    assert fields["event"] == "full" or parse_id(fields["id"])
                    self.heard.append((fields["event"], json.loads(fields["data"])))
        return self.heard.popleft()

    def hear_of(self, name):
        """What is said under this name next."""
        while True:
            text, data = self.hear()
            if text == name:
                return data

    def begin(self):
        """Until it has heard how things are."""
        assert next(self.lines).startswith(b"retry: ")
        assert self.hear_of("unread") is not None
        return self

    def close(self):
        self.response.close()


@contextmanager
def opened(user, path="/notifications/live/", **headers):
    page = Page(user, path, **headers).begin()
    try:
        yield page
    finally:
        page.close()


def wait_until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
