"""What was said before and after a post or comment, as a whole."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from feed.store import comment_pages, comments
from feed.store.comments import Comment

from .comments import CommentView, CommentWithPost, comments_with_posts
from .pages import PostView

MAX_COMMENTS = 4096
"""Of one post's comments, or of one thread."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """``above``: what a comment answers, the first said first, without the post. ``below``: the answers,
    each followed by its own."""

    ancestors: tuple[CommentWithPost, ...]
    descendants: tuple[CommentWithPost, ...]


def post_conversation(
    *, post: PostView, comment: CommentView | None, viewer: int | None, limit: int = MAX_COMMENTS
) -> Conversation:
    """All that was said to the post, or in the thread of a comment ``about`` which one asks: at most
    ``limit`` above and below. Whether the viewer may read those is asked before. Four commands."""
    if comment is None:
        rows = comment_pages.whole_conversation(post=post.id, limit=min(limit, MAX_COMMENTS))
        above, below = list[Comment](), _in_order(rows, 0)
    else:
        thread = comment.thread_id or comment.id
        start = comments.get_comment(post=post.id, id=thread) if comment.thread_id else None
        rows = comment_pages.whole_conversation(post=post.id, thread=thread, limit=MAX_COMMENTS)
        above = _answered(([start] if start else []) + rows, comment.parent_id)
        below = _in_order(rows, comment.id)
    first, rest = above[-limit:], below[:limit]
    seen = comments_with_posts(
        rows=[*first, *rest], posts={post.id: post}, viewer=viewer, include_muted=False
    )
    before = {one.id for one in first}
    return Conversation(
        ancestors=tuple(one for one in seen if one.comment.id in before),
        descendants=tuple(one for one in seen if one.comment.id not in before),
    )


def _answered(rows: Sequence[Comment], parent: int) -> list[Comment]:
    """This comment and those that it answers, the first said first."""
    known = {row.id: row for row in rows}
    found: list[Comment] = []
    while parent in known:
        found.append(known.pop(parent))
        parent = found[-1].parent_id
    return found[::-1]


def _in_order(rows: Sequence[Comment], parent: int) -> list[Comment]:
    """The answers to this comment (0: to the post), each followed by its own."""
    answers: dict[int, list[Comment]] = defaultdict(list)
    for row in rows:
        answers[row.parent_id].append(row)
    found, waiting = [], answers.pop(parent, [])[::-1]
    while waiting:
        found.append(waiting.pop())
        waiting += answers.pop(found[-1].id, [])[::-1]
    return found
