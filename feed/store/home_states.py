"""Home states of viewers: reading positions, followed hashtags and filters. Also, posts merged on read.

    home_states    {_id: viewer, position: activity id, position_version, position_at,
                    has_unseen_older, followed_tags, filters: [...], hidden_kinds: [...],
                    hides_suggestions}
    large_authors  {_id: author}
    merged_posts   {author, post}                          unique (author, post)

A home page needs ``home_states`` and ``large_authors`` before anything else, so one command reads both. An
author is large after publishing a post to more followers than the push limit. Such a post is not delivered
(``models.Post.is_pushed``). ``merged_posts`` lists it under its author, so that a page finds the post
without asking every shard.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from pymongo import ASCENDING
from pymongo.errors import DuplicateKeyError

from accounts.infra.ids import time_of
from accounts.infra.store.connection import Document, upsert
from accounts.infra.store.unions import Query, UnionResult, read_union

from . import filters
from .collections import home_states, large_authors, merged_posts
from .filters import Filter


def create_indexes() -> None:
    merged_posts().create_index([("author", ASCENDING), ("post", ASCENDING)], unique=True)


@dataclass(frozen=True, slots=True)
class HomeState:
    """A viewer's home state, and the large authors of the site, followed or not.

    Attributes:
        position: the reading position, None before the first visit.
        has_unseen_older: whether posts below the position were added after it last moved.
        hides_suggestions: whether the viewer hid suggestions of people, or needs none any more.
    """

    position: int | None
    has_unseen_older: bool
    followed_tags: list[str]
    filters: list[Filter]
    hidden_kinds: list[str]
    large_authors: list[int]
    hides_suggestions: bool


HOME_STATE_FIELDS = (
    *("position", "has_unseen_older", "followed_tags", "filters", "hidden_kinds"),
    "hides_suggestions",
)


def home_state(*, viewer: int) -> HomeState:
    """Return the viewer's home state with the large authors. One command."""
    return home_state_in(union=read_union(queries=home_state_queries(viewer=viewer)))


def home_state_queries(*, viewer: int) -> list[Query]:
    """Return the queries of ``home_state``, to read them with others in one command."""
    state: Document = {name: f"${name}" for name in HOME_STATE_FIELDS}
    return [
        (
            home_states().name,
            [{"$match": {"_id": viewer}}, {"$project": {"_id": 0, "state": state}}],
        ),
        (large_authors().name, [{"$project": {"_id": 0, "large_author": "$_id"}}]),
    ]


def home_state_in(*, union: UnionResult) -> HomeState:
    """Return the home state in a result that includes that of ``home_state_queries``."""
    state: Document = next((row["state"] for row in union.having("state")), {})
    return HomeState(
        position=state.get("position"),
        has_unseen_older=state.get("has_unseen_older", False),
        followed_tags=state.get("followed_tags", []),
        filters=filters.filters_in(state),
        hidden_kinds=state.get("hidden_kinds", []),
        large_authors=[row["large_author"] for row in union.having("large_author")],
        hides_suggestions=state.get("hides_suggestions", False),
    )


@dataclass(frozen=True, slots=True)
class HomePosition:
    """A reading position. ``version`` is the number of times that the position has moved."""

    position: int
    version: int
    moved_at: datetime


def home_position(*, viewer: int) -> HomePosition | None:
    """Return the viewer's reading position, or None before the first visit."""
    fields = {"position": 1, "position_version": 1, "position_at": 1}
    document = home_states().find_one({"_id": viewer}, fields) or {}
    if "position" not in document:
        return None
    position = document["position"]
    stored_at = document.get("position_at")
    moved_at = time_of(id=position) if stored_at is None else stored_at.replace(tzinfo=UTC)
    return HomePosition(position, document.get("position_version", 0), moved_at)


def advance_position(*, viewer: int, position: int, now: datetime) -> None:
    """Move the reading position up to ``position``. Change nothing if it is already higher."""
    is_further = {"$gt": [position, {"$ifNull": ["$position", -1]}]}
    next_version = {"$add": [{"$ifNull": ["$position_version", 0]}, 1]}
    change = [
        {
            "$set": {
                "position": {"$max": ["$position", position]},
                "position_version": {"$cond": [is_further, next_version, "$position_version"]},
                "position_at": {"$cond": [is_further, now, "$position_at"]},
                "has_unseen_older": {"$cond": [is_further, False, "$has_unseen_older"]},
            }
        }
    ]
    upsert(collection=home_states(), query={"_id": viewer}, change=change)


def mark_unseen_older(*, viewer: int) -> None:
    """Record that posts were added below the viewer's reading position. Safe to repeat."""
    has_position = {"_id": viewer, "position": {"$exists": True}}
    home_states().update_one(has_position, {"$set": {"has_unseen_older": True}})


def hide_suggestions(*, viewer: int) -> None:
    """Hide suggestions of people in the home timeline for good. Safe to repeat."""
    change = {"$set": {"hides_suggestions": True}}
    upsert(collection=home_states(), query={"_id": viewer}, change=change)


def followed_tags(*, viewer: int) -> list[str]:
    """Return the hashtags that the viewer follows, the first followed hashtag first."""
    document = home_states().find_one({"_id": viewer}, {"followed_tags": 1})
    return list(document.get("followed_tags", ())) if document else []


def follow_tag(*, viewer: int, tag: str, limit: int) -> bool:
    """Follow a hashtag. Return False if the viewer already follows ``limit`` others. Safe to repeat."""
    room = {
        "_id": viewer,
        "followed_tags": {"$ne": tag},
        f"followed_tags.{limit - 1}": {"$exists": False},
    }
    change = {"$push": {"followed_tags": tag}, "$set": {"has_unseen_older": True}}
    is_followed = upsert(collection=home_states(), query=room, change=change)
    return is_followed or tag in followed_tags(viewer=viewer)


def unfollow_tag(*, viewer: int, tag: str) -> None:
    home_states().update_one({"_id": viewer}, {"$pull": {"followed_tags": tag}})


def add_merged_post(*, author: int, post: int) -> None:
    """Record a post that is merged on read. Safe to repeat.

    Call this before the post is inserted. Otherwise no home page would show the post if the process dies.
    """
    for collection, document in (
        (large_authors(), {"_id": author}),
        (merged_posts(), {"author": author, "post": post}),
    ):
        with suppress(DuplicateKeyError):
            collection.update_one(document, {"$setOnInsert": document}, upsert=True)


def remove_merged_post(*, author: int, post: int) -> None:
    merged_posts().delete_one({"author": author, "post": post})
