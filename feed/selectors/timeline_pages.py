"""Pages of posts, and the runs in which pages show consecutive posts of a user."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from accounts.user_cards import UserCard

from .post_view import PostView

COLLAPSE_FROM = 4
VISIBLE_IN_RUN = 2
"""Runs of at least ``COLLAPSE_FROM`` entries show only this many entries and collapse the others."""


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive entries by one user. Pages show ``collapsed_posts`` behind "N more".

    ``follows_new_posts`` is True for the first run of posts that the viewer has already seen. Pages draw
    a line above this run.
    """

    entry_author: UserCard
    posts: tuple[PostView, ...]
    collapsed_posts: tuple[PostView, ...] = ()
    follows_new_posts: bool = False


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """A page of posts, newest first.

    Attributes:
        older_cursor: ``max_id`` of the next page. None only on the last page, however short the others are.
        newer_cursor: ``min_id`` of the previous page. None on the first page.
        empty_reason: "follows_nobody" or "nobody_posted", "" if the timeline is not empty.
        is_backfilling: True while a worker builds the viewer's inbox. The page is complete anyway.
        caught_up_id: the reading position if the page draws a line above it, otherwise None.
        newest_seen_id: id of the newest entry seen while scrolling. The browser saves it as the position.
    """

    posts: tuple[PostView, ...]
    older_cursor: str | None
    newer_cursor: str | None
    empty_reason: str = ""
    is_backfilling: bool = False
    newest_seen_id: int | None = None
    caught_up_id: int | None = None

    @property
    def post_ids(self) -> str:
        """Return comma-separated post ids, for counting views without JavaScript."""
        return ",".join(str(post.id) for post in self.posts)

    def runs(self) -> Iterator[Run]:
        """Yield the posts as runs. Long runs by one user are partly collapsed."""
        line, is_above_line = self.caught_up_id, True
        for (is_new, _uid), group in groupby(
            self.posts,
            key=lambda post: (line is None or post.entry_id > line, post.entry_author.uid),
        ):
            run = tuple(group)
            cut = VISIBLE_IN_RUN if len(run) >= COLLAPSE_FROM else len(run)
            yield Run(run[0].entry_author, run[:cut], run[cut:], is_above_line and not is_new)
            is_above_line = is_new


@dataclass(frozen=True, slots=True)
class HomePage(TimelinePage):
    """A page of the home timeline.

    Attributes:
        position: id of the newest entry that the viewer has seen.
        unread_count: number of entries newer than ``position``. None except on the first page.
        is_unread_exact: False if there are more unread entries than ``unread_count``.
        has_unseen_below: True if the viewer has not seen all older entries, for example after a follow.
        has_followed_users: True if entries of followed users were examined. Otherwise the page does not say
            that the viewer is caught up.
        can_suggest: True on the first page, unless the viewer needs no suggestions of people.
    """

    position: int | None = None
    unread_count: int | None = None
    is_unread_exact: bool = True
    has_unseen_below: bool = False
    has_followed_users: bool = False
    can_suggest: bool = False
    followed_tags: tuple[str, ...] = ()
