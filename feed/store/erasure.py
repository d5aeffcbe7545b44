"""Find and delete the data of one user in all collections.

Erasures are rare and no page runs these queries, so some have no index and read a whole collection.
"""

from collections.abc import Iterator

from accounts.infra.store.connection import Document

from . import tags
from .attributes import activities_about
from .collections import (
    BY_AUTHOR,
    BY_OWNER,
    BY_UID,
    comment_buckets,
    idempotency_keys,
    posts,
    revisions,
    tag_authors,
    user_lists,
)


def post_ids_by(*, author: int, limit: int) -> list[int]:
    documents = posts().find({"author_id": author}, {"_id": 1}).sort("_id", 1).limit(limit)
    return [document["_id"] for document in documents]


def comment_ids_by(*, uid: int) -> Iterator[tuple[int, int]]:
    """Yield ``(post_id, comment_id)`` of all comments by a user."""
    for bucket in comment_buckets().find(
        {"comments.uid": uid}, {"post": 1, "comments.id": 1, "comments.uid": 1}
    ):
        for comment in bucket["comments"]:
            if comment["uid"] == uid:
                yield bucket["post"], comment["id"]


def hidden_comment_ids_by(*, uid: int) -> Iterator[tuple[int, int]]:
    """Yield ``(post_id, comment_id)`` of a user's comments that moderators hid (``hidden_comments``)."""
    query = {"comments.hidden_content.uid": uid}
    for bucket in comment_buckets().find(query, {"post": 1, "comments": 1}):
        for comment in bucket["comments"]:
            if comment.get("hidden_content", {}).get("uid") == uid:
                yield bucket["post"], comment["id"]


def follow_activities_about(*, uid: int) -> list[tuple[int, int]]:
    """Return ``(post_id, author_id)`` of the activities that announce a follow by a user or of a user."""
    return activities_about(kind="follow", value={"$regex": f"^{uid}:|:{uid}$"})


def delete_owned_documents(*, uid: int) -> None:
    """Delete all documents that belong to the user, except posts, likes and comments."""
    for collection in BY_UID:
        collection().delete_one({"_id": uid})
    for collection in BY_OWNER:
        collection().delete_many({"owner": uid})
    for collection in BY_AUTHOR:
        collection().delete_many({"author": uid})
    # Other users' activities about following this user have keys that contain the uid.
    idempotency_keys().delete_many({"key": {"$regex": f"^follow:[0-9]+:{uid}$"}})
    for document in tag_authors().find({"author": uid}, {"tag": 1, "post": 1}):
        tags.uncount_tags(post=document["post"], author=uid, hashtags=[document["tag"]])


def remove_from_lists(*, uid: int) -> None:
    """Remove a user from the user lists of other users."""
    user_lists().update_many({"lists.uids": uid}, {"$pull": {"lists.$[].uids": uid}})


def remove_from_replies(*, uid: int) -> None:
    """Remove an erased user from the replies to this user's comments, and from recipients of comments."""
    comment_buckets().update_many(
        {"comments.reply_to_uid": uid},
        {"$set": {"comments.$[comment].reply_to_uid": 0}},
        array_filters=[{"comment.reply_to_uid": uid}],
    )
    for path in ("recipients", "hidden_content.recipients"):
        comment_buckets().update_many(
            {f"comments.{path}": uid},
            {"$pull": {f"comments.$[comment].{path}": uid}},
            array_filters=[{f"comment.{path}": uid}],
        )


def remove_from_posts(*, uid: int) -> None:
    """Remove a user from the mentions and recipients of other users' posts. The texts stay unchanged."""
    mention = {"kind": "mention", "value": uid}
    posts().update_many({"attributes": {"$elemMatch": mention}}, {"$pull": {"attributes": mention}})
    to_user: Document = {"visibility": "direct", "recipients": uid}
    posts().update_many(to_user, {"$pull": {"recipients": uid}})
    revisions().update_many({"recipients": uid}, {"$pull": {"recipients": uid}})
