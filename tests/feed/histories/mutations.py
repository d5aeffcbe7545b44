"""Bugs of the timeline engine. Comparing histories with the model must find each of them.

The first mutations remove a rule of the design. The other mutations are bugs of the surrounding code.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from feed.selectors import visibility
from feed.store.collections import inbox_heads
from feed.timeline import candidates, home, strategies
from feed.timeline.store import inboxes, seal
from feed.timeline.strategies import buckets, warmup
from feed.timeline.strategies.contents import InboxContents

Mutation = Callable[[], Any]


def first_page_reads_only_the_head() -> Any:
    """Read the newest ids only from the head, although a bucket may have newer ids."""
    real = buckets.read_inbox

    def read_inbox(*, owner: int, **kwargs: Any) -> InboxContents:
        contents = real(owner=owner, **kwargs)
        head = inboxes.lifecycle.get_head(owner=owner)
        if contents.is_building or head is None:
            return contents
        return replace(contents, newest_ids=sorted(head.ids, reverse=True))

    return patch.object(buckets, "read_inbox", read_inbox)


def trimming_keeps_the_floor() -> Any:
    real = seal._trim_pipeline

    def trim_pipeline(count: int, max_buckets: int) -> list[dict[str, Any]]:
        first, second = real(count, max_buckets)
        return [first, {"$set": {k: v for k, v in second["$set"].items() if k != "floor"}}]

    return patch.object(seal, "_trim_pipeline", trim_pipeline)


def sealing_takes_the_lowest_ids() -> Any:
    """Seal the lowest ids instead of the first ids in the array. Late posts have low ids but come last."""
    real = seal.full_heads

    def full_heads(*, owners: list[int]) -> list[seal.FullHead]:
        heads = []
        for head in real(owners=owners):
            document = inbox_heads().find_one({"_id": head.owner}) or {"ids": []}
            lowest_ids = sorted(document["ids"])[: len(head.sealable_ids)]
            heads.append(replace(head, sealable_ids=lowest_ids))
        return heads

    return patch.object(seal, "full_heads", full_heads)


def inbox_filled_before_it_begins() -> Any:
    """Finish the build of an inbox without adding the existing posts, so that the inbox lacks them."""
    return patch.object(
        warmup,
        "_fill_inbox",
        lambda store, inbox, authors: store.finish_build(
            owner=inbox.owner, gen=inbox.gen, missing=[], floor=0, now=inbox.build_requested_at
        ),
    )


def backfill_is_skipped() -> Any:
    """Mark a pending backfill as done without copying posts."""
    return patch.object(strategies, "add_older", lambda **_: None)


def pages_stop_at_the_end_of_the_inbox() -> Any:
    real = candidates._read_from_authors
    return patch.object(
        candidates, "_read_from_authors", lambda *a, **k: (*real(*a, **k)[:2], False)
    )


def floor_is_the_lowest_id() -> Any:
    """Use the lowest stored id as the floor, which skips trimmed or missing posts."""
    real = buckets._read_all

    def read_all(head: inboxes.BucketHead) -> tuple[list[int], int]:
        ids, floor = real(head)
        return ids, min(floor, ids[-1] - 1 if ids else floor) if floor else 0

    return patch.object(buckets, "_read_all", read_all)


def repeated_ids_are_kept() -> Any:
    """Deliver without ``$ne``, so that a repeated delivery stores an id twice."""

    def push(*, owners: list[int], activity: int) -> int:
        change = {"$push": {"ids": activity}, "$inc": {"n": 1}}
        return inbox_heads().update_many({"_id": {"$in": owners}}, change).modified_count

    return patch.object(inboxes, "push_entry", push)


def cursor_is_the_last_shown_entry() -> Any:
    """Use the last shown entry as the cursor instead of the last examined entry."""
    real = home._next_cursor
    return patch.object(
        home,
        "_next_cursor",
        lambda result, seen, limit: (
            real(result, seen, limit)
            if len(seen) > limit or not seen
            else (str(seen[0].entry.id) if result.has_more else None)
        ),
    )


def unfollowed_authors_are_shown() -> Any:
    """Show delivered posts of users whom the viewer no longer follows."""
    return patch.object(visibility, "is_author_in_home", lambda **_: True)


def mutes_are_ignored() -> Any:
    real = visibility.is_author_in_home

    def is_author_in_home(*, author: int, viewer: int, relationships: Any) -> bool:
        without_mutes = replace(relationships, muted=frozenset())
        return real(author=author, viewer=viewer, relationships=without_mutes)

    return patch.object(visibility, "is_author_in_home", is_author_in_home)


def large_authors_are_ignored() -> Any:
    return patch.object(candidates.HomeViewer, "merged_authors", [])


def repeated_shares_are_shown() -> Any:
    return patch.object(home, "drop_repeated_shares", lambda *, entries, **_: entries)


MUTATIONS: list[tuple[Mutation, int]] = [
    (first_page_reads_only_the_head, 4),
    (trimming_keeps_the_floor, 0),
    (sealing_takes_the_lowest_ids, 4),
    (inbox_filled_before_it_begins, 1),
    (backfill_is_skipped, 20),
    (repeated_ids_are_kept, 10),
    (cursor_is_the_last_shown_entry, 0),
    (unfollowed_authors_are_shown, 0),
    (mutes_are_ignored, 0),
    (large_authors_are_ignored, 8),
    (repeated_shares_are_shown, 2),
]
"""Pairs: a mutation, and the seed of a random history that finds the mutation."""

RARE_MUTATIONS: list[tuple[Mutation, int]] = [
    (pages_stop_at_the_end_of_the_inbox, 0),
    (floor_is_the_lowest_id, 0),
]
"""Pairs: a mutation that needs some hundred histories, and the first seed. Only ``make soak`` runs them."""
