"""Read the content of one user, for the user's export.

Queries return pages, with a cursor for the next one: None at first and after the last page. Each page costs
one command, with an index.
"""

from collections.abc import Iterator
from operator import attrgetter
from typing import Any

from . import comment_pages, likes
from .collections import posts
from .comment_rows import Comment, comment_from_bucket
from .post_rows import IdRange


def batches(read: Any, *, uid: int, limit: int) -> Iterator[list[Any]]:
    """Yield all pages of ``read``, one of the functions below or ``answers.answers_of``."""
    cursor: Any = None
    while True:
        batch, cursor = read(uid=uid, cursor=cursor, limit=limit)
        yield batch
        if cursor is None:
            return


def comments_of(*, uid: int, cursor: Any, limit: int) -> tuple[list[Comment], Any]:
    """Return the user's next ``limit`` comments, oldest first, and the next cursor."""
    id_range = IdRange(above=cursor or 0, is_ascending=True)
    by_user = {"$filter": {"input": "$comments", "cond": {"$eq": ["$$this.uid", uid]}}}
    buckets = comment_pages.buckets_by_author(
        uid=uid,
        id_range=id_range,
        limit=limit,
        fields={"post": 1, "thread": 1, "comments": by_user},
    )
    comments = [
        comment_from_bucket({**bucket, "comments": comment})
        for bucket in buckets
        for comment in bucket["comments"]
        if id_range.contains(comment["id"])
    ]
    comments.sort(key=attrgetter("id"))
    has_more = len(buckets) == limit or len(comments) > limit
    return comments[:limit], comments[:limit][-1].id if has_more else None


def likes_of(*, uid: int, cursor: Any, limit: int) -> tuple[list[int], Any]:
    """Return the ids of the posts and comments that a user likes, and the next cursor."""
    id_range = IdRange(above=cursor or 0, is_ascending=True)
    ids = likes.liked_ids_of_user(uid=uid, id_range=id_range, limit=limit)
    return ids, ids[-1] if len(ids) == limit else None


def count_posts(*, author: int) -> tuple[int, int]:
    """Return the number of an author's posts, and the number of pictures in them."""
    documents = posts().aggregate(
        [
            {"$match": {"author_id": author}},
            {
                "$group": {
                    "_id": None,
                    "posts": {"$sum": 1},
                    "pictures": {"$sum": {"$size": "$media"}},
                }
            },
        ]
    )
    for document in documents:
        return document["posts"], document["pictures"]
    return 0, 0
