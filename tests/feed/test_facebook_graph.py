"""The real graph of 4,039 people and 88,234 friendships: imported, published in, read over HTTP."""

import gzip
import os
from pathlib import Path

import pytest
from django.core.management import call_command

from accounts import selectors
from accounts.models import User
from feed import services, tasks
from tests.accounts.graph_promises import check_graph, pending_backfills

FILE = Path(os.environ.get("SOCIALSITE_DATA", "")) / "facebook-ego.txt.gz"
BEST_CONNECTED = "n107"

pytestmark = pytest.mark.skipif(
    not FILE.exists(), reason="SOCIALSITE_DATA names no folder with facebook-ego.txt.gz (SNAP)"
)


def friends_in_file() -> dict[str, set[str]]:
    """Read without the code under test."""
    friends: dict[str, set[str]] = {}
    with gzip.open(FILE, "rt") as file:
        for line in file:
            a, b = (f"n{number}" for number in line.split())
            friends.setdefault(a, set()).add(b)
            friends.setdefault(b, set()).add(a)
    return friends


def publish(author: int, text: str) -> int:
    """As the site does, and then what its worker does."""
    post = services.publish_post(author=author, text=text)
    tasks.deliver_post(post_id=post)
    return post


def home_timeline(client, reader: int) -> list[int]:
    """All of a person's home timeline, page after page, as a browser gets it."""
    client.force_login(User.objects.get(pk=reader))
    shown: list[int] = []
    address: str | None = "/"
    while address:
        answer = client.get(address)
        assert answer.status_code == 200
        page = answer.context["page"]
        assert all(post.text in answer.content.decode() for post in page.posts)
        shown += [post.id for post in page.posts]
        address = page.older and f"/?max_id={page.older}"
    return shown


def test_everybody_reads_what_their_friends_publish_newest_first(client):
    friends = friends_in_file()
    call_command("import_graph", str(FILE), mutual=True, verbosity=0)
    uids = dict(User.objects.values_list("username", "pk"))
    assert uids.keys() == friends.keys()
    assert len(uids) == 4039
    follows = check_graph()
    assert len(follows) == 2 * 88_234
    assert follows == {(uids[a], uids[b]) for a, others in friends.items() for b in others}
    assert pending_backfills() == 0

    hub = max(friends, key=lambda name: len(friends[name]))
    assert hub == BEST_CONNECTED
    size = selectors.audience_size(uid=uids[hub])
    assert (size.people, size.buckets) == (1045, 2)

    near = sorted(friends[hub])
    readers = [hub, near[0], near[1], near[-1], "n0", "n3437"]
    assert home_timeline(client, uids[readers[1]]) == []  # has an inbox from now on
    posts = [
        (publish(uids[author], f"{author} writes number {n}"), author)
        for n in range(12)
        for author in (hub, near[2], near[-2], "n0", "n3437")
    ]
    for reader in readers:
        seen = friends[reader] | {reader}
        expected = [post for post, author in reversed(posts) if author in seen]
        assert expected
        assert home_timeline(client, uids[reader]) == expected
