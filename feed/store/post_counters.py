"""Counters and the newest likers and comments, stored in the post.

    feed_post {..., likes, shares, comments, quotes, newest_likers: [uid],
               newest_comments: [{id, uid, text}], edited_comment}

The post stores nothing about limited comments (``comments``) and likes that are set aside (``likes``),
because everyone who can read the post sees its counters.

This is the subset pattern of MongoDB's schema advice: a list of posts shows the newest likers and comments
without further queries. A counter is written in the same transaction as the like, share, comment or quote.
So call these functions only inside a transaction. Each raises LookupError if the post does not exist.

``edited_comment`` is only written to cause conflicts between transactions (``_touch``).
"""

from typing import Any

from accounts.infra.ids import new_id
from accounts.infra.store.connection import Document, session

from . import likes
from .collections import posts
from .comment_rows import Comment, NewComment
from .comment_sequences import CommentSequence
from .conversations import participants_in

NEWEST_COUNT = 3
EXCERPT_LENGTH = 160
"""Number of characters of a comment that the post stores."""

RETURNED_FIELDS = (
    *("likes", "newest_likers", "newest_comments"),
    *("author_id", "visibility", "recipients"),
)


def add_like(*, post: int, uid: int, is_counted: bool = True) -> None:
    if is_counted:
        _change(post, {"$inc": {"likes": 1}, "$push": {"newest_likers": _last(uid)}})
    else:
        _touch(post)


def remove_like(*, post: int, uid: int) -> None:
    before = _change(post, {"$inc": {"likes": -1}, "$pull": {"newest_likers": uid}})
    if uid in before["newest_likers"] and before["likes"] > NEWEST_COUNT:
        _change(post, {"$set": {"newest_likers": newest_likers(post=post)}})


def change_share_count(*, post: int, change: int) -> None:
    _change(post, {"$inc": {"shares": change}})


def change_quote_count(*, post: int, change: int) -> None:
    _change(post, {"$inc": {"quotes": change}})


def add_comment(*, comment_id: int, comment: NewComment) -> list[int]:
    """Count a comment. Add it to ``newest_comments`` unless it is a reply.

    Limited comments are not counted. Return the participants of a direct post, as ``remove_comment`` and
    ``restore_comment`` do.
    """
    if comment.is_limited:
        return participants_in(_touch(comment.post))
    change: Document = {"$inc": {"comments": 1}}
    if not comment.thread_id:
        change["$push"] = {"newest_comments": _last(comment_excerpt(comment_id, comment))}
    return participants_in(_change(comment.post, change))


def edit_comment(*, post: int, comment_id: int, text: str, content_warning: str) -> None:
    """Update the text of an edited comment if it is among the newest."""
    changed = posts().update_one(
        {"_id": post, "newest_comments.id": comment_id},
        {"$set": {"newest_comments.$.text": _excerpt_text(text, content_warning)}},
        session=session(),
    )
    if not changed.matched_count:
        # A concurrent deletion may copy this comment with its old text into ``newest_comments``. This write
        # conflicts with the deletion's write to the post, so one of the two transactions is retried.
        _touch(post)


def remove_comment(*, post: int, comment_id: int, is_limited: bool) -> list[int]:
    if is_limited:
        return participants_in(_touch(post))
    before = _change(post, {"$inc": {"comments": -1}})
    if any(comment["id"] == comment_id for comment in before["newest_comments"]):
        _change(post, {"$set": {"newest_comments": newest_comments(post=post)}})
    return participants_in(before)


def restore_comment(*, post: int, is_limited: bool) -> list[int]:
    """Count a comment that a moderator restored, and update ``newest_comments``."""
    if is_limited:
        return participants_in(_touch(post))
    change = {"$inc": {"comments": 1}, "$set": {"newest_comments": newest_comments(post=post)}}
    return participants_in(_change(post, change))


def newest_likers(*, post: int) -> list[int]:
    """Return the uids for the field ``newest_likers``, the newest last."""
    return [like.uid for like in reversed(likes.newest_likes(post=post, limit=NEWEST_COUNT))]


def newest_comments(*, post: int) -> list[Document]:
    """Return the excerpts for the field ``newest_comments``, the newest last, without limited comments."""
    newest = CommentSequence(
        post=post, thread=0, limit=NEWEST_COUNT, is_backwards=True, with_deleted=False
    )
    return [comment_excerpt(comment.id, comment) for comment in reversed(newest.read())]


def _last(element: Any) -> Document:
    return {"$each": [element], "$slice": -NEWEST_COUNT}


def comment_excerpt(comment_id: int, comment: NewComment | Comment) -> Document:
    """Return the excerpt of a comment that the post stores."""
    text = _excerpt_text(comment.text, comment.content_warning)
    return {"id": comment_id, "uid": comment.uid, "text": text}


def _excerpt_text(text: str, content_warning: str) -> str:
    """Return the beginning of a comment, or only its content warning."""
    return (content_warning or text)[:EXCERPT_LENGTH]


def _touch(post: int) -> Document:
    """Write to the post without a visible change, so that concurrent transactions on it conflict."""
    return _change(post, {"$set": {"edited_comment": new_id()}})


def _change(post: int, change: Document) -> Document:
    """Update a post. Return the fields of ``RETURNED_FIELDS`` from before the update."""
    before = posts().find_one_and_update(
        {"_id": post},
        change,
        projection=dict.fromkeys(RETURNED_FIELDS, 1),
        session=session(),
    )
    if before is None:
        raise LookupError(f"There is no post {post}.")
    return before
