"""Select the new posts that a live stream of a timeline should send, oldest first.

A stream applies the same visibility rules as the page of the timeline.
"""

from collections.abc import Collection, Sequence

from feed.activities import activity_kind
from feed.models import Post
from feed.store import posts
from feed.store.post_rows import PostRow
from feed.store.user_lists import UserList

from .lists import visible_entries
from .pages import PostView, post_views
from .user_lists import hidden_comment_reports


def new_posts_in_public(*, viewer: int | None, post_ids: Collection[int]) -> tuple[PostView, ...]:
    return _views([row for row in _rows(post_ids) if _is_listed(row)], viewer)


def new_posts_on_list(
    *, owner: int, user_list: UserList, post_ids: Collection[int]
) -> tuple[PostView, ...]:
    """Return the new posts on a list. ``post_ids`` are the ids of new posts by any users."""
    rows = [row for row in _rows(post_ids) if row.author in user_list.uids]
    hidden_ids = hidden_comment_reports(rows=rows, user_list=user_list, owner=owner)
    return _views([row for row in rows if row.id not in hidden_ids], owner)


def _rows(ids: Collection[int]) -> list[PostRow]:
    return [row for _id, row in sorted(posts.by_ids(ids=ids).items())]


def _is_listed(row: PostRow) -> bool:
    is_public = row.visibility == Post.Visibility.PUBLIC and row.share_of is None
    return is_public and activity_kind(row.kind).is_written


def _views(rows: Sequence[PostRow], viewer: int | None) -> tuple[PostView, ...]:
    seen = visible_entries(rows=rows, viewer=viewer, should_filter=True)
    return post_views(shown=seen.entries, seen=seen)
