"""Posts pinned to the top of a profile: ``pins {_id: author, posts: [<= 5]}``."""

from collections.abc import Collection

from pymongo.errors import DuplicateKeyError

from accounts.infra.store.connection import Document

from .collections import pins

MAX_PINS = 5


def pinned_ids(*, author: int) -> list[int]:
    """Return the ids of the pinned posts, the latest pin first. One command."""
    document = pins().find_one({"_id": author})
    return [] if document is None else document["posts"][::-1]


def pins_on_page(*, author: int, posts: Collection[int]) -> list[Document]:
    """Return a pipeline that finds ``{post}`` of each of these posts that the author pinned."""
    return [
        {"$match": {"_id": author}},
        {"$project": {"post": {"$setIntersection": ["$posts", list(posts)]}}},
        {"$unwind": "$post"},
    ]


def add_pin(*, author: int, post: int) -> bool:
    """Pin a post. Return False if the limit is reached."""
    room = {"_id": author, f"posts.{MAX_PINS - 1}": {"$exists": False}, "posts": {"$ne": post}}
    try:
        pins().update_one(room, {"$push": {"posts": post}}, upsert=True)
    except DuplicateKeyError:  # the author already has MAX_PINS or this pin
        return post in pinned_ids(author=author)
    return True


def remove_pin(*, author: int, post: int) -> None:
    pins().update_one({"_id": author}, {"$pull": {"posts": post}})
