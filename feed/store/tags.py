"""Hashtags, and the number of authors who use each hashtag per hour.

    tags         {_id: tag, newest: post id}        tags of public posts
    tag_authors  {tag, author, post, at}            unique (tag, author); expires after a day

Each author counts once per day and hashtag, so that one author cannot make a hashtag trend. ``tag_authors``
records which post was counted. The numbers are in ``stats``, with ``#`` and the hashtag as the subject.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from pymongo import ASCENDING, DESCENDING, InsertOne, UpdateOne
from pymongo.errors import BulkWriteError

from accounts.infra.ids import time_of
from accounts.infra.store.connection import Document
from accounts.infra.transactions import duplicate_key_indexes

from . import attributes, stats
from .collections import stat_hours, tag_authors, tags
from .post_rows import IdRange

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
METRIC = "authors"
HALF_LIFE_HOURS = 6
"""In trends, a use of a hashtag counts half as much as a use this many hours later."""

RECENT_PERIOD, COMPARED_PERIOD = timedelta(hours=24), timedelta(days=7)
MAX_HOURS_READ = 50_000
"""Maximum number of hour documents that ``trending_tags`` reads, newest first."""

MAX_CANDIDATES = 500
MIN_SCORE = 0.05
MAX_LISTED = 500
LAST_CHARACTER = "\U0010ffff"


def create_indexes() -> None:
    tag_authors().create_index([("tag", ASCENDING), ("author", ASCENDING)], unique=True)
    tag_authors().create_index([("at", ASCENDING)], expireAfterSeconds=int(DAY.total_seconds()))


def count_tags(*, post: int, author: int, hashtags: Sequence[str], at: datetime) -> None:
    """Count the hashtags of a new or edited public post. Safe to repeat."""
    updates = [UpdateOne({"_id": tag}, {"$max": {"newest": post}}, upsert=True) for tag in hashtags]
    tags().bulk_write(updates, ordered=False)
    _count_author(post, author, hashtags, at)


def uncount_tags(*, post: int, author: int, hashtags: Sequence[str]) -> None:
    """Undo ``count_tags`` for a deleted post or removed hashtags. Safe to repeat.

    If the author used a hashtag in another post of the last day, that post counts instead.
    """
    for tag in hashtags:
        counted = tag_authors().find_one_and_delete({"tag": tag, "author": author, "post": post})
        if counted is not None:
            stats.add_counts(counts={(subject(tag), METRIC, counted["at"]): -1})
            since = datetime.now(UTC) - DAY
            other = attributes.first_counted_post(
                author=author, tag=tag, since=since, other_than=post
            )
            if other is not None:
                _count_author(other, author, [tag], time_of(id=other))
        # ``unchanged`` does not match if a newer post has the tag. In this case ``newest`` must stay.
        unchanged = {"_id": tag, "newest": post}
        if newest := attributes.posts_about(kind="hashtag", value=tag, id_range=IdRange(), limit=1):
            tags().update_one(unchanged, {"$set": {"newest": newest[0].id}})
        else:
            tags().delete_one(unchanged)


def tags_with_prefix(*, prefix: str, limit: int) -> list[tuple[str, int]]:
    """Return ``(tag, newest_post_id)`` of the hashtags with a prefix, most recently used first.

    Only the first ``MAX_LISTED`` hashtags in alphabetical order are considered. One command.
    """
    documents = tags().aggregate(
        [
            {"$match": {"_id": {"$gte": prefix, "$lt": prefix + LAST_CHARACTER}}},
            {"$sort": {"_id": ASCENDING}},
            {"$limit": MAX_LISTED},
            {"$sort": {"newest": DESCENDING}},
            {"$limit": limit},
        ]
    )
    return [(document["_id"], document["newest"]) for document in documents]


def trending_tags(*, now: datetime, min_authors: int, limit: int) -> list[tuple[str, int]]:
    """Return ``(tag, author_count)`` of the hashtags whose use rises most. Two commands.

    ``author_count`` is the number of authors in the last 24 hours. ``recent`` is the weighted sum of
    authors in the last 24 hours, in which each hour counts half as much as the hour ``HALF_LIFE_HOURS``
    later. ``expected`` is the value that ``recent`` would have at the average rate of the six days before.
    The score is ``(recent - expected) / sqrt(expected + 1)``, the difference in standard deviations of a
    Poisson process. Hashtags below ``MIN_SCORE`` are left out.
    """
    this_hour = stats.start_of_hour(now)
    first = this_hour - RECENT_PERIOD + HOUR
    rows = stat_hours().aggregate(_authors_since(first, min_authors, MAX_CANDIDATES))
    authors = {row["_id"]: row["authors"] for row in rows}
    if not authors:
        return []
    hours = stats.by_subject_and_hour(
        subjects=list(authors), metric=METRIC, since=this_hour - COMPARED_PERIOD + HOUR
    )
    scores = {tag: _score(hours.get(tag, {}), this_hour) for tag in authors}
    rising = [tag for tag in authors if scores[tag] >= MIN_SCORE]
    rising.sort(key=lambda tag: (-scores[tag], tag))
    return [(str(tag)[1:], authors[tag]) for tag in rising[:limit]]


def most_used_tags(*, now: datetime, min_authors: int, limit: int) -> list[tuple[str, int]]:
    """Return ``(tag, number)`` of the hashtags with most authors in the last week. One command.

    ``number`` counts an author once for each day with the hashtag.
    """
    first = stats.start_of_hour(now) - COMPARED_PERIOD + HOUR
    rows = stat_hours().aggregate(_authors_since(first, min_authors, limit))
    return [(str(row["_id"])[1:], row["authors"]) for row in rows]


def _authors_since(first: datetime, min_authors: int, limit: int) -> list[Document]:
    """Return the pipeline that counts authors by hashtag since the hour ``first``, most authors first."""
    return [
        {"$match": {"metric": METRIC, "hour": {"$gte": first}}},
        {"$sort": {"hour": DESCENDING}},
        {"$limit": MAX_HOURS_READ},
        {"$group": {"_id": "$subject", "authors": {"$sum": "$total"}}},
        {"$match": {"authors": {"$gte": min_authors}}},
        {"$sort": {"authors": DESCENDING, "_id": ASCENDING}},
        {"$limit": limit},
    ]


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


def _count_author(post: int, author: int, hashtags: Sequence[str], at: datetime) -> None:
    if counted := _not_counted_before(post, author, hashtags, at):
        stats.add_counts(counts={(subject(tag), METRIC, at): 1 for tag in counted})


def _not_counted_before(
    post: int, author: int, hashtags: Sequence[str], at: datetime
) -> Sequence[str]:
    """Record the author for these hashtags. Return the hashtags that had no record of the author."""
    documents: list[Document] = [
        {"tag": tag, "author": author, "post": post, "at": at} for tag in hashtags
    ]
    try:
        tag_authors().bulk_write([InsertOne(document) for document in documents], ordered=False)
    except BulkWriteError as error:
        counted_before = duplicate_key_indexes(error)
        return [tag for index, tag in enumerate(hashtags) if index not in counted_before]
    return hashtags
