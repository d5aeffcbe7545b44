"""Read the conversation around a post or comment: its ancestors and its descendants."""

from collections import defaultdict
from collections.abc import Sequence

from feed.store import comment_pages, comments
from feed.store.comment_rows import Comment

from .comment_views import CommentView, CommentWithPost, comments_with_posts
from .post_view import PostView

MAX_COMMENTS = 4096
"""Maximum number of comments read from one post or one thread."""


def post_conversation(
    *, post: PostView, comment: CommentView | None, viewer: int | None, limit: int = MAX_COMMENTS
) -> tuple[list[CommentWithPost], list[CommentWithPost]]:
    """Return the comments around a post or, if ``comment`` is not None, around a comment.

    The first list has the ancestors, oldest first, without the post. The second list has the descendants.
    Each reply comes before its own replies.

    Callers check that the viewer may read the post and the comment. Costs about four database commands.

    Args:
        limit: maximum number of ancestors, and maximum number of descendants.
    """
    if comment is None:
        rows = comment_pages.whole_conversation(post=post.id, limit=MAX_COMMENTS)
        first_ids = {row.id for row in _readable_rows(rows, viewer)[:limit]}
        above = list[Comment]()
        below = [row for row in _descendants(rows, 0) if row.id in first_ids]
    else:
        thread = comment.thread_id or comment.id
        start = comments.get_comment(post=post.id, id=thread) if comment.thread_id else None
        rows = comment_pages.whole_conversation(post=post.id, thread=thread, limit=MAX_COMMENTS)
        above = _ancestors(([start] if start else []) + rows, comment.parent_id)
        below = _descendants(rows, comment.id)
    above, below = _readable_rows(above, viewer)[-limit:], _readable_rows(below, viewer)[:limit]
    visible_comments = comments_with_posts(
        rows=[*above, *below], posts={post.id: post}, viewer=viewer, include_muted=False
    )
    above_ids = {row.id for row in above}
    ancestors = [view for view in visible_comments if view.comment.id in above_ids]
    return ancestors, [view for view in visible_comments if view.comment.id not in above_ids]


def _readable_rows(rows: Sequence[Comment], viewer: int | None) -> list[Comment]:
    """Return the rows that may count against a limit: the others would shorten a list without a trace.

    Anonymous viewers read no limited comments. For others, the limit is as large as the number of rows.
    """
    return [
        row
        for row in rows
        if not (row.is_deleted or (viewer is None and (row.visibility or row.is_author_limited)))
    ]


def _ancestors(rows: Sequence[Comment], parent: int) -> list[Comment]:
    """Return the comment with the id ``parent`` and all its ancestors, oldest first."""
    rows_by_id = {row.id: row for row in rows}
    ancestors: list[Comment] = []
    while parent in rows_by_id:
        ancestors.append(rows_by_id.pop(parent))
        parent = ancestors[-1].parent_id
    return ancestors[::-1]


def _descendants(rows: Sequence[Comment], parent: int) -> list[Comment]:
    """Return all replies below a comment, or below the post if the id is 0.

    Each reply comes before its own replies.
    """
    replies: dict[int, list[Comment]] = defaultdict(list)
    for row in rows:
        replies[row.parent_id].append(row)
    descendants, stack = [], replies.pop(parent, [])[::-1]
    while stack:
        descendants.append(stack.pop())
        stack += replies.pop(descendants[-1].id, [])[::-1]
    return descendants
