"""Select the new posts that a live stream of a timeline should send, oldest first.

A stream applies the same visibility rules as the page of the timeline.
"""

from collections.abc import Collection, Sequence

from feed.activities import activity_kind
from feed.models import Post
from feed.store import posts
from feed.store.post_rows import PostRow

from .lists import visible_entries
from .pages import PostView, post_views


def new_posts_in_public(*, viewer: int | None, post_ids: Collection[int]) -> tuple[PostView, ...]:
    return _views([row for row in _rows(post_ids) if _is_listed(row)], viewer)


def new_posts_on_list(
    *, owner: int, uids: Collection[int], post_ids: Collection[int]
) -> tuple[PostView, ...]:
    """Return the new posts by the members of a list.

    Args:
        uids: uids of the members.
        post_ids: ids of new posts by any users.
    """
    return _views([row for row in _rows(post_ids) if row.author in uids], owner)


def _rows(ids: Collection[int]) -> list[PostRow]:
    return [row for _id, row in sorted(posts.by_ids(ids=ids).items())]


def _is_listed(row: PostRow) -> bool:
    is_public = row.visibility == Post.Visibility.PUBLIC and row.share_of is None
    return is_public and activity_kind(row.kind).is_written


def _views(rows: Sequence[PostRow], viewer: int | None) -> tuple[PostView, ...]:
    seen = visible_entries(rows=rows, viewer=viewer, should_filter=True)
    return post_views(shown=seen.entries, seen=seen)
