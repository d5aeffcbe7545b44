"""What an author shows at the top of a profile: pinned posts and featured hashtags.

    pins {_id: author, posts: [<= 5], tags: [<= 10: {id, tag}]}

A profile reads both with one command.
"""

from collections.abc import Collection

from accounts.infra.store.connection import Document, upsert

from .collections import pins

MAX_PINS = 5
MAX_FEATURED_TAGS = 10


def pins_of(*, author: int) -> tuple[list[int], list[tuple[int, str]]]:
    """Return the ids of the pinned posts, the latest pin first, and the featured hashtags. One command.

    The hashtags are pairs ``(id, tag)`` in order of addition. Apps delete a hashtag by its id.
    """
    document = pins().find_one({"_id": author}) or {}
    tags = [(row["id"], row["tag"]) for row in document.get("tags", ())]
    return document.get("posts", [])[::-1], tags


def pinned_ids(*, author: int) -> list[int]:
    """Return the ids of the pinned posts, the latest pin first. One command."""
    return pins_of(author=author)[0]


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
    is_pinned = upsert(collection=pins(), query=room, change={"$push": {"posts": post}})
    return is_pinned or post in pinned_ids(author=author)


def remove_pin(*, author: int, post: int) -> None:
    pins().update_one({"_id": author}, {"$pull": {"posts": post}})


def add_featured_tag(*, author: int, id: int, tag: str) -> bool:
    """Feature a hashtag. Return False if the limit is reached. Safe to repeat."""
    room = {
        "_id": author,
        f"tags.{MAX_FEATURED_TAGS - 1}": {"$exists": False},
        "tags.tag": {"$ne": tag},
    }
    change = {"$push": {"tags": {"id": id, "tag": tag}}}
    if upsert(collection=pins(), query=room, change=change):
        return True
    return tag in [featured for _id, featured in pins_of(author=author)[1]]


def remove_featured_tag(*, author: int, id: int) -> bool:
    """Remove a featured hashtag. Return whether it was featured."""
    removed = pins().update_one({"_id": author}, {"$pull": {"tags": {"id": id}}})
    return bool(removed.modified_count)
