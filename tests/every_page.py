"""Fetch every page that shows posts, comments or users, to compare the pages before and after a change."""

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from django.test import Client

from accounts.models import User
from feed.models import Post
from feed.selectors.user_lists import owned_lists
from feed.store.collections import comment_buckets

# These parts of a page differ between two requests even if nothing has changed.
VOLATILE = re.compile(
    r'name="csrfmiddlewaretoken" value="[^"]+"|nonce="[^"]+"|"X-CSRFToken": "[^"]+"'
    r'|<updated>[^<]+</updated>|name="idempotency_key" value="[^"]+"|(?<=">)[^<]+(?=</time>)'
    r'|(?<= )[^ "]+(?=" data-post>)'
)

PAGES = (
    "/",
    "/?order=oldest",
    "/quiet/",
    "/public/",
    "/explore/",
    "/explore/tags/",
    "/explore/links/",
    "/reviews/",
    "/links/",
    "/bookmarks/",
    "/lists/",
    "/explore/people/",
    "/notifications/",
    "/notifications/older/",
    "/beside/",
)
ATTRIBUTE_PATHS = {"hashtag": "/tags/{}/", "host": "/links/?to={}", "item": "/reviews/?of={}"}


def every_page(
    *,
    viewers: Sequence[User | None],
    people: Iterable[User] = (),
    posts: Iterable[tuple[User, int]] = (),
    further: Iterable[str] = (),
    but: Iterable[str] = (),
) -> dict[tuple[str, str], tuple[int, str]]:
    """Return (status, text) of every page by (username, path).

    The pages of a post include the pages of its hashtags, links and reviewed items, its threads, and a
    search for its longest word. The pages of a viewer include the viewer's lists.

    Args:
        viewers: users who request every page. ``None`` is an anonymous visitor.
        people: users whose profile pages are included.
        posts: (author, post id) pairs of posts whose pages are included.
        further: additional paths.
        but: paths to leave out.
    """
    paths = [*PAGES, *further]
    for user in people:
        at = f"/@{user.username}/"
        paths += [at, f"{at}feed/", f"{at}followers/", f"{at}following/"]
        paths += [f"/search/?q={user.username}"]
    for author, post in posts:
        paths += of_post(author, post)
    return {
        (viewer.username if viewer else "visitor", path): _fetch(client, path)
        for viewer, client in ((viewer, _client(viewer)) for viewer in viewers)
        for path in dict.fromkeys([*paths, *of_lists(viewer)])
        if path not in but
    }


def of_post(author: User, post: int) -> Iterator[str]:
    at = f"/@{author.username}/{post}/"
    yield from (at, f"{at}likes/", f"{at}history/")
    row = Post.objects.get(pk=post)
    for attribute in row.attributes:
        if attribute["kind"] in ATTRIBUTE_PATHS:
            yield ATTRIBUTE_PATHS[attribute["kind"]].format(quote(str(attribute["value"])))
    if words := re.findall(r"\w+", row.text.partition("http")[0]):
        yield f"/search/?q={quote(max(words, key=len))}&type=posts"
    for bucket in comment_buckets().find({"post": post, "thread": 0}).sort("seq"):
        yield from (f"{at}comments/{comment['id']}/" for comment in bucket["comments"])


def of_lists(owner: User | None) -> Iterator[str]:
    for user_list in owned_lists(owner=owner.pk) if owner else ():
        yield from (f"/lists/{user_list.id}/", f"/lists/{user_list.id}/edit/")


def with_words(pages: dict[tuple[str, str], tuple[int, str]], words: str) -> set[tuple[str, str]]:
    """Return the (username, path) pairs of the pages whose text contains ``words``."""
    return {where for where, (_status, text) in pages.items() if words in text}


def _client(viewer: User | None) -> Client:
    client = Client()
    if viewer is not None:
        client.force_login(viewer)
    client.get("/")  # the first page of a session differs from its later pages
    return client


def _fetch(client: Client, path: str) -> tuple[int, str]:
    answer = client.get(path)
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer.status_code, VOLATILE.sub("", content.decode())


def differences(
    before: dict[tuple[str, str], tuple[int, str]], after: dict[tuple[str, str], tuple[int, str]]
) -> dict[tuple[str, str], list[str]]:
    """Return the lines that differ, by (username, path). Leave out equal pages."""
    pages = {}
    assert before.keys() == after.keys()
    for where, (status, text) in before.items():
        other_status, other = after[where]
        if (status, text) != (other_status, other):
            lines = difflib.unified_diff(text.splitlines(), other.splitlines(), lineterm="", n=0)
            pages[where] = [f"{status} {other_status}", *lines]
    return pages
