"""Fan-out on write with a counter per owner: a published design with its errors corrected, for comparison.

``store.counted_inboxes`` describes the documents and the source of the design. A delivery is a
transaction, so this strategy is the slowest to write. A page reads all buckets of the inbox at once.
"""

from django.conf import settings

from accounts.infra.store.unions import UnionResult
from feed.timeline.store import counted_inboxes as store
from feed.timeline.store import seal
from feed.timeline.threads import run_for_parts

from . import warmup
from .contents import InboxContents

lifecycle = store.lifecycle
head_queries = lifecycle.head_queries


def deliver(*, activity: int, recipients: list[int], threads: int = 1) -> None:
    def deliver_to(owners: list[int]) -> None:
        # ``push_entry`` misses inboxes that are created at the same time. Their build finds the post.
        generations = store.push_entry(owners=owners, activity=activity)
        store.trim_inboxes(generations=generations, max_buckets=max_buckets())

    run_for_parts(ids=recipients, count=threads, function=deliver_to)


def read_inbox(*, owner: int, union: UnionResult | None = None) -> InboxContents:
    head = warmup.open_inbox(store=lifecycle, owner=owner, union=union)
    if head.built_at is None:
        return InboxContents(is_building=True)
    # Entries arrive out of order, for example by backfills, so the newest ids may be in any bucket.
    ids = store.all_ids(head=head)
    current_head = lifecycle.reread_head(head=head)
    if current_head is None:
        return InboxContents()
    floor = current_head.floor
    newest_ids = sorted((entry_id for entry_id in ids if entry_id > floor), reverse=True)
    return InboxContents(newest_ids, floor, read_all=lambda: (newest_ids, floor))


def add_older(*, owner: int, activities: list[int], floor: int) -> None:
    head = lifecycle.get_head(owner=owner)
    if head is None:
        return  # when an inbox is built, it gets these activities, too
    ids = [entry_id for entry_id in activities if entry_id > max(floor, head.floor)]
    store.append_missing(owner=owner, gen=head.gen, ids=ids, floor=floor)
    store.trim_inboxes(generations={owner: head.gen}, max_buckets=max_buckets())


def build_inbox(*, owner: int) -> None:
    warmup.build_inbox(store=lifecycle, owner=owner)


def max_buckets() -> int:
    """Return the number of buckets that fit into ``FEED_INBOX_MAX``."""
    return max(1, int(settings.FEED_INBOX_MAX) // seal.BUCKET_SIZE)
