"""Mistakes one could make in the engine. Each must be found by comparing histories with the oracle.

The first are rules of the design, each left out; the others are mistakes of the parts around it.
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


def first_page_from_the_head_alone() -> Any:
    """Without ``top``: ids of the head are taken for the newest, though a bucket holds newer ones."""
    real = buckets.read_inbox

    def read_inbox(*, owner: int) -> InboxContents:
        contents = real(owner=owner)
        head = inboxes.lifecycle.get_head(owner=owner)
        if contents.is_building or head is None:
            return contents
        return replace(contents, newest_ids=sorted(head.ids, reverse=True))

    return patch.object(buckets, "read_inbox", read_inbox)


def floor_not_raised_when_trimming() -> Any:
    real = seal._trim_pipeline

    def trim_pipeline(count: int, max_buckets: int) -> list[dict[str, Any]]:
        first, second = real(count, max_buckets)
        return [first, {"$set": {k: v for k, v in second["$set"].items() if k != "floor"}}]

    return patch.object(seal, "_trim_pipeline", trim_pipeline)


def sealing_the_lowest_ids() -> Any:
    """Instead of the first positions: what arrives late then changes what was to be cut."""
    real = seal.full_heads

    def full_heads(*, owners: list[int]) -> list[seal.FullHead]:
        heads = []
        for head in real(owners=owners):
            document = inbox_heads().find_one({"_id": head.owner}) or {"ids": []}
            lowest_ids = sorted(document["ids"])[: len(head.sealable_ids)]
            heads.append(replace(head, sealable_ids=lowest_ids))
        return heads

    return patch.object(seal, "full_heads", full_heads)


def filled_before_it_is_begun() -> Any:
    """Read first what had been published, and begin the inbox afterwards: what comes between is lost."""
    return patch.object(
        warmup,
        "_fill_inbox",
        lambda store, inbox, authors: store.finish_build(
            owner=inbox.owner, gen=inbox.gen, missing=[], floor=0, now=inbox.build_requested_at
        ),
    )


def back_fill_forgotten() -> Any:
    """The mark of a follow is cleared and nothing is brought over."""
    return patch.object(strategies, "add_older", lambda **_: None)


def a_page_ends_where_the_inbox_ends() -> Any:
    real = candidates._read_from_authors
    return patch.object(
        candidates, "_read_from_authors", lambda *a, **k: (*real(*a, **k)[:2], False)
    )


def the_seam_at_the_lowest_id() -> Any:
    """Instead of the floor: what was trimmed or never brought above that id is skipped."""
    real = buckets._read_all

    def read_all(head: inboxes.BucketHead) -> tuple[list[int], int]:
        ids, floor = real(head)
        return ids, min(floor, ids[-1] - 1 if ids else floor) if floor else 0

    return patch.object(buckets, "_read_all", read_all)


def repeats_are_kept() -> Any:
    """Delivering without ``$ne`` and reading without dropping ids seen twice."""

    def push(*, owners: list[int], activity: int) -> int:
        change = {"$push": {"ids": activity}, "$inc": {"n": 1}}
        return inbox_heads().update_many({"_id": {"$in": owners}}, change).modified_count

    return patch.object(inboxes, "push_entry", push)


def the_cursor_is_the_last_shown() -> Any:
    """Instead of the last examined: a page of which nothing may be seen never ends."""
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


def whatever_was_delivered_is_shown() -> Any:
    """Also of people who are not followed any more."""
    return patch.object(visibility, "is_author_in_home", lambda **_: True)


def mutes_forgotten() -> Any:
    real = visibility.is_author_in_home

    def is_author_in_home(*, author: int, viewer: int, relationships: Any) -> bool:
        without_mutes = replace(relationships, muted=frozenset())
        return real(author=author, viewer=viewer, relationships=without_mutes)

    return patch.object(visibility, "is_author_in_home", is_author_in_home)


def large_authors_forgotten() -> Any:
    return patch.object(candidates.HomeViewer, "merged_authors", [])


def shares_come_again() -> Any:
    return patch.object(home, "drop_repeated_shares", lambda *, entries, **_: entries)


MUTATIONS: list[tuple[Mutation, int]] = [
    (first_page_from_the_head_alone, 4),
    (floor_not_raised_when_trimming, 0),
    (sealing_the_lowest_ids, 4),
    (filled_before_it_is_begun, 1),
    (back_fill_forgotten, 20),
    (repeats_are_kept, 10),
    (the_cursor_is_the_last_shown, 0),
    (whatever_was_delivered_is_shown, 0),
    (mutes_forgotten, 0),
    (large_authors_forgotten, 8),
    (shares_come_again, 2),
]
"""With the number of a random history that finds it; of the others some do, too."""

HARDER: list[tuple[Mutation, int]] = [
    (a_page_ends_where_the_inbox_ends, 0),
    (the_seam_at_the_lowest_id, 0),
]
"""Those take some hundred histories: for ``make soak``."""
