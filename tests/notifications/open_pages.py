"""Open pages of a test: a test reads their streams event by event."""

import http.client
import json
from contextlib import contextmanager

from django.conf import settings
from django.test import Client

from accounts.infra.cursors import parse_id


class Page:
    """An open page with the events of its stream.

    Args:
        server: the ``netloc`` of the streams process.
        client: a logged-in client, or None for a new session.
    """

    def __init__(self, server, user, query="", client=None, **headers):
        self.client = client or Client()
        if client is None:
            self.client.force_login(user)
        key = self.client.cookies[settings.SESSION_COOKIE_NAME].value
        self.connection = http.client.HTTPConnection(server, timeout=60)
        headers = {"Cookie": f"{settings.SESSION_COOKIE_NAME}={key}", **headers}
        self.connection.request("GET", f"/notifications/live/{query}", headers=headers)
        self.response = self.connection.getresponse()

    def read_lines(self):
        """Yield the lines until the stream ends."""
        while line := self.response.readline().decode():
            yield line.removesuffix("\n")

    def next_event(self):
        """Return the next event: (name, data)."""
        fields = {}
        for line in self.read_lines():
            name, _separator, value = line.partition(": ")
            fields[name] = value
            if name == "data":
                assert fields["event"] == "full" or parse_id(fields["id"])
                return fields["event"], json.loads(value)
        raise EOFError("The stream has ended.")

    def wait_for_event(self, name):
        """Return the data of the next event with this name."""
        while True:
            event_name, data = self.next_event()
            if event_name == name:
                return data

    def remaining_events(self):
        """Return the names of the events until the stream ends."""
        return [line for line in self.read_lines() if line.startswith("event: ")]

    def wait_until_open(self):
        """Read the first events of the stream."""
        assert self.response.status == 200, self.response.read()
        assert next(self.read_lines()).startswith("retry: ")
        assert self.wait_for_event("unread") is not None
        return self

    def close(self):
        self.response.close()
        self.connection.close()


@contextmanager
def open_page(server, user, query="", **options):
    page = Page(server, user, query, **options)
    try:
        yield page.wait_until_open()
    finally:
        page.close()
