"""Read the single posts in a filter."""

from feed.store.filters import Filter, FilteredPost

from .post_view import PostView
from .visible_posts import posts_in_order


def filtered_posts(
    *, viewer: int, user_filter: Filter
) -> list[tuple[FilteredPost, PostView | None]]:
    """Return the single posts in a filter, the newest addition first.

    The view is None if the post is deleted or the viewer may no longer read it.
    """
    rows = user_filter.posts[::-1]
    views = posts_in_order(ids=[row.post for row in rows], viewer=viewer)
    views_by_id = {view.id: view for view in views}
    return [(row, views_by_id.get(row.post)) for row in rows]
