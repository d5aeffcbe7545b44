"""Write comments, and read them by id. ``comment_rows`` describes how they are stored."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

from pymongo import DESCENDING

from accounts.infra.store import continuation
from accounts.infra.store.connection import Document, session

from . import comment_rows
from .collections import comment_buckets
from .comment_rows import FOLLOWERS, Comment, NewComment, comment_element, comment_from_bucket

BATCH_SIZE = 1000
ID_INDEX = [("comments.id", DESCENDING)]
DELETED_FIELDS: Document = {
    "is_deleted": True,
    "uid": 0,
    "text": "",
    "likes": 0,
    "edited_at": None,
    "content_warning": "",
    "visibility": "",
    "recipients": [],
    "is_author_limited": False,
}
"""The values that replace the content of a deleted comment. ``replies`` stays, because replies remain."""


class NotFirstComment(Exception):
    """The post has or had comments. The transaction is aborted."""


def create_indexes() -> None:
    continuation.create_indexes(collection=comment_buckets(), owner_fields=("post", "thread"))
    # Descending, because ``comment_pages.newest_comments`` reads this index from the highest id.
    comment_buckets().create_index(ID_INDEX)


def add_comment(*, id: int, comment: NewComment) -> None:
    """Append a comment and count it in its thread. Only inside a transaction.

    Raises LookupError if the first comment of the thread does not exist.
    """
    if comment.thread_id:
        change_reply_count(
            post=comment.post, thread=comment.thread_id, change=1, is_limited=comment.is_limited
        )
    continuation.append_element(
        collection=comment_buckets(),
        owner={"post": comment.post, "thread": comment.thread_id},
        array_field="comments",
        element=comment_element(id=id, comment=comment),
        capacity=comment_rows.CAPACITY,
        session=session(),
    )


def add_first_comment(*, id: int, comment: NewComment) -> None:
    """Add the first comment on a post. Only inside a transaction.

    One command, where ``add_comment`` takes three.

    Raises NotFirstComment if the post has or had comments.
    """
    try:
        continuation.insert_first_element(
            collection=comment_buckets(),
            owner={"post": comment.post, "thread": 0},
            array_field="comments",
            element=comment_element(id=id, comment=comment),
            session=session(),
        )
    except continuation.BucketExists:
        raise NotFirstComment from None


def get_comment(*, post: int, id: int) -> Comment | None:
    """Return a comment, deleted or not, or None if the post has no comment with this id."""
    documents = comment_buckets().aggregate(
        [
            {"$match": {"comments.id": id, "post": post}},
            {
                "$project": {
                    "post": 1,
                    "thread": 1,
                    "comments": _filter_comments({"$eq": ["$$comment.id", id]}),
                }
            },
            {"$unwind": "$comments"},
        ],
        session=session(),
    )
    for document in documents:
        return comment_from_bucket(document)
    return None


def by_ids(*, ids: Collection[int]) -> dict[int, Comment]:
    """Return a mapping of ids to comments of any posts, without deleted comments. One command."""
    documents = comment_buckets().aggregate(
        [
            {"$match": {"comments.id": {"$in": list(ids)}}},
            {"$unwind": "$comments"},
            {"$match": {"comments.id": {"$in": list(ids)}, "comments.is_deleted": {"$ne": True}}},
            {"$project": {"post": 1, "thread": 1, "comments": 1}},
        ],
        batchSize=len(ids) + 1,
    )
    return {comment.id: comment for comment in map(comment_from_bucket, documents)}


def edit_comment(
    *,
    post: int,
    id: int,
    uid: int,
    text: str,
    content_warning: str,
    new_recipients: Collection[int] = (),
    edited_at: datetime,
) -> bool:
    """Change the text and content warning of a user's comment, and add recipients if it is limited.

    Return False if nothing changed. Only inside a transaction.
    """
    other_warning: Any = {"$ne": content_warning} if content_warning else {"$nin": [None, ""]}
    changes = {"text": text, "content_warning": content_warning, "edited_at": edited_at}
    update: Document = {"$set": {f"comments.$.{name}": value for name, value in changes.items()}}
    if new_recipients:
        update["$addToSet"] = {"comments.$.recipients": {"$each": list(new_recipients)}}
    result = comment_buckets().update_one(
        _element_query(
            post,
            id,
            uid=uid,
            is_deleted=False,
            **{"$or": [{"text": {"$ne": text}}, {"content_warning": other_warning}]},
        ),
        update,
        session=session(),
    )
    return bool(result.matched_count)


def delete_comment(*, post: int, id: int) -> bool | None:
    """Empty a comment's element. Return whether it was limited, or None if it is missing or deleted.

    Only inside a transaction.
    """
    bucket = comment_buckets().find_one_and_update(
        _element_query(post, id, is_deleted=False),
        {"$set": {f"comments.$.{name}": value for name, value in DELETED_FIELDS.items()}},
        projection={"thread": 1, "comments": {"$elemMatch": {"id": id}}},
        session=session(),
    )
    if bucket is None:
        return None
    is_limited = bool(bucket["comments"][0].get("visibility"))
    if bucket["thread"]:
        change_reply_count(post=post, thread=bucket["thread"], change=-1, is_limited=is_limited)
    return is_limited


def set_author_limited(*, comment: Comment, is_limited: bool) -> bool:
    """Limit a comment to followers of its author, or undo that. Return False if nothing changed.

    Comments with a visibility of their own do not change. Only inside a transaction.
    """
    values = {"visibility": FOLLOWERS if is_limited else "", "is_author_limited": is_limited}
    no_visibility: Document = {"visibility": {"$in": [None, ""]}}
    before = no_visibility if is_limited else {"is_author_limited": True}
    changed = comment_buckets().update_one(
        _element_query(comment.post, comment.id, uid=comment.uid, **before),
        {"$set": {f"comments.$.{name}": value for name, value in values.items()}},
        session=session(),
    )
    if changed.modified_count and comment.thread_id:
        thread = {"post": comment.post, "thread": comment.thread_id}
        change_reply_count(**thread, change=-1, is_limited=not is_limited)
        change_reply_count(**thread, change=1, is_limited=is_limited)
    return bool(changed.modified_count)


def change_like_count(*, post: int, id: int, change: int) -> None:
    """Change the number of likes. Only inside a transaction. Raises LookupError for a missing comment."""
    _increase(_element_query(post, id, is_deleted=False), "likes", change)


def change_reply_count(*, post: int, thread: int, change: int, is_limited: bool) -> None:
    """Change a number of replies of a thread, as ``change_like_count`` does for likes."""
    counter = "limited_replies" if is_limited else "replies"
    _increase(_element_query(post, thread), counter, change)


def all_comment_ids(*, post: int) -> Iterator[list[int]]:
    """Yield lists of about ``BATCH_SIZE`` ids of all comments on a post, including deleted comments."""
    ids: list[int] = []
    for bucket in comment_buckets().find({"post": post}, {"comments.id": 1}):
        ids += [comment["id"] for comment in bucket["comments"]]
        if len(ids) >= BATCH_SIZE:
            yield ids
            ids = []
    yield ids


def _filter_comments(condition: Document) -> Document:
    return {"$filter": {"input": "$comments", "as": "comment", "cond": condition}}


def _element_query(post: int, id: int, **conditions: Any) -> Document:
    return {"comments": {"$elemMatch": {"id": id, **conditions}}, "post": post}


def _increase(query: Document, counter: str, change: int) -> None:
    result = comment_buckets().update_one(
        query, {"$inc": {f"comments.$.{counter}": change}}, session=session()
    )
    if not result.matched_count:
        raise LookupError("There is no such comment.")
