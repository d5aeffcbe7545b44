"""Posts pinned to the top of a profile: ``pins {_id: author, posts: [<= 5]}``."""

from pymongo.errors import DuplicateKeyError

from .collections import pins

MAX_PINS = 5


def pinned_ids(*, author: int) -> list[int]:
    """Return the pinned posts, the latest pin first: one command."""
    document = pins().find_one({"_id": author})
    return [] if document is None else document["posts"][::-1]


def add_pin(*, author: int, post: int) -> bool:
    """Pin a post. Return False if the limit is reached."""
    room = {"_id": author, f"posts.{MAX_PINS - 1}": {"$exists": False}, "posts": {"$ne": post}}
    try:
        pins().update_one(room, {"$push": {"posts": post}}, upsert=True)
    except DuplicateKeyError:  # the document exists: it is full or has the post
        return post in pinned_ids(author=author)
    return True


def remove_pin(*, author: int, post: int) -> None:
    pins().update_one({"_id": author}, {"$pull": {"posts": post}})
