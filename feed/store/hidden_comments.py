"""Comments that moderators hide and may restore.

    comment_buckets {..., comments: [{..., is_deleted, hidden_content?: {uid, text, edited_at, likes}}]}

A hidden comment looks like a deleted one. Its content moves to ``hidden_content`` in the same element, so
it can be restored to its place, with its likes and replies.
"""

from typing import Any

from accounts.infra.store.connection import Document, session

from . import comments
from .collections import comment_buckets

HIDDEN_FIELDS = ("uid", "text", "edited_at", "likes")


def hide_comment(*, post: int, id: int) -> bool:
    """Hide a comment. Return whether it existed. Only inside a transaction."""
    kept = {name: f"$$one.{name}" for name in HIDDEN_FIELDS}
    emptied = {
        "$mergeObjects": ["$$one", {"$literal": comments.DELETED_FIELDS}, {"hidden_content": kept}]
    }
    return _change(post, id, {"is_deleted": False}, emptied, replies=-1)


def show_comment(*, post: int, id: int) -> bool:
    """Restore a comment. Return whether it was hidden. Only inside a transaction."""
    whole = {"$mergeObjects": ["$$one", "$$one.hidden_content", {"is_deleted": False}]}
    shown = {"$unsetField": {"field": "hidden_content", "input": whole}}
    return _change(post, id, {"hidden_content": {"$exists": True}}, shown, replies=1)


def delete_hidden_comment(*, post: int, id: int) -> bool:
    """Delete a hidden comment for good. Return whether it was hidden."""
    kept = {
        "comments": {"$elemMatch": {"id": id, "hidden_content": {"$exists": True}}},
        "post": post,
    }
    gone = comment_buckets().update_one(kept, {"$unset": {"comments.$.hidden_content": ""}})
    return bool(gone.modified_count)


def hidden_content(*, post: int, id: int) -> Document | None:
    """Return ``{uid, text, edited_at, likes}`` of a hidden comment, None for any other."""
    match = {
        "comments": {"$elemMatch": {"id": id, "hidden_content": {"$exists": True}}},
        "post": post,
    }
    found = comment_buckets().find_one(match, {"comments.$": 1}, session=session())
    return None if found is None else dict(found["comments"][0]["hidden_content"])


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
