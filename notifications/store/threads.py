"""Threads that users follow, and threads that users mute.

Muted threads are in ``muted_posts`` of the user's box, so that a delivery needs no extra query.

thread_followers {_id, post, uid}                                           unique (post, uid)
"""

from collections.abc import Collection, Iterator

from pymongo import ASCENDING

from accounts.infra.store.connection import Document, upsert

from .collections import notification_boxes, thread_followers

CHUNK_SIZE = 1000
MAX_MUTED_THREADS = 500
"""Muted threads per user. The oldest mutes are dropped when the list is full."""


def create_indexes() -> None:
    thread_followers().create_index([("post", ASCENDING), ("uid", ASCENDING)], unique=True)


def follow_thread(*, post: int, uid: int) -> None:
    thread_follower = {"post": post, "uid": uid}
    thread_followers().update_one(thread_follower, {"$setOnInsert": thread_follower}, upsert=True)


def unfollow_thread(*, post: int, uid: int) -> None:
    thread_followers().delete_one({"post": post, "uid": uid})


def is_following_thread(*, post: int, uid: int) -> bool:
    return thread_followers().find_one({"post": post, "uid": uid}, {"_id": 1}) is not None


def follower_chunks(*, post: int) -> Iterator[list[int]]:
    """Yield the uids of all followers of a thread in lists of up to ``CHUNK_SIZE``."""
    chunk: list[int] = []
    documents = thread_followers().find({"post": post}, {"_id": 0, "uid": 1})
    for document in documents.hint([("post", ASCENDING), ("uid", ASCENDING)]).batch_size(
        CHUNK_SIZE
    ):
        chunk.append(document["uid"])
        if len(chunk) == CHUNK_SIZE:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def delete_thread_followers(*, post: int) -> None:
    thread_followers().delete_many({"post": post})


def erase_user(*, uid: int) -> None:
    thread_followers().delete_many({"uid": uid})


def mute_thread(*, post: int, uid: int) -> None:
    """Stop notifications to a user about this post. Dismisses no existing notifications."""
    muted = {"muted_posts": {"$each": [post], "$slice": -MAX_MUTED_THREADS}}
    change = {"$push": muted, "$setOnInsert": {"unread": 0}}
    query = {"_id": uid, "muted_posts": {"$ne": post}}
    upsert(collection=notification_boxes(), query=query, change=change)


def unmute_thread(*, post: int, uid: int) -> None:
    notification_boxes().update_one({"_id": uid}, {"$pull": {"muted_posts": post}})


def muted_posts_query(*, uid: int, posts: Collection[int]) -> tuple[str, list[Document]]:
    """Return a collection and a pipeline for the muted posts, as ``feed.providers`` describes."""
    return notification_boxes().name, [
        {"$match": {"_id": uid, "muted_posts": {"$in": list(posts)}}},
        {"$project": {"post": {"$setIntersection": ["$muted_posts", list(posts)]}}},
        {"$unwind": "$post"},
    ]


def has_muted_thread(*, post: int, uid: int) -> bool:
    return notification_boxes().find_one({"_id": uid, "muted_posts": post}, {"_id": 1}) is not None
