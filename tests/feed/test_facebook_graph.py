"""A real graph of friendships: import it, publish and read over HTTP.

``make soak`` imports all 4,039 users. Other runs import the first 500 users, the user with the most
friends, and the friends of that user.
"""

import gzip
import os
from pathlib import Path

import pytest
from django.core.management import call_command

from accounts.models import User
from accounts.selectors.follow_graph import audience_size
from feed import tasks
from tests.accounts.graph_promises import check_graph, pending_backfills
from tests.actions import publish_post
from tests.bench.graph.import_graph import Command

FILE = Path(os.environ.get("SOCIALSITE_DATA", "")) / "facebook-ego.txt.gz"
BEST_CONNECTED = "n107"
ALL = "HISTORIES" in os.environ
PEOPLE, FRIENDSHIPS, LAST_USER = (4039, 88_234, "n3437") if ALL else (1530, 5367, "n348")

pytestmark = pytest.mark.skipif(
    not FILE.exists(), reason="SOCIALSITE_DATA names no folder with facebook-ego.txt.gz (SNAP)"
)


@pytest.fixture
def file(tmp_path) -> Path:
    if ALL:
        return FILE
    with gzip.open(FILE, "rt") as whole:
        lines = [
            line
            for line in whole
            if (pair := line.split()) and ("107" in pair or max(map(int, pair)) < 500)
        ]
    excerpt = tmp_path / FILE.name
    excerpt.write_bytes(gzip.compress("".join(lines).encode()))
    return excerpt


def friends_in(file: Path) -> dict[str, set[str]]:
    """Read the friendships of the file without using the import command under test."""
    friends: dict[str, set[str]] = {}
    for line in gzip.decompress(file.read_bytes()).decode().splitlines():
        a, b = (f"n{number}" for number in line.split())
        friends.setdefault(a, set()).add(b)
        friends.setdefault(b, set()).add(a)
    return friends


def publish(author: int, text: str) -> int:
    """Publish a post and run the delivery task."""
    post = publish_post(author=author, text=text)
    tasks.deliver_post(post_id=post)
    return post


def home_timeline(client, reader: int) -> list[int]:
    """Return the post ids on all pages of the user's home timeline, read over HTTP."""
    client.force_login(User.objects.get(pk=reader))
    shown: list[int] = []
    address: str | None = "/"
    while address:
        answer = client.get(address)
        assert answer.status_code == 200
        page = answer.context["page"]
        assert all(post.text in answer.content.decode() for post in page.posts)
        shown += [post.id for post in page.posts]
        address = page.older_cursor and f"/?max_id={page.older_cursor}"
    return shown


def test_users_read_the_posts_of_their_friends_newest_first(client, file):
    friends = friends_in(file)
    call_command(Command(), str(file), mutual=True, verbosity=0)
    uids = dict(User.objects.values_list("username", "pk"))
    assert uids.keys() == friends.keys()
    assert len(uids) == PEOPLE
    follows = check_graph()
    assert len(follows) == 2 * FRIENDSHIPS
    assert follows == {(uids[a], uids[b]) for a, others in friends.items() for b in others}
    assert pending_backfills() == 0

    hub = max(friends, key=lambda name: len(friends[name]))
    assert hub == BEST_CONNECTED
    size = audience_size(author=uids[hub])
    assert (size.follower_count, size.bucket_count) == (1045, 2)

    near = sorted(friends[hub])
    readers = [hub, near[0], near[1], near[-1], "n0", LAST_USER]
    assert home_timeline(client, uids[readers[1]]) == []  # the first visit builds the inbox
    posts = [
        (publish(uids[author], f"{author} writes number {n}"), author)
        for n in range(12)
        for author in (hub, near[2], near[-2], "n0", LAST_USER)
    ]
    for reader in readers:
        seen = friends[reader] | {reader}
        expected = [post for post, author in reversed(posts) if author in seen]
        assert expected
        assert home_timeline(client, uids[reader]) == expected
