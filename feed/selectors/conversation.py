"""What was said before and after a post or comment, as a whole."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from feed.store import comments, conversations
from feed.store.comments import Comment

from .comments import CommentOnPost, CommentView, comments_on
from .pages import PostView

MOST_READ = 4096
"""Of one post's comments, or of one thread."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """``above``: what a comment answers, the first said first, without the post. ``below``: the answers,
    each followed by its own."""

    above: tuple[CommentOnPost, ...]
    below: tuple[CommentOnPost, ...]


def conversation(
    *, post: PostView, about: CommentView | None, viewer: int | None, limit: int = MOST_READ
) -> Conversation:
    """All that was said to the post, or in the thread of a comment ``about`` which one asks: at most
    ``limit`` above and below. Whether the viewer may read those is asked before. Four commands."""
    if about is None:
        rows = conversations.whole(post=post.id, limit=min(limit, MOST_READ))
        above, below = list[Comment](), _in_order(rows, 0)
    else:
        thread = about.thread or about.id
        start = comments.get(post=post.id, id=thread) if about.thread else None
        rows = conversations.whole(post=post.id, thread=thread, limit=MOST_READ)
        above = _answered(([start] if start else []) + rows, about.parent)
        below = _in_order(rows, about.id)
    first, rest = above[-limit:], below[:limit]
    seen = comments_on(rows=[*first, *rest], posts={post.id: post}, viewer=viewer, with_muted=False)
    before = {one.id for one in first}
    return Conversation(
        above=tuple(one for one in seen if one.comment.id in before),
        below=tuple(one for one in seen if one.comment.id not in before),
    )


def _answered(rows: Sequence[Comment], parent: int) -> list[Comment]:
    """This comment and those that it answers, the first said first."""
    known = {one.id: one for one in rows}
    found: list[Comment] = []
    while parent in known:
        found.append(known.pop(parent))
        parent = found[-1].parent
    return found[::-1]


def _in_order(rows: Sequence[Comment], parent: int) -> list[Comment]:
    """The answers to this comment (0: to the post), each followed by its own."""
    answers: dict[int, list[Comment]] = defaultdict(list)
    for one in rows:
        answers[one.parent].append(one)
    found, waiting = [], answers.pop(parent, [])[::-1]
    while waiting:
        found.append(waiting.pop())
        waiting += answers.pop(found[-1].id, [])[::-1]
    return found
