"""The shapes that templates see, and how they are made from rows: one card look-up a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from accounts.user_cards import UserCard, cards
from feed.store.posts import PostRow


@dataclass(frozen=True, slots=True)
class PostView:
    """A post as its viewer sees it."""

    id: int
    author: UserCard
    text: str
    created_at: datetime
    can_delete: bool

    @property
    def url(self) -> str:
        return reverse("post", args=[self.author.username, self.id])


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """Posts, newest first. ``older`` is a cursor for ``max_id``, ``newer`` one for ``min_id``; None
    where there is nothing that way. A short page is not the end: only ``older`` tells.

    ``reason``: why the timeline is empty, "follows_nobody" or "nobody_posted"; "" if it is not.
    """

    posts: tuple[PostView, ...]
    older: str | None
    newer: str | None
    reason: str = ""


def post_views(*, rows: Sequence[PostRow], viewer: int | None) -> tuple[PostView, ...]:
    """Rows with their authors' cards; posts of people who are gone are left out."""
    known = cards(uids=[row.author for row in rows])
    return tuple(
        PostView(
            id=row.id,
            author=known[row.author],
            text=row.text,
            created_at=row.created_at,
            can_delete=row.author == viewer,
        )
        for row in rows
        if row.author in known
    )
