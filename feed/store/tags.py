"""Which hashtags there are, and which of them many people use today.

    tags         {_id: tag, newest: post id}                        those of public posts
    tag_authors  {tag, author, post, at}                            unique (tag, author); kept for a day
    tag_hours    {tag, hour, people, minutes: {"07": people}}       unique (tag, hour); kept for a day

One person counts once a day for a tag, however much they write: ``tag_authors`` says who has been counted,
for which post and in which minute. An hour reads as one document.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from pymongo import ASCENDING, DESCENDING, InsertOne, UpdateOne
from pymongo.errors import BulkWriteError

from . import entities
from .collections import Document, tag_authors, tag_hours, tags
from .rows import Bounds

DAY = timedelta(days=1)
LOOKED_AT = 5000
"""Of the hours with most people so many are looked at, however many tags there are."""

LISTED = 500
LAST = "\U0010ffff"
DUPLICATE_KEY = 11000


def prepare() -> None:
    tag_authors().create_index([("tag", ASCENDING), ("author", ASCENDING)], unique=True)
    tag_authors().create_index([("at", ASCENDING)], expireAfterSeconds=int(DAY.total_seconds()))
    tag_hours().create_index([("tag", ASCENDING), ("hour", ASCENDING)], unique=True)
    tag_hours().create_index([("people", DESCENDING)])
    tag_hours().create_index(
        [("hour", ASCENDING)], expireAfterSeconds=int((DAY + timedelta(hours=1)).total_seconds())
    )


def add(*, post: int, author: int, found: Sequence[str], at: datetime) -> None:
    """A public post has these tags now. Safe to repeat."""
    seen = [UpdateOne({"_id": tag}, {"$max": {"newest": post}}, upsert=True) for tag in found]
    tags().bulk_write(seen, ordered=False)
    if counted := _not_counted_before(post, author, found, at):
        tag_hours().bulk_write([_step(tag, at, by=1) for tag in counted], ordered=False)


def remove(*, post: int, author: int, found: Sequence[str]) -> None:
    """A public post with these tags is gone, or has them no more. Safe to repeat."""
    for tag in found:
        counted = tag_authors().find_one_and_delete({"tag": tag, "author": author, "post": post})
        if counted is not None:
            tag_hours().bulk_write([_step(tag, counted["at"], by=-1)])
        # A post that comes meanwhile is newer, and then nothing is changed.
        this = {"_id": tag, "newest": post}
        if left := entities.posts_about(kind="hashtag", value=tag, bounds=Bounds(), limit=1):
            tags().update_one(this, {"$set": {"newest": left[0].id}})
        else:
            tags().delete_one(this)


def beginning_with(*, text: str, limit: int) -> list[tuple[str, int]]:
    """(tag, newest post) of those that begin so, the one used last first; but for the first ``LISTED``
    by the alphabet, none."""
    found = tags().aggregate(
        [
            {"$match": {"_id": {"$gte": text, "$lt": text + LAST}}},
            {"$sort": {"_id": ASCENDING}},
            {"$limit": LISTED},
            {"$sort": {"newest": DESCENDING}},
            {"$limit": limit},
        ]
    )
    return [(one["_id"], one["newest"]) for one in found]


def busiest(*, now: datetime, at_least: int, limit: int) -> list[tuple[str, int]]:
    """(tag, people) of the tags that most people have used in the last 24 hours: one command."""
    since = now - DAY
    first_hour = _hour(since)
    later = {"$filter": {"input": {"$objectToArray": "$minutes"}, "cond": _from(since)}}
    of_first_hour = {"$sum": {"$map": {"input": later, "in": "$$this.v"}}}
    found = tag_hours().aggregate(
        [
            {"$match": {"people": {"$gt": 0}}},
            {"$sort": {"people": DESCENDING}},
            {"$limit": LOOKED_AT},
            {"$match": {"hour": {"$gte": first_hour}}},
            {
                "$group": {
                    "_id": "$tag",
                    "people": {
                        "$sum": {
                            "$cond": [{"$gt": ["$hour", first_hour]}, "$people", of_first_hour]
                        }
                    },
                }
            },
            {"$match": {"people": {"$gte": at_least}}},
            {"$sort": {"people": DESCENDING, "_id": ASCENDING}},
            {"$limit": limit},
        ]
    )
    return [(one["_id"], one["people"]) for one in found]


def _not_counted_before(
    post: int, author: int, found: Sequence[str], at: datetime
) -> Sequence[str]:
    """For which of these tags this is the author's first post of the day."""
    facts: list[Document] = [
        {"tag": tag, "author": author, "post": post, "at": at} for tag in found
    ]
    try:
        tag_authors().bulk_write([InsertOne(one) for one in facts], ordered=False)
    except BulkWriteError as error:
        refused: list[dict[str, Any]] = error.details["writeErrors"]
        if any(one["code"] != DUPLICATE_KEY for one in refused):
            raise
        there = {one["index"] for one in refused}
        return [tag for position, tag in enumerate(found) if position not in there]
    return found


def _step(tag: str, at: datetime, *, by: int) -> UpdateOne:
    return UpdateOne(
        {"tag": tag, "hour": _hour(at)},
        {"$inc": {"people": by, f"minutes.{at:%M}": by}},
        upsert=by > 0,
    )


def _hour(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0, tzinfo=UTC)


def _from(moment: datetime) -> Document:
    return {"$gte": ["$$this.k", f"{moment:%M}"]}
