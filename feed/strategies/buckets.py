"""Fan-out on write with buckets: the default. How the documents look: ``store.inboxes``.

Deliver: one command for a chunk of readers; after it, not every time, the full heads among them are
sealed. Read: a first page usually needs the head alone; other pages read all buckets, which may
overlap, and merge. How inboxes come and go: ``warmth``.
"""

import logging
from random import randrange

from django.conf import settings

from accounts.ids import MAX_ID
from feed.store import inboxes, sealing
from feed.store.inboxes import BucketGone, Head

from . import warmth
from .entries import Entries, nothing_held

logger = logging.getLogger(__name__)

lives = inboxes.lives

READ_ATTEMPTS = 5
READERS_PER_PROBE = 125
"""Of many readers the heads are looked at only after one in so many deliveries, by chance (whoever
delivers next may be another process): for a thousand, one delivery in eight. To probe and seal after
each would cost a third of the speed; so a few heads grow a little beyond ``SEAL_AT``."""


def deliver(*, activity: int, readers: list[int]) -> None:
    inboxes.push(owners=readers, activity=activity)
    if randrange(max(1, len(readers) // READERS_PER_PROBE)) == 0:  # noqa: S311 - not a secret
        seal(readers=readers)


def entries(*, reader: int) -> Entries:
    head = warmth.opened(store=lives, reader=reader)
    if head.built_at is None:
        return nothing_held(being_built=True)
    if len(head.ids) >= 2 * sealing.SEAL_AT:
        # Just built. What is sealed now is still in this head, as it was read.
        seal(readers=[reader])
    newest = sorted((one for one in head.ids if one > max(head.top, head.floor)), reverse=True)
    held = sum(one > head.floor for one in head.ids) + sealing.BUCKET_SIZE * len(head.kept)
    return Entries(newest=newest, floor=head.floor, everything=lambda: _everything(head), held=held)


def add_older(*, reader: int, activities: list[int], floor: int) -> None:
    head = lives.get(owner=reader)
    if head is None:
        return  # the inbox will be built from the posts, these among them
    held, now_floor = _everything(head)
    lacking = sorted(set(activities).difference(held))
    lacking = [one for one in lacking if one > max(floor, now_floor)]
    inboxes.append_missing(owner=reader, gen=head.gen, ids=lacking, floor=floor)
    seal(readers=[reader])


def build(*, reader: int) -> None:
    warmth.build(store=lives, reader=reader)
    seal(readers=[reader])


def seal(*, readers: list[int]) -> None:
    """Cut buckets from the heads that are due."""
    if heads := sealing.full_heads(owners=readers):
        sealing.seal(heads=heads, keep=buckets_kept())


def buckets_kept() -> int:
    """How many buckets an inbox has at most, so that with a full head it is within its limit (but
    for the few ids that a head may be longer; see ``READERS_PER_PROBE``)."""
    return max(1, (int(settings.FEED_INBOX_MAX) - sealing.SEAL_AT) // sealing.BUCKET_SIZE)


def _everything(head: Head) -> tuple[list[int], int]:
    for _ in range(READ_ATTEMPTS):
        try:
            sealed = inboxes.bucket_ids(head=head) if head.kept else []
        except BucketGone:
            again = lives.get(owner=head.owner)
            if again is None or again.built_at is None:
                return [], MAX_ID  # dropped since; for now the posts answer
            head = again
        else:
            ids = {one for one in (*head.ids, *sealed) if one > head.floor}
            return sorted(ids, reverse=True), head.floor
    # Not a race any more: a bucket is lost. Everything in an inbox can be had from the posts.
    logger.error("The inbox of reader %s lacks a bucket and is built anew", head.owner)
    inboxes.drop(owner=head.owner, gen=head.gen)
    return [], MAX_ID
