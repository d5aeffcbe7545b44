"""Which posts are about something: a hashtag, a person they mention, a host they link to.

    feed_post {..., entities: [{kind, value}]}        index (entities.kind, entities.value, _id)

The attribute pattern of MongoDB's schema advice: one multikey index answers every such question.
"""

from pymongo import ASCENDING, DESCENDING

from .collections import posts

INDEX = [("entities.kind", ASCENDING), ("entities.value", ASCENDING), ("_id", DESCENDING)]


def prepare() -> None:
    posts().create_index(INDEX)
