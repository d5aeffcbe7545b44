"""Comments that moderators take away and may give back.

    comment_buckets {..., comments: [{..., gone, kept?: {uid, text, edited_at, likes}}]}

What is taken away looks to everybody like a deleted comment. What it was is kept in its place, which it
never leaves, so that it comes back to where it stood, with its likes and the replies to it.
"""

from typing import Any

from . import comments
from .collections import Document, comment_buckets, session

HIDDEN_FIELDS = ("uid", "text", "edited_at", "likes")


def hide_comment(*, post: int, id: int) -> bool:
    """Whether the comment was there. Only inside a transaction."""
    kept = {name: f"$$one.{name}" for name in HIDDEN_FIELDS}
    emptied = {"$mergeObjects": ["$$one", {"$literal": comments.DELETED_FIELDS}, {"kept": kept}]}
    return _change(post, id, {"gone": False}, emptied, replies=-1)


def show_comment(*, post: int, id: int) -> bool:
    """Whether the comment was hidden. Only inside a transaction."""
    whole = {"$mergeObjects": ["$$one", "$$one.kept", {"gone": False}]}
    shown = {"$unsetField": {"field": "kept", "input": whole}}
    return _change(post, id, {"kept": {"$exists": True}}, shown, replies=1)


def delete_hidden_comment(*, post: int, id: int) -> bool:
    """Whether the comment was hidden; from now on it is deleted."""
    kept = {"comments": {"$elemMatch": {"id": id, "kept": {"$exists": True}}}, "post": post}
    gone = comment_buckets().update_one(kept, {"$unset": {"comments.$.kept": ""}})
    return bool(gone.modified_count)


def hidden_content(*, post: int, id: int) -> Document | None:
    """``{uid, text, edited_at, likes}`` of a comment that is hidden; None of all others."""
    match = {"comments": {"$elemMatch": {"id": id, "kept": {"$exists": True}}}, "post": post}
    found = comment_buckets().find_one(match, {"comments.$": 1}, session=session())
    return None if found is None else dict(found["comments"][0]["kept"])


def _change(post: int, id: int, which: Document, into: Document, *, replies: int) -> bool:
    this = {"$cond": [{"$eq": ["$$one.id", id]}, into, "$$one"]}
    every: Any = {"$map": {"input": "$comments", "as": "one", "in": this}}
    changed = comment_buckets().find_one_and_update(
        {"comments": {"$elemMatch": {"id": id, **which}}, "post": post},
        [{"$set": {"comments": every}}],
        projection={"thread": 1},
        session=session(),
    )
    if changed is None:
        return False
    if changed["thread"]:
        comments.change_reply_count(post=post, thread=changed["thread"], change=replies)
    return True
