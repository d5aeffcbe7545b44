"""Publish polls, vote in them and end them."""

from typing import Any

from django.utils import timezone

from accounts.models import User
from feed import tasks
from feed.kinds.polls import Poll
from feed.store.collections import answer_buckets, posts
from tests.actions import publish_post

DAY = 86_400


def publish_poll(
    author: User,
    *choices: str,
    text: str = "Tea or coffee?",
    is_multiple: bool = False,
    hides_totals: bool = False,
    seconds: int = DAY,
    **fields: Any,
) -> int:
    values = dict(zip(Poll.CHOICE_NAMES, choices or ("Tea", "Coffee"), strict=False))
    values |= {"duration": seconds, "is_multiple": is_multiple, "hides_totals": hides_totals}
    details = Poll().clean_details(values)
    return publish_post(author=author.pk, text=text, kind="poll", details=details, **fields)


def stored_poll(post: int) -> tuple[list[int], int]:
    """Return the counts and the number of voters, and check that they equal the stored votes."""
    details = posts().find_one({"_id": post})["details"]
    uids, counts = [], [0] * len(details["choices"])
    for bucket in answer_buckets().find({"post": post}):
        assert bucket["n"] == len(bucket["uids"])
        uids += bucket["uids"]
        for number in range(len(counts)):
            counts[number] += bucket["n"] if bucket["choices"] >> number & 1 else 0
    assert len(set(uids)) == len(uids) == details["voters"]
    assert counts == details["counts"]
    return counts, len(uids)


def let_end(post: int) -> None:
    """Let a poll end now, without announcing it."""
    now = int(timezone.now().timestamp())
    posts().update_one({"_id": post}, {"$set": {"details.ends_at": now}})


def end(post: int) -> None:
    """End a poll and notify its voters, as a worker does."""
    let_end(post)
    tasks.end_poll(post_id=post)
