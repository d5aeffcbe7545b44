"""Find and correct wrong counters in posts and comments (``post_counters``).

A counter is written in one transaction with the like, share, comment or answer, so counters are normally
correct. A restored backup or a manual change in the database can make counters wrong. What is set aside,
limited or private is not counted (``services.availability``).
"""

from collections import Counter
from collections.abc import Iterator

from accounts.infra.store.connection import Document
from accounts.infra.store.continuation import IN_LIST
from feed.activities import activity_kind, numbers_in

from . import post_counters, quotes, shares
from .collections import answer_buckets, comment_buckets, like_buckets, posts

COUNTED = ("likes", "shares", "comments", "quotes")


def post_ids(*, after_id: int, limit: int) -> list[int]:
    """Return the lowest ids of posts above ``after_id``, without shares, which have no counters."""
    documents = posts().find({"_id": {"$gt": after_id}, "share_of": None}, {"_id": 1})
    return [document["_id"] for document in documents.sort("_id", 1).limit(limit)]


def miscounted_posts(*, ids: list[int]) -> list[int]:
    """Return the ids of the posts whose counters, newest likers or newest comments are wrong."""
    comment_ids: dict[int, list[int]] = {}
    for comment in _comments_of(ids):
        if _is_counted(comment) and not comment["thread"]:
            comment_ids.setdefault(comment["post"], []).append(comment["id"])
    return [
        stored["_id"]
        for stored, actual in _stored_and_actual(ids)
        if any(stored.get(name) != number for name, number in actual.items())
        or len(stored.get("newest_likers", ())) != min(post_counters.NEWEST_COUNT, actual["likes"])
        or [comment["id"] for comment in stored.get("newest_comments", ())]
        != sorted(comment_ids.get(stored["_id"], ()))[-post_counters.NEWEST_COUNT :]
    ]


def recount_post(*, post: int) -> bool:
    """Correct the counters, newest likers and newest comments of a post, and return True.

    If the counters change during the recount, write nothing and return False.
    """
    for stored, actual in _stored_and_actual([post]):
        before = {name: stored.get(name) for name in actual}
        newest = {
            "newest_likers": post_counters.newest_likers(post=post),
            "newest_comments": post_counters.newest_comments(post=post),
        }
        written = posts().update_one({"_id": post, **before}, {"$set": {**actual, **newest}})
        if not written.matched_count:
            return False
    return True


def recount_buckets(*, ids: list[int]) -> int:
    """Correct ``n``, the number of elements, in the like, comment and answer buckets of these posts.

    Return the number of corrected buckets.
    """
    corrected = 0
    for buckets, array in (
        (like_buckets(), "$uids"),
        (comment_buckets(), "$comments"),
        (answer_buckets(), "$uids"),
    ):
        differs = {"$ne": ["$n", {"$size": array}]}
        corrected += buckets.update_many(
            {"post": {"$in": ids}, "$expr": differs}, [{"$set": {"n": {"$size": array}}}]
        ).modified_count
    return corrected


def miscounted_comments(*, ids: list[int]) -> list[Document]:
    """Return the comments on these posts with wrong counters: ``{post, id, stored, actual}``."""
    comments = list(_comments_of(ids))
    likes = _likes_of([comment["id"] for comment in comments])
    replies = Counter(
        (comment["thread"], bool(comment.get("visibility")))
        for comment in comments
        if comment["thread"] and not comment["is_deleted"]
    )
    wrong = []
    for comment in comments:
        names = ("likes", "replies", "limited_replies")
        stored = {name: comment[name] for name in names if name in comment}
        actual = {
            "likes": 0 if comment["is_deleted"] else likes.get(comment["id"], 0),
            "replies": replies[comment["id"], False],
        }
        limited_replies = replies[comment["id"], True]
        if limited_replies or "limited_replies" in stored:
            actual["limited_replies"] = limited_replies
        if stored != actual:
            wrong.append(
                {"post": comment["post"], "id": comment["id"], "stored": stored, "actual": actual}
            )
    return wrong


def recount_comment(*, miscount: Document) -> bool:
    """Correct an element of ``miscounted_comments``.

    If the counters in the database are no longer ``miscount["stored"]``, write nothing and return False.
    """
    written = comment_buckets().update_one(
        {
            "post": miscount["post"],
            "comments": {"$elemMatch": {"id": miscount["id"], **miscount["stored"]}},
        },
        {"$set": {f"comments.$.{name}": number for name, number in miscount["actual"].items()}},
    )
    return bool(written.matched_count)


def _stored_and_actual(ids: list[int]) -> Iterator[tuple[Document, Document]]:
    likes = _likes_of(ids)
    comments = Counter(comment["post"] for comment in _comments_of(ids) if _is_counted(comment))
    share_counts = shares.count_shares(ids=ids)
    quote_counts = quotes.count_quotes(ids=ids)
    names = (*COUNTED, "newest_likers", "newest_comments", "kind", "details")
    documents = list(posts().find({"_id": {"$in": ids}}, dict.fromkeys(names, 1)))
    answers = _answers_in([stored["_id"] for stored in documents if _counts_answers(stored)])
    for stored in documents:
        post = stored["_id"]
        actual: Document = {
            "likes": likes.get(post, 0),
            "shares": share_counts.get(post, 0),
            "comments": comments[post],
            "quotes": quote_counts.get(post, 0),
        }
        if _counts_answers(stored):
            choice_count = len(stored["details"]["counts"])
            for name in ("counts", "voters"):
                stored[f"details.{name}"] = stored["details"][name]
            actual |= {
                "details.counts": [answers[post, number] for number in range(choice_count)],
                "details.voters": answers[post, None],
            }
        yield stored, actual


def _counts_answers(post: Document) -> bool:
    """Return whether a post counts answers. Those to imported polls are on another site."""
    return activity_kind(post["kind"]).takes_answers and not post["details"].get("is_imported")


def _answers_in(ids: list[int]) -> Counter[tuple[int, int | None]]:
    """Return the number of answers by post and choice, and of voters by post and None."""
    answers: Counter[tuple[int, int | None]] = Counter()
    if ids:
        for bucket in answer_buckets().find({"post": {"$in": ids}, **IN_LIST}):
            for number in (None, *numbers_in(bucket["choices"])):
                answers[bucket["post"], number] += len(bucket["uids"])
    return answers


def _likes_of(ids: list[int]) -> dict[int, int]:
    grouped: list[Document] = [
        {"$match": {"post": {"$in": ids}, **IN_LIST}},
        {"$group": {"_id": "$post", "n": {"$sum": {"$size": "$uids"}}}},
    ]
    return {document["_id"]: document["n"] for document in like_buckets().aggregate(grouped)}


def _is_counted(comment: Document) -> bool:
    return not (comment["is_deleted"] or comment.get("visibility"))


def _comments_of(ids: list[int]) -> Iterator[Document]:
    names = ("id", "is_deleted", "likes", "replies", "visibility", "limited_replies")
    fields = dict.fromkeys((f"comments.{name}" for name in names), 1)
    for bucket in comment_buckets().find(
        {"post": {"$in": ids}}, {"post": 1, "thread": 1, **fields}
    ):
        for comment in bucket["comments"]:
            yield {"post": bucket["post"], "thread": bucket["thread"], **comment}
