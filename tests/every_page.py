"""What everybody sees on every page that shows posts, comments or people: to compare before and after."""

import difflib
import re
from collections.abc import Iterable, Sequence

from django.test import Client

from accounts.models import User

# What differs from one answer to the next and says nothing.
PASSING = re.compile(
    r'name="csrfmiddlewaretoken" value="[^"]+"|nonce="[^"]+"|"X-CSRFToken": "[^"]+"'
    r'|<updated>[^<]+</updated>|name="key" value="[^"]+"|(?<=">)[^<]+(?=</time>)'
)

PAGES = (
    "/",
    "/?order=oldest",
    "/quiet/",
    "/public/",
    "/tags/",
    "/bookmarks/",
    "/people/",
    "/notifications/",
    "/beside/",
)


def every_page(
    *,
    viewers: Sequence[User | None],
    people: Iterable[User] = (),
    posts: Iterable[tuple[User, int]] = (),
    further: Iterable[str] = (),
    but: Iterable[str] = (),
) -> dict[tuple[str, str], tuple[int, str]]:
    """(who, path) -> (status, text of the page). ``None`` among the viewers is a visitor."""
    paths = [*PAGES, *further]
    for one in people:
        paths += [f"/@{one.username}/", f"/@{one.username}/feed/", f"/@{one.username}/followers/"]
        paths += [f"/search/?q={one.username}"]
    for author, post in posts:
        at = f"/@{author.username}/{post}/"
        paths += [at, f"{at}likes/", f"{at}history/"]
    return {
        (viewer.username if viewer else "visitor", path): _seen(client, path)
        for viewer, client in ((one, _client(one)) for one in viewers)
        for path in paths
        if path not in but
    }


def with_words(pages: dict[tuple[str, str], tuple[int, str]], words: str) -> set[tuple[str, str]]:
    """Which of these pages say this."""
    return {where for where, (_status, text) in pages.items() if words in text}


def _client(viewer: User | None) -> Client:
    client = Client()
    if viewer is not None:
        client.force_login(viewer)
    return client


def _seen(client: Client, path: str) -> tuple[int, str]:
    answer = client.get(path)
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer.status_code, PASSING.sub("", content.decode())


def differences(
    before: dict[tuple[str, str], tuple[int, str]], after: dict[tuple[str, str], tuple[int, str]]
) -> dict[tuple[str, str], list[str]]:
    """The lines in which pages differ, by who and where; empty if all are the same."""
    found = {}
    for where, (status, text) in before.items():
        other_status, other = after[where]
        if (status, text) != (other_status, other):
            lines = difflib.unified_diff(text.splitlines(), other.splitlines(), lineterm="", n=0)
            found[where] = [f"{status} {other_status}", *lines]
    return found
