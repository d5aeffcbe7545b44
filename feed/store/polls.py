"""Votes in polls, in buckets of up to 500 users who made the same choices.

    vote_buckets {post, choices, seq, uids: [<= 500], n}

``choices`` is a bit mask: the choices with the numbers 0 and 2 are 0b101. (post, choices, seq) is unique.
``n`` is the length of ``uids``. (post, uids) is unique where n > 0, so a user cannot vote twice, whatever
the choices. As in ``likes``, the condition is needed because two empty buckets would collide.

The numbers of votes are in the post (``feed.poll_details``), written in the same transaction.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any

from pymongo import ASCENDING

from accounts.infra.store import continuation
from accounts.infra.store.connection import Document, session
from accounts.infra.store.unions import Query

from .collections import posts, vote_buckets

CAPACITY = 500
NON_EMPTY: Document = {"n": {"$gt": 0}}
PENDING_END: Document = {"details.is_end_pending": True, "hidden": ""}
"""The condition of polls whose voters are not notified yet. Hidden posts wait until they are restored."""


class AlreadyVoted(Exception):
    """The user has already voted. The transaction is aborted."""


def create_indexes() -> None:
    continuation.create_indexes(collection=vote_buckets(), owner_fields=("post", "choices"))
    vote_buckets().create_index(
        [("post", ASCENDING), ("uids", ASCENDING)], unique=True, partialFilterExpression=NON_EMPTY
    )
    vote_buckets().create_index([("uids", ASCENDING), ("post", ASCENDING)])
    posts().create_index(
        [("details.ends_at", ASCENDING)],
        partialFilterExpression={"details.is_end_pending": True},
        name="poll_pending_end",
    )


def choices_mask(numbers: Collection[int]) -> int:
    """Return the bit mask of these choices, which are numbered from 0."""
    return sum(1 << number for number in set(numbers))


def numbers_in(*, mask: int) -> tuple[int, ...]:
    """Return the numbers of the choices in a bit mask, in ascending order."""
    return tuple(number for number in range(mask.bit_length()) if mask >> number & 1)


def add_vote(*, post: int, uid: int, choices: int) -> None:
    """Add a vote. Raises AlreadyVoted. Only inside a transaction.

    A separate query for an earlier vote is not needed: the unique index refuses a second one.
    """
    try:
        continuation.append_element(
            collection=vote_buckets(),
            owner={"post": post, "choices": choices},
            array_field="uids",
            element=uid,
            capacity=CAPACITY,
            session=session(),
            is_unique=True,
        )
    except continuation.ElementExists:
        raise AlreadyVoted from None


def count_vote(*, post: int, choices: int, texts: Sequence[str], now: datetime) -> bool:
    """Count a vote in the post. Only inside a transaction.

    Return False if the poll has ended, is hidden or no longer has the choices ``texts``.
    """
    is_open: Document = {
        "kind": "poll",
        "hidden": "",
        "details.choices": list(texts),
        "details.ends_at": {"$gt": now.timestamp()},
    }
    if len(numbers_in(mask=choices)) > 1:
        is_open["details.is_multiple"] = True  # an edit may just have changed it
    counted = posts().update_one(
        {"_id": post, **is_open}, {"$inc": _increments(choices, 1)}, session=session()
    )
    return bool(counted.matched_count)


def remove_vote(*, post: int, uid: int) -> bool:
    """Remove a user's vote and its count. Return False if there is none. Only inside a transaction."""
    bucket = vote_buckets().find_one_and_update(
        {"post": post, "uids": uid, **NON_EMPTY},
        {"$pull": {"uids": uid}, "$inc": {"n": -1}},
        projection={"choices": 1},
        session=session(),
    )
    if bucket is None:
        return False
    posts().update_one(
        {"_id": post, "kind": "poll"},
        {"$inc": _increments(bucket["choices"], -1)},
        session=session(),
    )
    return True


def _increments(choices: int, change: int) -> dict[str, int]:
    counts = {f"details.counts.{number}": change for number in numbers_in(mask=choices)}
    return {"details.voters": change, **counts}


def votes_query(*, viewer: int, posts: Collection[int]) -> Query:
    """Return the query for the viewer's votes in these polls: ``{voted: post, choices}``."""
    own_votes = {"post": {"$in": list(posts)}, "uids": viewer, **NON_EMPTY}
    return (
        vote_buckets().name,
        [{"$match": own_votes}, {"$project": {"_id": 0, "voted": "$post", "choices": 1}}],
    )


def voter_batches(*, post: int) -> Iterator[list[int]]:
    """Yield lists of up to ``CAPACITY`` uids of the users who voted."""
    for bucket in vote_buckets().find({"post": post, **NON_EMPTY}, {"uids": 1}):
        yield bucket["uids"]


def votes_of(*, uid: int, cursor: Any, limit: int) -> tuple[list[tuple[int, int]], Any]:
    """Return ``(post, choices)`` of a user's next votes, in the order of posts, and the next cursor.

    The cursor is None at first and after the last page. One command.
    """
    query = {"uids": uid, "post": {"$gt": cursor or 0}}
    buckets = vote_buckets().find(query, {"post": 1, "choices": 1})
    votes = [
        (bucket["post"], bucket["choices"])
        for bucket in buckets.sort("post", ASCENDING).limit(limit)
    ]
    return votes, votes[-1][0] if len(votes) == limit else None


def delete_votes_of(*, posts: Collection[int]) -> None:
    vote_buckets().delete_many({"post": {"$in": list(posts)}}, session=session())


def ended_ids(*, now: datetime, limit: int) -> list[int]:
    """Return the ids of polls that have ended and whose voters are not notified yet. One command."""
    ended = {**PENDING_END, "details.ends_at": {"$lte": now.timestamp()}}
    documents = posts().find(ended, {"_id": 1}).sort("details.ends_at", ASCENDING).limit(limit)
    return [document["_id"] for document in documents]


def ended_poll(*, post: int, now: datetime) -> tuple[int, int] | None:
    """Return the author and the end of a poll whose voters are not notified yet, otherwise None."""
    ended = {"_id": post, **PENDING_END, "details.ends_at": {"$lte": now.timestamp()}}
    document = posts().find_one(ended, {"author_id": 1, "details.ends_at": 1})
    if document is None:
        return None
    return document["author_id"], document["details"]["ends_at"]


def finish_end(*, post: int, ends_at: int) -> None:
    """Record that the voters are notified, unless the author has meanwhile changed the end of the poll."""
    posts().update_one(
        {"_id": post, "details.ends_at": ends_at}, {"$set": {"details.is_end_pending": False}}
    )
