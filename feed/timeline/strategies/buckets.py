"""The default strategy: fan-out on write with buckets. ``store.inboxes`` describes the documents.

A delivery to a chunk of owners is one command. After some deliveries, full heads of these owners are
sealed. A first page usually needs only the head. Other pages read all buckets and sort the ids, because the
ranges of buckets may overlap. ``warmup`` creates and fills inboxes.
"""

import logging
from random import randrange

from django.conf import settings

from accounts.infra.ids import MAX_ID
from accounts.infra.store.unions import UnionResult
from feed.timeline.store import inboxes
from feed.timeline.store import seal as seal_store
from feed.timeline.store.inboxes import BucketGone, BucketHead
from feed.timeline.threads import run_for_parts

from . import warmup
from .contents import InboxContents

logger = logging.getLogger(__name__)

lifecycle = inboxes.lifecycle
head_queries = lifecycle.head_queries

READ_ATTEMPTS = 5
PROBE_INTERVAL = 8
"""One delivery in this many looks for full heads.

Looking after every delivery would make deliveries to a thousand owners a third slower. As a consequence,
heads grow a little beyond ``SEAL_AT``: one head in a thousand by more than fifty ids. The choice is
random, because processes do not share a counter.
"""


def deliver(*, activity: int, recipients: list[int], threads: int = 1) -> None:
    # All threads look for full heads, or none. Otherwise, threads would wait for a thread that seals.
    is_probe = randrange(PROBE_INTERVAL) == 0  # noqa: S311 - not a secret

    def deliver_to(owners: list[int]) -> None:
        inboxes.push_entry(owners=owners, activity=activity)
        if is_probe:
            seal(owners=owners)

    run_for_parts(ids=recipients, count=threads, function=deliver_to)


def read_inbox(*, owner: int, union: UnionResult | None = None) -> InboxContents:
    head = warmup.open_inbox(store=lifecycle, owner=owner, union=union)
    if head.built_at is None:
        return InboxContents(is_building=True)
    if len(head.ids) >= 2 * seal_store.SEAL_AT:
        # The inbox was just built. ``head`` was read before the sealing, so it has all ids.
        seal(owners=[owner])
    newest = sorted(
        (entry_id for entry_id in head.ids if entry_id > max(head.top, head.floor)), reverse=True
    )
    return InboxContents(newest, head.floor, read_all=lambda: _read_all(head))


def add_older(*, owner: int, activities: list[int], floor: int) -> None:
    head = lifecycle.get_head(owner=owner)
    if head is None:
        return  # when an inbox is built, it gets these activities, too
    inbox_ids, current_floor = _read_all(head)
    missing_ids = sorted(set(activities).difference(inbox_ids))
    missing_ids = [entry_id for entry_id in missing_ids if entry_id > max(floor, current_floor)]
    inboxes.append_missing(owner=owner, gen=head.gen, ids=missing_ids, floor=floor)
    seal(owners=[owner])


def build_inbox(*, owner: int) -> None:
    warmup.build_inbox(store=lifecycle, owner=owner)
    seal(owners=[owner])


def seal(*, owners: list[int]) -> None:
    """Seal the full heads of these owners."""
    if heads := seal_store.full_heads(owners=owners):
        seal_store.seal_heads(heads=heads, max_buckets=max_buckets())


def max_buckets() -> int:
    """Return the number of buckets that fit into ``FEED_INBOX_MAX`` together with a full head.

    A head may have a few more ids (see ``PROBE_INTERVAL``).
    """
    return max(1, (int(settings.FEED_INBOX_MAX) - seal_store.SEAL_AT) // seal_store.BUCKET_SIZE)


def _read_all(head: BucketHead) -> tuple[list[int], int]:
    for _ in range(READ_ATTEMPTS):
        try:
            sealed_ids = inboxes.bucket_ids(head=head) if head.buckets else []
        except BucketGone:
            current_head = lifecycle.get_head(owner=head.owner)
            if current_head is None or current_head.built_at is None:
                return [], MAX_ID  # the inbox was dropped, so this page reads the posts
            head = current_head
        else:
            ids = {entry_id for entry_id in (*head.ids, *sealed_ids) if entry_id > head.floor}
            return sorted(ids, reverse=True), head.floor
    # A race would not last for all attempts, so a bucket is lost. The inbox is rebuilt from the posts.
    logger.error("A bucket of the inbox of user %s is missing; rebuilding it", head.owner)
    inboxes.drop_inbox(owner=head.owner, gen=head.gen)
    return [], MAX_ID
