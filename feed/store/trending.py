"""Which posts many people like and share (``posts``)."""

from pymongo import DESCENDING

from .collections import posts

LOOKED_AT = 5000
"""Of the newest public posts so many are looked at, however many come in a day."""


def most_liked(*, above: int, at_least: int, limit: int) -> list[int]:
    """The ids of the public posts above an id with most likes and shares, those with most first: one
    command, at most ``LOOKED_AT`` posts."""
    found = posts().aggregate(
        [
            {"$match": {"visibility": "public", "share_of": None, "_id": {"$gt": above}}},
            {"$sort": {"_id": DESCENDING}},
            {"$limit": LOOKED_AT},
            {"$project": {"people": {"$add": ["$likes", "$shares"]}}},
            {"$match": {"people": {"$gte": at_least}}},
            {"$sort": {"people": DESCENDING, "_id": DESCENDING}},
            {"$limit": limit},
        ]
    )
    return [one["_id"] for one in found]
