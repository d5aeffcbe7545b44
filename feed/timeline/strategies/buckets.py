"""Fan-out on write with buckets: the default. How the documents look: ``store.inboxes``.

Deliver: one command for a chunk of readers; after it, not every time, the full heads among them are
sealed. Read: a first page usually needs the head alone; other pages read all buckets, which may
overlap, and merge. How inboxes come and go: ``warmth``.
"""

import logging
from random import randrange

from django.conf import settings

from accounts.infra.ids import MAX_ID
from feed.timeline.store import inboxes
from feed.timeline.store import seal as seal_store
from feed.timeline.store.inboxes import BucketGone, BucketHead

from . import warmup
from .contents import InboxContents, empty_inbox

logger = logging.getLogger(__name__)

lifecycle = inboxes.lifecycle

READ_ATTEMPTS = 5
OWNERS_PER_PROBE = 125
"""Of many readers the heads are looked at only after one in so many deliveries, by chance (whoever
delivers next may be another process): for a thousand, one delivery in eight. To probe and seal after
each would cost a third of the speed; so a few heads grow a little beyond ``SEAL_AT``."""


def deliver(*, activity: int, recipients: list[int]) -> None:
    inboxes.push_entry(owners=recipients, activity=activity)
    if randrange(max(1, len(recipients) // OWNERS_PER_PROBE)) == 0:  # noqa: S311 - not a secret
        seal(owners=recipients)


def read_inbox(*, owner: int) -> InboxContents:
    head = warmup.open_inbox(store=lifecycle, owner=owner)
    if head.built_at is None:
        return empty_inbox(is_building=True)
    if len(head.ids) >= 2 * seal_store.SEAL_AT:
        # Just built. What is sealed now is still in this head, as it was read.
        seal(owners=[owner])
    newest = sorted((one for one in head.ids if one > max(head.top, head.floor)), reverse=True)
    held = sum(one > head.floor for one in head.ids) + seal_store.BUCKET_SIZE * len(head.buckets)
    return InboxContents(
        newest_ids=newest, floor=head.floor, read_all=lambda: _everything(head), count=held
    )


def add_older(*, owner: int, activities: list[int], floor: int) -> None:
    head = lifecycle.get_head(owner=owner)
    if head is None:
        return  # the inbox will be built from the posts, these among them
    held, now_floor = _everything(head)
    lacking = sorted(set(activities).difference(held))
    lacking = [one for one in lacking if one > max(floor, now_floor)]
    inboxes.append_missing(owner=owner, gen=head.gen, ids=lacking, floor=floor)
    seal(owners=[owner])


def build_inbox(*, owner: int) -> None:
    warmup.build_inbox(store=lifecycle, owner=owner)
    seal(owners=[owner])


def seal(*, owners: list[int]) -> None:
    """Cut buckets from the heads that are due."""
    if heads := seal_store.full_heads(owners=owners):
        seal_store.seal_heads(heads=heads, max_buckets=max_buckets())


def max_buckets() -> int:
    """How many buckets an inbox has at most, so that with a full head it is within its limit (but
    for the few ids that a head may be longer; see ``READERS_PER_PROBE``)."""
    return max(1, (int(settings.FEED_INBOX_MAX) - seal_store.SEAL_AT) // seal_store.BUCKET_SIZE)


def _everything(head: BucketHead) -> tuple[list[int], int]:
    for _ in range(READ_ATTEMPTS):
        try:
            sealed = inboxes.bucket_ids(head=head) if head.buckets else []
        except BucketGone:
            again = lifecycle.get_head(owner=head.owner)
            if again is None or again.built_at is None:
                return [], MAX_ID  # dropped since; for now the posts answer
            head = again
        else:
            ids = {one for one in (*head.ids, *sealed) if one > head.floor}
            return sorted(ids, reverse=True), head.floor
    # Not a race any more: a bucket is lost. Everything in an inbox can be had from the posts.
    logger.error("The inbox of reader %s lacks a bucket and is built anew", head.owner)
    inboxes.drop_inbox(owner=head.owner, gen=head.gen)
    return [], MAX_ID
