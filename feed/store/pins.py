"""What people have pinned to the top of their profile: ``pins {_id: author, posts: [<= 5]}``."""

from pymongo.errors import DuplicateKeyError

from .collections import pins

MOST = 5


def get(*, author: int) -> list[int]:
    """The posts, the one pinned last first: one command."""
    found = pins().find_one({"_id": author})
    return [] if found is None else found["posts"][::-1]


def add(*, author: int, post: int) -> bool:
    """Whether it is pinned now; False if there are as many as fit."""
    room = {"_id": author, f"posts.{MOST - 1}": {"$exists": False}, "posts": {"$ne": post}}
    try:
        pins().update_one(room, {"$push": {"posts": post}}, upsert=True)
    except DuplicateKeyError:  # there is the document, but without room, or with the post
        return post in get(author=author)
    return True


def remove(*, author: int, post: int) -> None:
    pins().update_one({"_id": author}, {"$pull": {"posts": post}})
