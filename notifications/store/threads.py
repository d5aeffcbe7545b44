"""Who follows what is said to a post without having said anything.

thread_followers {_id, post, uid}                                           unique (post, uid)
"""

from collections.abc import Iterator

from pymongo import ASCENDING
from pymongo.errors import DuplicateKeyError

from .collections import notification_boxes, thread_followers

CHUNK_SIZE = 1000
MAX_MUTED_THREADS = 500
"""Of posts that somebody does not want to hear of. The first muted are heard of again."""


def create_indexes() -> None:
    thread_followers().create_index([("post", ASCENDING), ("uid", ASCENDING)], unique=True)


def follow_thread(*, post: int, uid: int) -> None:
    one = {"post": post, "uid": uid}
    thread_followers().update_one(one, {"$setOnInsert": one}, upsert=True)


def unfollow_thread(*, post: int, uid: int) -> None:
    thread_followers().delete_one({"post": post, "uid": uid})


def is_following_thread(*, post: int, uid: int) -> bool:
    return thread_followers().find_one({"post": post, "uid": uid}, {"_id": 1}) is not None


def follower_chunks(*, post: int) -> Iterator[list[int]]:
    """All of them, a thousand at a time."""
    chunk: list[int] = []
    found = thread_followers().find({"post": post}, {"_id": 0, "uid": 1})
    for one in found.hint([("post", ASCENDING), ("uid", ASCENDING)]).batch_size(CHUNK_SIZE):
        chunk.append(one["uid"])
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
    """Nothing about this post is told from now on."""
    muted = {"$push": {"muted": {"$each": [post], "$slice": -MAX_MUTED_THREADS}}}
    first = {"$setOnInsert": {"unread": 0}}
    where = {"_id": uid, "muted": {"$ne": post}}
    try:
        notification_boxes().update_one(where, muted | first, upsert=True)
    except DuplicateKeyError:  # it is muted, or somebody made the box this moment
        notification_boxes().update_one(where, muted)


def unmute_thread(*, post: int, uid: int) -> None:
    notification_boxes().update_one({"_id": uid}, {"$pull": {"muted": post}})


def muted_post_ids(*, uid: int) -> list[int]:
    """Of which posts they do not want to hear: at most ``MOST_MUTED``."""
    found = notification_boxes().find_one({"_id": uid}, {"muted": 1}) or {}
    return list(found.get("muted", ()))


def has_muted_thread(*, post: int, uid: int) -> bool:
    return notification_boxes().find_one({"_id": uid, "muted": post}, {"_id": 1}) is not None
