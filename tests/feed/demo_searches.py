"""Forty searches that visitors type into the demo, made from the demo's own users and posts.

While the demo runs, this command prints each search, and whether its first page has what the visitor means:

    .venv/bin/python manage.py shell -c "from tests.feed.demo_searches import main; main()"
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from accounts.infra.cursors import PageBounds
from accounts.models import User
from accounts.selectors.user_search import search_users
from feed.models import Post
from feed.selectors.search import search_posts
from feed.selectors.search_query import parse_query
from feed.selectors.tags import tags_with_prefix

EACH = 8
PAGE = 20
PHRASE = re.compile(r"(?<![\w#@/.])[^\W\d_]{2,}(?: [^\W\d_]{2,}){2}(?![\w/.])")


@dataclass(frozen=True)
class DemoSearch:
    """A search, and what its first page must have: a username, a hashtag or the id of a post."""

    kind: str
    text: str
    expected: str | int

    def is_right(self, viewer: int) -> bool:
        if self.kind == "people":
            page = search_users(text=self.text, viewer=viewer, limit=PAGE)
            return self.expected in {row.card.username for row in page.rows}
        if self.kind == "tags":
            return self.expected in tags_with_prefix(prefix=self.text, viewer=viewer)
        bounds = PageBounds(limit=PAGE)
        posts_page, _problems = search_posts(
            query=parse_query(self.text), viewer=viewer, bounds=bounds
        )
        return self.expected in {post.id for post in posts_page.posts}


def demo_searches() -> list[DemoSearch]:
    """Return first names, surnames, names with a typo, hashtags and phrases: ``EACH`` of each."""
    full_names = _named_users()
    typos = (_with_typo(names[1], n) for n, (_, names) in enumerate(full_names))
    people = [
        *(DemoSearch("people", names[0], username) for username, names in full_names[:EACH]),
        *(DemoSearch("people", names[-1], username) for username, names in full_names[:EACH]),
        *(
            DemoSearch("people", typo, username)
            for (username, _), typo in zip(full_names[:EACH], typos, strict=False)
        ),
    ]
    return [*people, *list(_tag_searches())[:EACH], *list(_phrase_searches())[:EACH]]


def _named_users() -> list[tuple[str, list[str]]]:
    users = (
        User.objects.filter(is_active=True).order_by("pk").values_list("username", "display_name")
    )
    names = [(username, name.split()) for username, name in users]
    return [
        (username, words)
        for username, words in names
        if len(words) >= 2 and all(word.isalpha() and len(word) >= 4 for word in words)
    ]


def _with_typo(name: str, number: int) -> str:
    """Return the name with one letter swapped, missing, doubled or wrong."""
    typos = (
        name[0] + name[2] + name[1] + name[3:],
        name[:2] + name[3:],
        name[:3] + name[2:],
        name[:3] + "q" + name[4:],
    )
    return typos[number % len(typos)]


def _public_posts() -> Iterator[Post]:
    yield from Post.objects.filter(visibility="public", share_of=None).order_by("-pk")[:500]


def _tag_searches() -> Iterator[DemoSearch]:
    tags = dict.fromkeys(
        attribute["value"]
        for post in _public_posts()
        for attribute in post.attributes
        if attribute["kind"] == "hashtag"
    )
    for tag in tags:
        yield DemoSearch("tags", f"#{tag[:4]}", tag)


def _phrase_searches() -> Iterator[DemoSearch]:
    for post in _public_posts():
        if match := PHRASE.search(post.text):
            yield DemoSearch("posts", f'"{match[0]}"', post.pk)


def main() -> None:
    viewer = User.objects.get(username="alice").pk
    searches = demo_searches()
    results = [(search, search.is_right(viewer)) for search in searches]
    for search, is_right in results:
        result = "right" if is_right else "WRONG"
        sys.stdout.write(f"{result} {search.kind}: {search.text} -> {search.expected}\n")
    count = sum(is_right for _, is_right in results)
    sys.stdout.write(f"{count} of {len(results)} are right.\n")
