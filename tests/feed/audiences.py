"""Insert large audiences with a few commands, and read the results of deliveries."""

from django.db import connection
from django.utils import timezone

from feed.store.collections import inbox_heads, posts
from feed.timeline import strategies

GEN = 1
HIGHEST_UID = 1_000_000


def make_audience(author, size, per_bucket=1000):
    """Insert audience buckets with the uids from 1 to ``size``, and an inbox for each uid.

    To be fast, the function creates no user documents."""
    uids = list(range(1, size + 1))
    make_inboxes(uids)
    chunks = [uids[at : at + per_bucket] for at in range(0, size, per_bucket)]
    connection.database["audience_buckets"].insert_many(
        {"author": author.pk, "seq": seq, "uids": chunk, "n": len(chunk)}
        for seq, chunk in enumerate(chunks)
    )


def make_inboxes(uids, ids=()):
    now = timezone.now()
    head = {"n": len(ids), "gen": GEN, "seq": 0, "buckets": [], "top": 0, "floor": 0}
    inbox_heads().insert_many(
        (
            {
                "_id": uid,
                "ids": list(ids),
                **head,
                "built_at": now,
                "build_requested_at": now,
                "last_seen": now,
            }
            for uid in uids
        ),
        ordered=False,
    )


def times_delivered(post_id):
    """Return ``{number of copies of the post: number of inboxes with that many copies}``."""
    copies = {"$filter": {"input": "$ids", "cond": {"$eq": ["$$this", post_id]}}}
    counted = inbox_heads().aggregate(
        [
            {"$match": {"_id": {"$lt": HIGHEST_UID}}},
            {"$project": {"times": {"$size": copies}}},
            {"$group": {"_id": "$times", "readers": {"$sum": 1}}},
        ]
    )
    return {row["_id"]: row["readers"] for row in counted}


def stored_ids(uid):
    """Return all entries of a user's inbox, also those of sealed buckets."""
    return strategies.buckets.read_inbox(owner=uid).read_all()[0]


def is_in_inbox(uid, post_id):
    return post_id in inbox_heads().find_one({"_id": uid})["ids"]


def state(post_id):
    """Return the post's delivery state and the number of recipients reached so far."""
    post = posts().find_one({"_id": post_id})
    return post["delivery_state"], sum(part["reached"] for part in post["delivery_parts"])


def document(post_id):
    return posts().find_one({"_id": post_id})
