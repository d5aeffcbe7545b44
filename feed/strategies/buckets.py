"""Fan-out on write with buckets: the default. How the documents look: ``store.inboxes``.

Deliver: one command for a chunk of readers; after it, not every time, the full heads among them are
sealed. Read: a first page usually needs the head alone; other pages read all buckets, which may
overlap, and merge. A reader without an inbox gets a new head *first*, so that deliveries land in it,
and then what had been published before.
"""

import logging
from datetime import timedelta
from random import randrange

from django.conf import settings
from django.utils import timezone

from accounts import selectors as people
from accounts.ids import new_id
from feed.store import bulk, inboxes, posts, sealing
from feed.store.inboxes import BucketGone, Head
from feed.store.sealing import BUCKET_SIZE, SEAL_AT

from .entries import Entries

logger = logging.getLogger(__name__)

SEEN_AT_MOST_EVERY = timedelta(hours=1)
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
    head = _open(reader)
    newest = sorted((one for one in head.ids if one > max(head.top, head.floor)), reverse=True)
    return Entries(newest=newest, floor=head.floor, everything=lambda: _everything(head))


def add_older(*, reader: int, activities: list[int], floor: int) -> None:
    head = inboxes.head(owner=reader)
    if head is None:
        return  # the inbox will be built from the posts, these among them
    held, now_floor = _everything(head)
    lacking = sorted(set(activities).difference(held))
    lacking = [one for one in lacking if one > max(floor, now_floor)]
    inboxes.append_missing(owner=reader, gen=head.gen, ids=lacking, floor=floor)
    seal(readers=[reader])


def warm_among(*, readers: list[int]) -> set[int]:
    return bulk.owners_among(owners=readers)


def seal(*, readers: list[int]) -> None:
    """Cut buckets from the heads that are due."""
    if heads := sealing.full_heads(owners=readers):
        sealing.seal(heads=heads, keep=buckets_kept())


def buckets_kept() -> int:
    """How many buckets an inbox has at most, so that with a full head it is within its limit (but
    for the few ids that a head may be longer; see ``READERS_PER_PROBE``)."""
    return max(1, (int(settings.FEED_INBOX_MAX) - SEAL_AT) // BUCKET_SIZE)


def _everything(head: Head) -> tuple[list[int], int]:
    for _ in range(READ_ATTEMPTS):
        try:
            sealed = inboxes.bucket_ids(head=head) if head.kept else []
        except BucketGone:
            head = _open(head.owner)
        else:
            ids = {one for one in (*head.ids, *sealed) if one > head.floor}
            return sorted(ids, reverse=True), head.floor
    # Not a race any more: a bucket is lost. Everything in an inbox can be had from the posts.
    logger.error("The inbox of reader %s lacks a bucket and is built anew", head.owner)
    inboxes.drop(owner=head.owner, gen=head.gen)
    return _everything(_open(head.owner))


def _open(reader: int) -> Head:
    """The reader's head, built if need be. One command, and one more once an hour."""
    now = timezone.now()
    head = inboxes.head(owner=reader)
    if head is None:
        head = inboxes.create_head(owner=reader, gen=new_id(), now=now)
    if head.built_at is None:
        _build(head)
        return inboxes.head(owner=reader) or head
    if now - head.last_seen > SEEN_AT_MOST_EVERY:
        inboxes.stamp_last_seen(owner=reader, gen=head.gen, now=now)
    return head


def _build(head: Head) -> None:
    """Fill a begun inbox with the newest posts of everybody the reader follows."""
    authors = [head.owner, *people.followees(uid=head.owner)]
    limit = settings.FEED_INBOX_MAX - SEAL_AT
    newest = posts.ids_by_authors(authors=authors, above=0, limit=limit + 1)
    missing, left_out = newest[:limit], newest[limit:]
    inboxes.finish_head(
        owner=head.owner,
        gen=head.gen,
        missing=missing,
        floor=left_out[0] if left_out else 0,
        now=timezone.now(),
    )
    seal(readers=[head.owner])
