"""Answers to posts, such as votes in polls, in buckets of up to 500 users with the same choices.

    answer_buckets {post, choices, seq, uids: [<= 500], n}

``choices`` is a bit mask: the choices with the numbers 0 and 2 are 0b101. (post, choices, seq) is unique.
``n`` is the length of ``uids``. (post, uids) is unique where n > 0, so a user cannot answer twice, whatever
the choices. As in ``likes``, the condition is needed because two empty buckets would collide.

The numbers of answers are in the post (``Activity.takes_answers``), written in the same transaction.
Answers that are set aside are not counted, as in ``likes``.
"""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

from pymongo import ASCENDING

from accounts.infra.ids import new_id
from accounts.infra.store.connection import Document, session
from accounts.infra.store.unions import Query
from feed.activities import Details, numbers_in

from .collections import answer_buckets, posts
from .likes import NON_EMPTY, add_uid, create_uid_indexes, remove_uid

PENDING_END: Document = {"details.is_end_pending": True, "hidden": ""}
"""The condition of posts whose voters are not notified yet. Hidden posts wait until they are restored."""


def create_indexes() -> None:
    create_uid_indexes(buckets=answer_buckets(), owner_fields=("post", "choices"))
    posts().create_index(
        [("details.ends_at", ASCENDING)],
        partialFilterExpression={"details.is_end_pending": True},
        name="poll_pending_end",
    )


def add_answer(*, post: int, uid: int, choices: int, is_counted: bool) -> None:
    """Add an answer, or set it aside. Raises AlreadyAdded. Only inside a transaction."""
    owner = {"post": post, "choices": choices}
    add_uid(buckets=answer_buckets(), owner=owner, uid=uid, is_counted=is_counted)


def count_answer(*, post: int, kind: str, choices: int, unchanged: Details, now: datetime) -> bool:
    """Count an answer in the post, except ``choices`` 0. Only inside a transaction.

    Return False if the post takes no more answers, is hidden or no longer has the details ``unchanged``.
    """
    is_open: Document = {"kind": kind, "hidden": "", "details.ends_at": {"$gt": now.timestamp()}}
    is_open |= {f"details.{name}": value for name, value in unchanged.items()}
    touch = {"$set": {"edited_comment": new_id()}}  # as in ``post_counters``
    change = {"$inc": _increments(choices, 1)} if choices else touch
    counted = posts().update_one({"_id": post, **is_open}, change, session=session())
    return bool(counted.matched_count)


def remove_answer(*, post: int, uid: int) -> int | None:
    """Remove a user's answer and its count. Return its choices, or None. Only inside a transaction."""
    bucket = remove_uid(buckets=answer_buckets(), post=post, uid=uid)
    if bucket is None:
        return None
    if bucket["seq"] >= 0:
        change_counts(post=post, choices=bucket["choices"], change=-1)
    return int(bucket["choices"])


def change_counts(*, post: int, choices: int, change: int) -> None:
    posts().update_one({"_id": post}, {"$inc": _increments(choices, change)}, session=session())


def _increments(choices: int, change: int) -> dict[str, int]:
    counts = {f"details.counts.{number}": change for number in numbers_in(choices)}
    return {"details.voters": change, **counts}


def answers_query(*, viewer: int, posts: Collection[int]) -> Query:
    """Return the query for the viewer's answers to these posts: ``{answered: post, choices}``."""
    own_answers = {"post": {"$in": list(posts)}, "uids": viewer, **NON_EMPTY}
    return (
        answer_buckets().name,
        [{"$match": own_answers}, {"$project": {"_id": 0, "answered": "$post", "choices": 1}}],
    )


def voter_batches(*, post: int) -> Iterator[list[int]]:
    """Yield lists of up to ``likes.CAPACITY`` uids of the users who answered."""
    for bucket in answer_buckets().find({"post": post, **NON_EMPTY}, {"uids": 1}):
        yield bucket["uids"]


def answers_of(*, uid: int, cursor: Any, limit: int) -> tuple[list[tuple[int, int]], Any]:
    """Return ``(post, choices)`` of a user's next answers, in the order of posts, and the next cursor.

    The cursor is None at first and after the last page. One command.
    """
    query = {"uids": uid, "post": {"$gt": cursor or 0}}
    buckets = answer_buckets().find(query, {"post": 1, "choices": 1})
    answers = [
        (bucket["post"], bucket["choices"])
        for bucket in buckets.sort("post", ASCENDING).limit(limit)
    ]
    return answers, answers[-1][0] if len(answers) == limit else None


def delete_answers_of(*, posts: Collection[int]) -> None:
    answer_buckets().delete_many({"post": {"$in": list(posts)}}, session=session())


def ended_ids(*, now: datetime, limit: int) -> list[int]:
    """Return the ids of posts that have ended and whose voters are not notified yet. One command."""
    ended = {**PENDING_END, "details.ends_at": {"$lte": now.timestamp()}}
    documents = posts().find(ended, {"_id": 1}).sort("details.ends_at", ASCENDING).limit(limit)
    return [document["_id"] for document in documents]


def ended_post(*, post: int, now: datetime) -> tuple[int, int] | None:
    """Return the author and the end of a post whose voters are not notified yet, otherwise None."""
    ended = {"_id": post, **PENDING_END, "details.ends_at": {"$lte": now.timestamp()}}
    document = posts().find_one(ended, {"author_id": 1, "details.ends_at": 1})
    if document is None:
        return None
    return document["author_id"], document["details"]["ends_at"]


def finish_end(*, post: int, ends_at: int) -> None:
    """Record that the voters are notified, unless the author has meanwhile changed the end."""
    posts().update_one(
        {"_id": post, "details.ends_at": ends_at}, {"$set": {"details.is_end_pending": False}}
    )
