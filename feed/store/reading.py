"""Where each reader has stopped reading, and which posts are merged when they are read.

    reading_positions {_id: reader, home: activity id, home_version, home_at, has_unseen_below,
                       tags: [hashtags they follow], filters: [...]}
    large_authors     {_id: author}
    merged_posts      {author, post}                          unique (author, post)

The first two are small facts that a home page needs before anything else, so one command reads them
together. An author is large who has ever published to more people than are pushed to, and ``merged_posts``
are those posts (``models.Post.is_pushed``), where a page finds them by author without asking every shard.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from pymongo import ASCENDING
from pymongo.errors import DuplicateKeyError

from accounts.ids import time_of

from . import filters
from .collections import Document, large_authors, merged_posts, reading_positions
from .filters import Filter


def prepare() -> None:
    merged_posts().create_index([("author", ASCENDING), ("post", ASCENDING)], unique=True)


@dataclass(frozen=True, slots=True)
class BeforeHome:
    """``position``: None before the first visit. ``has_unseen_below``: older posts have come since, as by a
    follow."""

    position: int | None
    has_unseen_below: bool
    tags: list[str]
    filters: list[Filter]
    hidden_kinds: list[str]
    large_authors: list[int]


BEFORE_HOME = ("home", "has_unseen_below", "tags", "filters", "hidden_kinds")


def before_home(*, reader: int) -> BeforeHome:
    """What a home page needs before anything else: one command."""
    document: Document = {}
    authors: list[int] = []
    large = [{"$project": {"_id": 0, "large": "$_id"}}]
    both = reading_positions().aggregate(
        [
            {"$match": {"_id": reader}},
            {"$project": dict.fromkeys(BEFORE_HOME, 1)},
            {"$unionWith": {"coll": large_authors().name, "pipeline": large}},
        ],
        batchSize=10_000,
    )
    for one in both:
        if "large" in one:
            authors.append(one["large"])
        else:
            document = one
    return BeforeHome(
        position=document.get("home"),
        has_unseen_below=document.get("has_unseen_below", False),
        tags=document.get("tags", []),
        filters=filters.read(document),
        hidden_kinds=document.get("hidden_kinds", []),
        large_authors=authors,
    )


@dataclass(frozen=True, slots=True)
class HomePosition:
    """``version``: how often it has moved; ``at``: when it did last."""

    position: int
    version: int
    at: datetime


def home_position(*, reader: int) -> HomePosition | None:
    """None before the first visit."""
    names = {"home": 1, "home_version": 1, "home_at": 1}
    found = reading_positions().find_one({"_id": reader}, names) or {}
    if "home" not in found:
        return None
    moment = found.get("home_at")
    at = time_of(id=found["home"]) if moment is None else moment.replace(tzinfo=UTC)
    return HomePosition(found["home"], found.get("home_version", 0), at)


def advance(*, reader: int, position: int, at: datetime) -> None:
    """The reader has seen everything up to this id; never goes back."""
    is_further = {"$gt": [position, {"$ifNull": ["$home", -1]}]}
    counted = {"$add": [{"$ifNull": ["$home_version", 0]}, 1]}
    change = [
        {
            "$set": {
                "home": {"$max": ["$home", position]},
                "home_version": {"$cond": [is_further, counted, "$home_version"]},
                "home_at": {"$cond": [is_further, at, "$home_at"]},
                "has_unseen_below": {"$cond": [is_further, False, "$has_unseen_below"]},
            }
        }
    ]
    try:
        reading_positions().update_one({"_id": reader}, change, upsert=True)
    except DuplicateKeyError:  # two devices at once, for the first time
        reading_positions().update_one({"_id": reader}, change)


def note_older_posts(*, reader: int) -> None:
    """Older posts have come below the reader's position, which they have not seen. Safe to repeat."""
    stopped = {"_id": reader, "home": {"$exists": True}}
    reading_positions().update_one(stopped, {"$set": {"has_unseen_below": True}})


def tags_of(*, reader: int) -> list[str]:
    """The hashtags this reader follows, the first followed first."""
    found = reading_positions().find_one({"_id": reader}, {"tags": 1})
    return list(found.get("tags", ())) if found else []


def add_tag(*, reader: int, tag: str, limit: int) -> bool:
    """The reader follows this tag now; False if they follow ``limit`` others. Safe to repeat."""
    room = {"_id": reader, "tags": {"$ne": tag}, f"tags.{limit - 1}": {"$exists": False}}
    change = {"$push": {"tags": tag}, "$set": {"has_unseen_below": True}}
    try:
        reading_positions().update_one(room, change, upsert=True)
    except DuplicateKeyError:  # the document is there and has the tag or no room, or is just made
        reading_positions().update_one(room, change)
        return tag in tags_of(reader=reader)
    return True


def remove_tag(*, reader: int, tag: str) -> None:
    reading_positions().update_one({"_id": reader}, {"$pull": {"tags": tag}})


def note_merged(*, author: int, post: int) -> None:
    """To be called before a post that is not pushed is inserted. Safe to repeat."""
    for collection, fact in (
        (large_authors(), {"_id": author}),
        (merged_posts(), {"author": author, "post": post}),
    ):
        with suppress(DuplicateKeyError):
            collection.update_one(fact, {"$setOnInsert": fact}, upsert=True)


def forget_merged(*, author: int, post: int) -> None:
    merged_posts().delete_one({"author": author, "post": post})
