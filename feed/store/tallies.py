"""What a post tells of itself: how many like, share and answer it, and who did last.

    feed_post {..., likes, shares, comments, newest_likers: [uid], newest_comments: [{id, uid, text}],
               reworded}

MongoDB's schema advice calls it the subset pattern: a list of posts shows the newest few of each without
asking for them. All is written in one transaction with what it counts. Each function raises LookupError if
there is no such post, and is to be called only inside a transaction.
"""

from typing import Any

from accounts.ids import new_id

from . import comments, likes
from .collections import Document, posts, session
from .comments import NewComment

NEWEST = 3
SAMPLE_LENGTH = 160
"""Characters of a comment that are kept in the post."""


def liked(*, post: int, uid: int) -> None:
    _change(post, {"$inc": {"likes": 1}, "$push": {"newest_likers": _last(uid)}})


def unliked(*, post: int, uid: int) -> None:
    told = _change(post, {"$inc": {"likes": -1}, "$pull": {"newest_likers": uid}})
    if uid in told["newest_likers"] and told["likes"] > NEWEST:
        _change(post, {"$set": {"newest_likers": likers_of(post=post)}})


def shared(*, post: int, by: int) -> None:
    _change(post, {"$inc": {"shares": by}})


def answered(*, id: int, comment: NewComment) -> None:
    """``newest_comments`` are of those to the post itself."""
    change: Document = {"$inc": {"comments": 1}}
    if not comment.thread:
        change["$push"] = {"newest_comments": _last(sample(id, comment.uid, comment.text))}
    _change(comment.post, change)


def reworded(*, post: int, id: int, text: str) -> None:
    """A comment has other words now; the post shows them if it is among the newest."""
    changed = posts().update_one(
        {"_id": post, "newest_comments.id": id},
        {"$set": {"newest_comments.$.text": text[:SAMPLE_LENGTH]}},
        session=session(),
    )
    if not changed.matched_count:
        # A deletion that makes it one of the newest at this moment reads the old words. Both write to the
        # post, so that one of the two is tried again.
        _change(post, {"$set": {"reworded": new_id()}})


def unanswered(*, post: int, id: int) -> None:
    told = _change(post, {"$inc": {"comments": -1}})
    if any(one["id"] == id for one in told["newest_comments"]):
        _change(post, {"$set": {"newest_comments": comments_of(post=post)}})


def answered_again(*, post: int) -> None:
    """A comment is back that was counted before."""
    change = {"$inc": {"comments": 1}, "$set": {"newest_comments": comments_of(post=post)}}
    _change(post, change)


def likers_of(*, post: int) -> list[int]:
    """The newest last, as the post keeps them."""
    return [one.uid for one in reversed(likes.newest(post=post, limit=NEWEST))]


def comments_of(*, post: int) -> list[Document]:
    """The newest last, as the post keeps them."""
    found = comments.before(post=post, thread=0, position=None, limit=NEWEST, with_gone=False)
    return [sample(one.id, one.uid, one.text) for one in reversed(found)]


def _last(item: Any) -> Document:
    return {"$each": [item], "$slice": -NEWEST}


def sample(id: int, uid: int, text: str) -> Document:
    """A comment as its post keeps it."""
    return {"id": id, "uid": uid, "text": text[:SAMPLE_LENGTH]}


def _change(post: int, change: Document) -> Document:
    """What the post told before."""
    told = posts().find_one_and_update(
        {"_id": post},
        change,
        projection={"likes": 1, "newest_likers": 1, "newest_comments": 1},
        session=session(),
    )
    if told is None:
        raise LookupError(f"There is no post {post}.")
    return told
