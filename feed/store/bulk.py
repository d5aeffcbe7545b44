"""What imports and the demo ask for about many readers or posts at once."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import UpdateOne

from accounts.infra.store.connection import Document

from . import comments, likes, post_counters
from .collections import comment_buckets, demo_specs, like_buckets, posts, tags
from .comments import NewComment


@dataclass(frozen=True, slots=True)
class Discussion:
    """All likes of a post, and all comments on it with their ids; of each the oldest first."""

    likers: Sequence[int]
    comments: Sequence[tuple[int, NewComment]]

    def post_counters(self) -> dict[str, Any]:
        """What the post tells of it, as ``tallies`` keep it."""
        newest = [comment for comment in self.comments if not comment[1].thread_id][
            -post_counters.NEWEST_COUNT :
        ]
        return {
            "likes": len(self.likers),
            "comments": len(self.comments),
            "newest_likers": list(self.likers[-post_counters.NEWEST_COUNT :]),
            "newest_comments": [
                post_counters.comment_excerpt(key, one.uid, one.text) for key, one in newest
            ],
        }


def replace_discussions(*, discussions: Mapping[int, Discussion]) -> None:
    """All likes and comments of these posts, in place of any that are there."""
    of_likes = [
        {"post": post, "seq": seq, "uids": list(uids), "n": len(uids)}
        for post, talk in discussions.items()
        for seq, uids in enumerate(_cut(talk.likers, likes.CAPACITY))
    ]
    of_comments = [
        {"post": post, "thread": thread, "seq": seq, "comments": list(items), "n": len(items)}
        for post, talk in discussions.items()
        for thread, said in _threads(talk).items()
        for seq, items in enumerate(_cut(said, comments.CAPACITY))
    ]
    for collection, buckets in ((like_buckets(), of_likes), (comment_buckets(), of_comments)):
        collection.delete_many({"post": {"$in": list(discussions)}})
        if buckets:
            collection.insert_many(buckets)


def add_old_tags(*, newest: Mapping[str, int]) -> None:
    """There are these hashtags, each with its newest post; when that was long ago, nobody counts them."""
    if newest:
        tags().bulk_write(
            [
                UpdateOne({"_id": tag}, {"$max": {"newest": post}}, upsert=True)
                for tag, post in newest.items()
            ],
            ordered=False,
        )


def _threads(talk: Discussion) -> dict[int, list[Document]]:
    replies = Counter(one.thread_id for _, one in talk.comments)
    threads: dict[int, list[Document]] = {}
    for key, one in talk.comments:
        item = comments.comment_element(
            id=key, comment=one, replies=0 if one.thread_id else replies[key]
        )
        threads.setdefault(one.thread_id, []).append(item)
    return threads


def _cut(items: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def pending_ids(*, ids: Sequence[int]) -> set[int]:
    """Which of these posts are still to be delivered."""
    found = posts().find({"_id": {"$in": list(ids)}, "delivery_state": "pending"}, {"_id": 1})
    return {document["_id"] for document in found}


def finish_deliveries(*, ids: Sequence[int], at: datetime) -> None:
    """Say of these posts that all their audience has them."""
    done = {"delivery_state": "done", "delivery_due_at": at}
    posts().update_many({"_id": {"$in": list(ids)}}, {"$set": done})


def unfinished_demo() -> Document | None:
    """The order for a demo which has been begun and is not finished."""
    return demo_specs().find_one({"_id": "demo", "finished_at": None})


def begin_demo(*, spec: Document) -> None:
    demo_specs().replace_one({"_id": "demo"}, {**spec, "finished_at": None}, upsert=True)


def finish_demo(*, at: datetime) -> None:
    demo_specs().update_one({"_id": "demo"}, {"$set": {"finished_at": at}})
