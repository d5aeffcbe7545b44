"""Home states: how far viewers have read, what they follow and filter, and which posts are merged on read.

    home_states    {_id: viewer, position: activity id, position_version, position_at,
                    has_unseen_older, followed_tags, filters: [...], hidden_kinds: [...]}
    large_authors  {_id: author}
    merged_posts   {author, post}                          unique (author, post)

A home page needs the first two before anything else, so one command reads them together. A large author
has published at least once to more followers than posts are pushed to. ``merged_posts`` lists those posts
(``models.Post.is_pushed``), so that a page finds them by author without asking every shard.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from pymongo import ASCENDING
from pymongo.errors import DuplicateKeyError

from accounts.infra.ids import time_of
from accounts.infra.store.connection import Document

from . import filters
from .collections import home_states, large_authors, merged_posts
from .filters import Filter


def create_indexes() -> None:
    merged_posts().create_index([("author", ASCENDING), ("post", ASCENDING)], unique=True)


@dataclass(frozen=True, slots=True)
class HomeState:
    """``position``: None before the first visit. ``has_unseen_below``: older posts have come since, as by a
    follow."""

    position: int | None
    has_unseen_older: bool
    followed_tags: list[str]
    filters: list[Filter]
    hidden_kinds: list[str]
    large_authors: list[int]


HOME_STATE_FIELDS = ("position", "has_unseen_older", "followed_tags", "filters", "hidden_kinds")


def home_state(*, viewer: int) -> HomeState:
    """What a home page needs before anything else: one command."""
    document: Document = {}
    authors: list[int] = []
    large = [{"$project": {"_id": 0, "large": "$_id"}}]
    both = home_states().aggregate(
        [
            {"$match": {"_id": viewer}},
            {"$project": dict.fromkeys(HOME_STATE_FIELDS, 1)},
            {"$unionWith": {"coll": large_authors().name, "pipeline": large}},
        ],
        batchSize=10_000,
    )
    for one in both:
        if "large" in one:
            authors.append(one["large"])
        else:
            document = one
    return HomeState(
        position=document.get("position"),
        has_unseen_older=document.get("has_unseen_older", False),
        followed_tags=document.get("followed_tags", []),
        filters=filters.filters_in(document),
        hidden_kinds=document.get("hidden_kinds", []),
        large_authors=authors,
    )


@dataclass(frozen=True, slots=True)
class HomePosition:
    """``version``: how often it has moved; ``at``: when it did last."""

    position: int
    version: int
    moved_at: datetime


def home_position(*, viewer: int) -> HomePosition | None:
    """None before the first visit."""
    names = {"position": 1, "position_version": 1, "position_at": 1}
    found = home_states().find_one({"_id": viewer}, names) or {}
    if "position" not in found:
        return None
    moment = found.get("position_at")
    at = time_of(id=found["position"]) if moment is None else moment.replace(tzinfo=UTC)
    return HomePosition(found["position"], found.get("position_version", 0), at)


def advance_position(*, viewer: int, position: int, now: datetime) -> None:
    """The reader has seen everything up to this id; never goes back."""
    is_further = {"$gt": [position, {"$ifNull": ["$position", -1]}]}
    counted = {"$add": [{"$ifNull": ["$position_version", 0]}, 1]}
    change = [
        {
            "$set": {
                "position": {"$max": ["$position", position]},
                "position_version": {"$cond": [is_further, counted, "$position_version"]},
                "position_at": {"$cond": [is_further, now, "$position_at"]},
                "has_unseen_older": {"$cond": [is_further, False, "$has_unseen_older"]},
            }
        }
    ]
    try:
        home_states().update_one({"_id": viewer}, change, upsert=True)
    except DuplicateKeyError:  # two devices at once, for the first time
        home_states().update_one({"_id": viewer}, change)


def mark_unseen_older(*, viewer: int) -> None:
    """Older posts have come below the reader's position, which they have not seen. Safe to repeat."""
    stopped = {"_id": viewer, "position": {"$exists": True}}
    home_states().update_one(stopped, {"$set": {"has_unseen_older": True}})


def followed_tags(*, viewer: int) -> list[str]:
    """The hashtags this reader follows, the first followed first."""
    found = home_states().find_one({"_id": viewer}, {"followed_tags": 1})
    return list(found.get("followed_tags", ())) if found else []


def follow_tag(*, viewer: int, tag: str, limit: int) -> bool:
    """The reader follows this tag now; False if they follow ``limit`` others. Safe to repeat."""
    room = {
        "_id": viewer,
        "followed_tags": {"$ne": tag},
        f"followed_tags.{limit - 1}": {"$exists": False},
    }
    change = {"$push": {"followed_tags": tag}, "$set": {"has_unseen_older": True}}
    try:
        home_states().update_one(room, change, upsert=True)
    except DuplicateKeyError:  # the document is there and has the tag or no room, or is just made
        home_states().update_one(room, change)
        return tag in followed_tags(viewer=viewer)
    return True


def unfollow_tag(*, viewer: int, tag: str) -> None:
    home_states().update_one({"_id": viewer}, {"$pull": {"followed_tags": tag}})


def add_merged_post(*, author: int, post: int) -> None:
    """To be called before a post that is not pushed is inserted. Safe to repeat."""
    for collection, fact in (
        (large_authors(), {"_id": author}),
        (merged_posts(), {"author": author, "post": post}),
    ):
        with suppress(DuplicateKeyError):
            collection.update_one(fact, {"$setOnInsert": fact}, upsert=True)


def remove_merged_post(*, author: int, post: int) -> None:
    merged_posts().delete_one({"author": author, "post": post})
