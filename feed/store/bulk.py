"""Queries for many posts at once. Imports and the demo use these queries."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import UpdateOne
from pymongo.collection import Collection

from accounts.infra.store.connection import Document

from . import comment_rows, likes, post_counters
from .collections import (
    answer_buckets,
    comment_buckets,
    demo_specs,
    like_buckets,
    posts,
    revisions,
    shares,
    tags,
)
from .comment_rows import NewComment
from .revisions import Revision, revision_document
from .shares import Share, share_document


@dataclass(frozen=True, slots=True)
class Discussion:
    """All likes and comments of a post, oldest first.

    Attributes:
        likers: uids.
        comments: ``(comment_id, comment)``, including replies. None of the replies is limited.
    """

    likers: Sequence[int]
    comments: Sequence[tuple[int, NewComment]]

    def post_counters(self) -> dict[str, Any]:
        """Return the fields of the post that ``post_counters`` maintains."""
        counted = [row for row in self.comments if not row[1].is_limited]
        top_level = [row for row in counted if not row[1].thread_id]
        return {
            "likes": len(self.likers),
            "comments": len(counted),
            "newest_likers": list(self.likers[-post_counters.NEWEST_COUNT :]),
            "newest_comments": [
                post_counters.comment_excerpt(comment_id, comment)
                for comment_id, comment in top_level[-post_counters.NEWEST_COUNT :]
            ],
        }


def replace_discussions(*, discussions: Mapping[int, Discussion]) -> None:
    """Replace all likes and comments of these posts."""
    new_like_buckets = [
        {"post": post, "seq": seq, "uids": list(uids), "n": len(uids)}
        for post, discussion in discussions.items()
        for seq, uids in enumerate(_split(discussion.likers, likes.CAPACITY))
    ]
    new_comment_buckets = [
        {"post": post, "thread": thread, "seq": seq, "comments": list(part), "n": len(part)}
        for post, discussion in discussions.items()
        for thread, elements in _elements_by_thread(discussion).items()
        for seq, part in enumerate(_split(elements, comment_rows.CAPACITY))
    ]
    _replace(like_buckets(), new_like_buckets, key="post", values=list(discussions))
    _replace(comment_buckets(), new_comment_buckets, key="post", values=list(discussions))


def replace_votes(*, voters: Mapping[int, Sequence[Sequence[int]]]) -> None:
    """Replace all votes in polls with a single choice. ``voters``: for each poll, the uids by choice."""
    new_buckets = [
        {"post": post, "choices": 1 << number, "seq": seq, "uids": list(uids), "n": len(uids)}
        for post, uids_by_choice in voters.items()
        for number, choice_uids in enumerate(uids_by_choice)
        for seq, uids in enumerate(_split(choice_uids, likes.CAPACITY))
    ]
    _replace(answer_buckets(), new_buckets, key="post", values=list(voters))


def replace_shares(*, new_shares: Sequence[Share]) -> None:
    """Write shares, whose posts and counters the caller writes. Safe to repeat."""
    _replace(shares(), [share_document(share=share) for share in new_shares])


def replace_revisions(*, new_revisions: Mapping[int, Revision]) -> None:
    """Write the earlier version of each post. Safe to repeat."""
    documents = [
        revision_document(post=post, revision=revision) for post, revision in new_revisions.items()
    ]
    _replace(revisions(), documents)


def _replace(
    collection: Collection[Document],
    documents: Sequence[Document],
    *,
    key: str = "_id",
    values: list[int] | None = None,
) -> None:
    """Replace the documents whose ``key`` is one of ``values``, by default those with the same ids."""
    replaced = [document["_id"] for document in documents] if values is None else values
    collection.delete_many({key: {"$in": replaced}})
    if documents:
        collection.insert_many(documents)


def add_old_tags(*, newest: Mapping[str, int]) -> None:
    """Record hashtags with their newest posts. Leave ``stats`` unchanged: old posts must not trend."""
    if newest:
        tags().bulk_write(
            [
                UpdateOne({"_id": tag}, {"$max": {"newest": post}}, upsert=True)
                for tag, post in newest.items()
            ],
            ordered=False,
        )


def _elements_by_thread(discussion: Discussion) -> dict[int, list[Document]]:
    reply_counts = Counter(comment.thread_id for _, comment in discussion.comments)
    threads: dict[int, list[Document]] = {}
    for comment_id, comment in discussion.comments:
        element = comment_rows.comment_element(
            id=comment_id,
            comment=comment,
            replies=0 if comment.thread_id else reply_counts[comment_id],
        )
        threads.setdefault(comment.thread_id, []).append(element)
    return threads


def _split(elements: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [elements[start : start + size] for start in range(0, len(elements), size)]


def pending_ids(*, ids: Sequence[int]) -> set[int]:
    """Return the ids of the posts whose delivery is pending."""
    pending = {"_id": {"$in": list(ids)}, "delivery_state": "pending"}
    return {document["_id"] for document in posts().find(pending, {"_id": 1})}


def finish_deliveries(*, ids: Sequence[int], at: datetime) -> None:
    """Mark the deliveries of these posts as done."""
    done = {"delivery_state": "done", "delivery_due_at": at}
    posts().update_many({"_id": {"$in": list(ids)}}, {"$set": done})


def unfinished_demo() -> Document | None:
    """Return the spec of a demo that was started but not finished, or None."""
    return demo_specs().find_one({"_id": "demo", "finished_at": None})


def begin_demo(*, spec: Document) -> None:
    demo_specs().replace_one({"_id": "demo"}, {**spec, "finished_at": None}, upsert=True)


def finish_demo(*, at: datetime) -> None:
    demo_specs().update_one({"_id": "demo"}, {"$set": {"finished_at": at}})
