"""Fan-out on write by a counter on the reader: the published design, made correct, for comparison.

How the documents look and where the design comes from: ``store.counted``. A delivery is a transaction, so
it is the slowest to write; a reader's buckets are read all at once.
"""

from django.conf import settings

from feed.timeline.store import counted_inboxes as store
from feed.timeline.store import seal

from . import warmup
from .contents import InboxContents, empty_inbox

lifecycle = store.lifecycle


def deliver(*, activity: int, recipients: list[int]) -> None:
    # Who begins an inbox after ``push`` has looked fills it from the posts, this one among them.
    opened = store.push_entry(owners=recipients, activity=activity)
    store.trim_inboxes(generations=opened, max_buckets=max_buckets())


def read_inbox(*, owner: int) -> InboxContents:
    life = warmup.open_inbox(store=lifecycle, owner=owner)
    if life.built_at is None:
        return empty_inbox(is_building=True)
    # Late deliveries and back-fills lie in new buckets: which entries are the newest, only all tell.
    ids = store.all_ids(head=life)
    now = lifecycle.reread_head(head=life)
    if now is None:
        return empty_inbox()
    held = sorted((one for one in ids if one > now.floor), reverse=True)
    return InboxContents(
        newest_ids=held, floor=now.floor, read_all=lambda: (held, now.floor), count=len(held)
    )


def add_older(*, owner: int, activities: list[int], floor: int) -> None:
    life = lifecycle.get_head(owner=owner)
    if life is None:
        return  # the inbox will be built from the posts, these among them
    kept = [one for one in activities if one > max(floor, life.floor)]
    store.append_missing(owner=owner, gen=life.gen, ids=kept, floor=floor)
    store.trim_inboxes(generations={owner: life.gen}, max_buckets=max_buckets())


def build_inbox(*, owner: int) -> None:
    warmup.build_inbox(store=lifecycle, owner=owner)


def max_buckets() -> int:
    """How many buckets an inbox has at most, so that it is within its limit when the last one is full."""
    return max(1, int(settings.FEED_INBOX_MAX) // seal.BUCKET_SIZE)
