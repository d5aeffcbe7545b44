"""Comments that moderators hide and may restore.

    comment_buckets {..., comments: [{..., is_deleted, hidden_content?: {uid, text, edited_at, likes,
                                                                         content_warning?, visibility?,
                                                                         recipients?,
                                                                         is_author_limited?}}]}

Queries treat a hidden comment like a deleted comment. The content moves to ``hidden_content`` in the same
array element, so that a restored comment has its old position, likes and replies.
"""

from typing import Any

from accounts.infra.store.connection import Document, session

from . import comments
from .collections import comment_buckets

HIDDEN_FIELDS = (
    *("uid", "text", "edited_at", "likes"),
    *("content_warning", "visibility", "recipients", "is_author_limited"),
)


def hide_comment(*, post: int, id: int) -> bool | None:
    """Hide a comment. Return whether it is limited, or None if there is no visible comment.

    Only inside a transaction.
    """
    content = {name: f"$$comment.{name}" for name in HIDDEN_FIELDS}
    emptied = {
        "$mergeObjects": [
            "$$comment",
            {"$literal": comments.DELETED_FIELDS},
            {"hidden_content": content},
        ]
    }
    return _change(post, id, {"is_deleted": False}, emptied, replies=-1)


def show_comment(*, post: int, id: int) -> bool | None:
    """Restore a hidden comment. Return whether it is limited, or None if the comment is not hidden.

    Only inside a transaction.
    """
    whole = {"$mergeObjects": ["$$comment", "$$comment.hidden_content", {"is_deleted": False}]}
    shown = {"$unsetField": {"field": "hidden_content", "input": whole}}
    return _change(post, id, {"hidden_content": {"$exists": True}}, shown, replies=1)


def delete_hidden_comment(*, post: int, id: int) -> bool:
    """Delete the content of a hidden comment permanently. Return False if the comment is not hidden."""
    query = {
        "comments": {"$elemMatch": {"id": id, "hidden_content": {"$exists": True}}},
        "post": post,
    }
    result = comment_buckets().update_one(query, {"$unset": {"comments.$.hidden_content": ""}})
    return bool(result.modified_count)


def hidden_content(*, post: int, id: int) -> Document | None:
    """Return ``HIDDEN_FIELDS`` of a comment, or None if the comment is not hidden.

    Empty fields may be missing.
    """
    query = {
        "comments": {"$elemMatch": {"id": id, "hidden_content": {"$exists": True}}},
        "post": post,
    }
    bucket = comment_buckets().find_one(query, {"comments.$": 1}, session=session())
    return None if bucket is None else dict(bucket["comments"][0]["hidden_content"])


def _change(
    post: int, id: int, condition: Document, result: Document, *, replies: int
) -> bool | None:
    """Replace a comment by ``result`` and change the reply count of its thread by ``replies``.

    Return whether the comment is limited. Return None, without a change, if the comment does not meet
    ``condition``.
    """
    element = {"$cond": [{"$eq": ["$$comment.id", id]}, result, "$$comment"]}
    changed_comments: Any = {"$map": {"input": "$comments", "as": "comment", "in": element}}
    bucket = comment_buckets().find_one_and_update(
        {"comments": {"$elemMatch": {"id": id, **condition}}, "post": post},
        [{"$set": {"comments": changed_comments}}],
        projection={"thread": 1, "comments": {"$elemMatch": {"id": id}}},
        session=session(),
    )
    if bucket is None:
        return None
    (before,) = bucket["comments"]
    is_limited = bool(before.get("hidden_content", before).get("visibility"))
    if bucket["thread"]:
        comments.change_reply_count(
            post=post, thread=bucket["thread"], change=replies, is_limited=is_limited
        )
    return is_limited
