"""Select the new posts that a live stream of a timeline should send, oldest first.

A stream applies the same visibility rules as the page of the timeline.
"""

from collections.abc import Collection
from typing import Protocol

from accounts.selectors.relationships import relationships
from feed.activities import activity_kind
from feed.models import Post
from feed.store import posts
from feed.store.post_rows import PostRow
from feed.store.user_lists import UserList

from .post_view import PostView
from .shown_posts import post_views
from .user_lists import hidden_comment_reports
from .visibility import HasAudience, has_followed_language, hidden_authors, is_in_audience
from .visible_posts import visible_entries


def new_posts_in_public(*, viewer: int | None, post_ids: Collection[int]) -> tuple[PostView, ...]:
    rows = [row for row in _rows(post_ids) if _is_listed(row)]
    seen = visible_entries(rows=rows, viewer=viewer, should_filter=True)
    return post_views(shown=seen.entries, seen=seen)


def new_posts_on_list(
    *, owner: int, user_list: UserList, post_ids: Collection[int]
) -> tuple[PostView, ...]:
    """Return the new posts on a list. ``post_ids`` are the ids of new posts by any users."""
    rows = [row for row in _rows(post_ids) if row.author in user_list.uids]
    hidden_ids = hidden_comment_reports(rows=rows, user_list=user_list, owner=owner)
    rows = [row for row in rows if row.id not in hidden_ids]
    seen = visible_entries(rows=rows, viewer=owner, should_filter=True)
    hidden_uids = hidden_authors(relationships=seen.relationships)
    shown = [
        visible
        for visible in seen.entries
        if visible.entry.author not in hidden_uids
        and has_followed_language(post=visible.entry, relationships=seen.relationships)
    ]
    return post_views(shown=shown, seen=seen)


class RemovedPost(HasAudience, Protocol):
    """What is known of a removed post. ``is_hidden``: moderators had not shown it yet."""

    @property
    def post_id(self) -> int: ...
    @property
    def is_hidden(self) -> bool: ...


def readable_ids(*, viewer: int, removals: Collection[RemovedPost]) -> set[int]:
    """Return the ids of those posts that the viewer could read. One command, none without posts."""
    relations = relationships(viewer=viewer, uids={post.author for post in removals} - {viewer})
    return {
        post.post_id
        for post in removals
        if (not post.is_hidden or post.author == viewer)
        and is_in_audience(post=post, viewer=viewer, relationships=relations)
    }


def _rows(ids: Collection[int]) -> list[PostRow]:
    rows = sorted(posts.by_ids(ids=ids).items())
    return [row for _id, row in rows if not row.is_late_import]


def _is_listed(row: PostRow) -> bool:
    is_public = row.visibility == Post.Visibility.PUBLIC and row.share_of is None
    return is_public and activity_kind(row.kind).is_written
