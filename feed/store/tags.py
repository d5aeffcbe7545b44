"""Which hashtags there are, and how many people use them by the hour.

    tags         {_id: tag, newest: post id}        those of public posts
    tag_authors  {tag, author, post, at}            unique (tag, author); kept for a day

One person counts once a day for a tag, however much they write: ``tag_authors`` says who has been counted,
for which post and when. The numbers are in ``stats``, with the tag and its sign as the subject.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from pymongo import ASCENDING, DESCENDING, InsertOne, UpdateOne
from pymongo.errors import BulkWriteError

from accounts.infra.store.connection import Document
from accounts.infra.transactions import duplicate_key_indexes

from . import attributes, stats
from .collections import stat_hours, tag_authors, tags
from .post_rows import IdRange

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
METRIC = "authors"
HALF_LIFE_HOURS = 6
"""After so many hours, a use of a tag counts half."""

RECENT_PERIOD, COMPARED_PERIOD = timedelta(hours=24), timedelta(days=7)
MAX_HOURS_READ = 50_000
"""Of the newest hours of tags so many are read, however many tags there are."""

MAX_CANDIDATES = 500
MIN_SCORE = 0.05
MAX_LISTED = 500
LAST_CHARACTER = "\U0010ffff"


def create_indexes() -> None:
    tag_authors().create_index([("tag", ASCENDING), ("author", ASCENDING)], unique=True)
    tag_authors().create_index([("at", ASCENDING)], expireAfterSeconds=int(DAY.total_seconds()))


def count_tags(*, post: int, author: int, hashtags: Sequence[str], at: datetime) -> None:
    """A public post has these tags now. Safe to repeat."""
    seen = [UpdateOne({"_id": tag}, {"$max": {"newest": post}}, upsert=True) for tag in hashtags]
    tags().bulk_write(seen, ordered=False)
    if counted := _not_counted_before(post, author, hashtags, at):
        stats.add_counts(counts={(subject(tag), METRIC, at): 1 for tag in counted})


def uncount_tags(*, post: int, author: int, hashtags: Sequence[str]) -> None:
    """A public post with these tags is gone, or has them no more. Safe to repeat."""
    for tag in hashtags:
        counted = tag_authors().find_one_and_delete({"tag": tag, "author": author, "post": post})
        if counted is not None:
            stats.add_counts(counts={(subject(tag), METRIC, counted["at"]): -1})
        # A post that comes meanwhile is newer, and then nothing is changed.
        this = {"_id": tag, "newest": post}
        if left := attributes.posts_about(kind="hashtag", value=tag, id_range=IdRange(), limit=1):
            tags().update_one(this, {"$set": {"newest": left[0].id}})
        else:
            tags().delete_one(this)


def tags_with_prefix(*, prefix: str, limit: int) -> list[tuple[str, int]]:
    """(tag, newest post) of those that begin so, the one used last first; but for the first ``LISTED``
    by the alphabet, none."""
    found = tags().aggregate(
        [
            {"$match": {"_id": {"$gte": prefix, "$lt": prefix + LAST_CHARACTER}}},
            {"$sort": {"_id": ASCENDING}},
            {"$limit": MAX_LISTED},
            {"$sort": {"newest": DESCENDING}},
            {"$limit": limit},
        ]
    )
    return [(document["_id"], document["newest"]) for document in found]


def trending_tags(*, now: datetime, min_authors: int, limit: int) -> list[tuple[str, int]]:
    """Return (tag, people of the last 24 hours) of the tags whose use rises most. Two commands.

    A tag is measured against its own past: ``recent`` is its use in the last 24 hours, of which each hour
    counts half as much as one six hours later; ``expected`` is what the same sum would be if the six days
    before went on. The score is ``(recent - expected) / sqrt(expected + 1)``, the difference in standard
    deviations of a Poisson process. A tag trends while its score is at least ``LEAST_SCORE``.
    """
    this_hour = stats.start_of_hour(now)
    first = this_hour - RECENT_PERIOD + HOUR
    rows = stat_hours().aggregate(
        [
            {"$match": {"metric": METRIC, "hour": {"$gte": first}}},
            {"$sort": {"hour": DESCENDING}},
            {"$limit": MAX_HOURS_READ},
            {"$group": {"_id": "$subject", "people": {"$sum": "$total"}}},
            {"$match": {"people": {"$gte": min_authors}}},
            {"$sort": {"people": DESCENDING, "_id": ASCENDING}},
            {"$limit": MAX_CANDIDATES},
        ]
    )
    people = {row["_id"]: row["people"] for row in rows}
    if not people:
        return []
    hours = stats.by_subject_and_hour(
        subjects=list(people), metric=METRIC, since=this_hour - COMPARED_PERIOD + HOUR
    )
    scores = {tag: _score(hours.get(tag, {}), this_hour) for tag in people}
    rising = [tag for tag in people if scores[tag] >= MIN_SCORE]
    rising.sort(key=lambda tag: (-scores[tag], tag))
    return [(str(tag)[1:], people[tag]) for tag in rising[:limit]]


def subject(tag: str) -> str:
    return f"#{tag}"


def _score(hours: Mapping[datetime, int], this_hour: datetime) -> float:
    weights = [2 ** (-age / HALF_LIFE_HOURS) for age in range(RECENT_PERIOD // HOUR)]
    recent = sum(
        weight * hours.get(this_hour - age * HOUR, 0) for age, weight in enumerate(weights)
    )
    past = sum(number for hour, number in hours.items() if hour <= this_hour - RECENT_PERIOD)
    expected = max(0, past) / ((COMPARED_PERIOD - RECENT_PERIOD) // HOUR) * sum(weights)
    return float((recent - expected) / math.sqrt(expected + 1))


def _not_counted_before(
    post: int, author: int, found: Sequence[str], at: datetime
) -> Sequence[str]:
    """For which of these tags this is the author's first post of the day."""
    facts: list[Document] = [
        {"tag": tag, "author": author, "post": post, "at": at} for tag in found
    ]
    try:
        tag_authors().bulk_write([InsertOne(fact) for fact in facts], ordered=False)
    except BulkWriteError as error:
        there = duplicate_key_indexes(error)
        return [tag for position, tag in enumerate(found) if position not in there]
    return found
