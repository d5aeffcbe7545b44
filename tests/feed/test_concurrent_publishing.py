"""Reading pages over HTTP while others publish."""

import threading

import pytest
from django.db import connection

from feed.timeline.store import inboxes
from tests.factories import follow, people, publish, publish_many


def read(client, parameter, cursor):
    """Return the post ids of all pages after ``cursor``, in the order of reading.

    ``parameter`` is ``max_id`` to read older pages and ``min_id`` to read newer pages.
    """
    seen = []
    while True:
        response = client.get("/", {} if cursor is None else {parameter: cursor}).context["page"]
        ids = [post.id for post in response.posts]
        seen += ids if parameter == "max_id" else ids[::-1]
        cursor = response.older_cursor if parameter == "max_id" else response.newer_cursor
        if cursor is None:
            return seen


@pytest.mark.parametrize("strategy", ["buckets", "fan_out_on_read"])
def test_pages_read_during_publishing_have_every_post_once(alice, client, settings, strategy):
    # The inbox is so small that its floor rises above the ids in ``before`` during the test.
    settings.FEED_INBOX_MAX = 150
    settings.FEED_PAGE_SIZE = 40
    settings.FEED_STRATEGY = strategy
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "post": ""}
    authors = people(2)
    follow(alice, *authors)
    client.force_login(alice)
    client.get("/")
    before = [post for author in authors for post in publish_many(author, 40)]
    during, failures, enough = [], [], threading.Event()

    def work(author):
        try:
            for n in range(1000):
                if n >= 100 and enough.is_set():
                    break
                during.append(publish(author))
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    writers = [threading.Thread(target=work, args=(author,)) for author in authors]
    for writer in writers:
        writer.start()
    for _ in range(2):
        down = read(client, "max_id", None)
        assert down == sorted(set(down), reverse=True)
        assert down[-len(before) :] == before[::-1]
        up = read(client, "min_id", before[30])
        assert up == sorted(set(up))
        assert up[: len(before) - 31] == before[31:]
    enough.set()
    for writer in writers:
        writer.join()
    assert failures == []
    everything = sorted([*before, *during])
    assert read(client, "max_id", None) == everything[::-1]
    assert read(client, "min_id", 0) == everything
    if strategy == "buckets":
        assert inboxes.lifecycle.get_head(owner=alice.pk).floor > before[-1]
