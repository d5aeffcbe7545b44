"""Which posts are about something: a hashtag, a person they mention, a host they link to.

    feed_post {..., entities: [{kind, value}]}        index (entities.kind, entities.value, _id)

The attribute pattern of MongoDB's schema advice: one multikey index answers every such question.
"""

from pymongo import ASCENDING, DESCENDING

from .collections import posts

INDEX = [("entities.kind", ASCENDING), ("entities.value", ASCENDING), ("_id", DESCENDING)]


def ids_of(*, author: int, kind: str, value: int | str) -> list[int]:
    """The posts of one author that are about this: one command."""
    about = {"entities": {"$elemMatch": {"kind": kind, "value": value}}, "author_id": author}
    return [one["_id"] for one in posts().find(about, {"_id": 1})]


def prepare() -> None:
    posts().create_index(INDEX)
