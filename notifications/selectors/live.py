"""What a page is told of, also while it is open: how much is unread, and how much is new at home."""

from typing import TypedDict

from django.utils.translation import ngettext

from feed import selectors as feed
from notifications.store import boxes

POSTS_MAX = 20
"""Of more new posts than these nobody needs to know how many there are."""


class Told(TypedDict):
    """``text``: the count in words, "" for none."""

    count: int
    text: str


def unread_told(*, reader: int, count: int | None = None) -> Told:
    """One command; none if the ``count`` is known."""
    if count is None:
        count = boxes.unread(reader=reader)
    words = ngettext("%(n)s unread notification", "%(n)s unread notifications", count)
    return Told(count=count, text=words % {"n": count} if count else "")


def posts_told(*, reader: int, top: int) -> Told:
    """How many posts of others the reader's home shows above the entry ``top``. Two commands if there is
    nothing."""
    count = feed.new_posts(reader=reader, above=top, limit=POSTS_MAX)
    if count >= POSTS_MAX:
        words = ngettext("%(n)s or more new posts", "%(n)s or more new posts", count)
    else:
        words = ngettext("%(n)s new post", "%(n)s new posts", count)
    return Told(count=count, text=words % {"n": count} if count else "")
