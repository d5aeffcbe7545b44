"""What is active now: rankings of the newest public posts, their authors and their links.

Each ranking examines at most ``MAX_EXAMINED`` posts, with one command. Callers cache the result.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from pymongo import DESCENDING

from accounts.infra.store.connection import Document

from .collections import posts
from .post_rows import NO_LATE_IMPORTS

MAX_EXAMINED = 5000
"""Maximum number of newest public posts that a ranking examines."""

HALF_LIFE = timedelta(hours=12)
"""The score of a post halves after this time."""


@dataclass(frozen=True, slots=True)
class LinkedPost:
    """A post with links. ``url`` is the address of a link post, otherwise ""."""

    author: int
    text: str
    url: str


def most_active_posts(
    *, above: int, kinds: Collection[str], min_interactions: int, limit: int, now: datetime
) -> list[tuple[int, int]]:
    """Return ``(post_id, author)`` of the posts with the highest score, best first.

    The score is the number of likes, shares and comments, halved for each ``HALF_LIFE`` of the post's age.
    Comments count at most as much as likes and shares, because few users can write many comments.

    Args:
        above: only posts with higher ids are examined.
        min_interactions: minimum number of likes and shares.
    """
    interactions: Document = {"$add": ["$likes", "$shares"]}
    half_lives = {
        "$divide": [{"$subtract": ["$created_at", now]}, HALF_LIFE / timedelta(milliseconds=1)]
    }
    documents = posts().aggregate(
        [
            *_newest(above, kinds),
            {
                "$project": {
                    "author_id": 1,
                    "interactions": interactions,
                    "score": {
                        "$multiply": [
                            {"$add": [interactions, {"$min": ["$comments", interactions]}]},
                            {"$pow": [2, half_lives]},
                        ]
                    },
                }
            },
            {"$match": {"interactions": {"$gte": min_interactions}}},
            {"$sort": {"score": DESCENDING, "_id": DESCENDING}},
            {"$limit": limit},
        ]
    )
    return [(document["_id"], document["author_id"]) for document in documents]


def active_authors(*, above: int, kinds: Collection[str], limit: int) -> list[tuple[int, int, int]]:
    """Return ``(author, posts, interactions)`` of the authors with the most interactions, best first."""
    interactions = {"$add": ["$likes", "$shares", "$comments"]}
    documents = posts().aggregate(
        [
            *_newest(above, kinds),
            {
                "$group": {
                    "_id": "$author_id",
                    "posts": {"$sum": 1},
                    "interactions": {"$sum": interactions},
                }
            },
            {"$sort": {"interactions": DESCENDING, "posts": DESCENDING, "_id": DESCENDING}},
            {"$limit": limit},
        ]
    )
    return [
        (document["_id"], document["posts"], document["interactions"]) for document in documents
    ]


def newest_linked_posts(*, above: int, kinds: Collection[str], limit: int) -> list[LinkedPost]:
    """Return the newest posts with links, newest first."""
    documents = posts().aggregate(
        [
            *_newest(above, kinds),
            {"$match": {"attributes.kind": "host"}},
            {"$limit": limit},
            {"$project": {"author_id": 1, "text": 1, "url": "$details.url"}},
        ],
        batchSize=limit + 1,
    )
    return [
        LinkedPost(document["author_id"], document["text"], document.get("url") or "")
        for document in documents
    ]


def _newest(above: int, kinds: Collection[str]) -> list[Document]:
    """Return the stages that read the newest public posts of these kinds."""
    query = {
        "visibility": "public",
        "share_of": None,
        "kind": {"$in": list(kinds)},
        "hidden": "",
        "_id": {"$gt": above},
        **NO_LATE_IMPORTS,
    }
    return [{"$match": query}, {"$sort": {"_id": DESCENDING}}, {"$limit": MAX_EXAMINED}]
