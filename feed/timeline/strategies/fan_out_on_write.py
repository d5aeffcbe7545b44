"""Fan-out on write with one document per owner and post. ``store.entry_inboxes`` describes the documents.

The strategy is fast while all its data fits into memory, but it needs several times as much memory as
``buckets``. An inbox may exceed ``FEED_INBOX_MAX`` by some entries, because each delivery trims only some
of the inboxes it writes to.
"""

from random import sample

from django.conf import settings

from accounts.infra.ids import MAX_ID
from accounts.infra.store.unions import UnionResult
from feed.timeline.store import entry_inboxes as store
from feed.timeline.store.lifecycle import InboxHead
from feed.timeline.threads import run_for_parts

from . import warmup
from .contents import InboxContents

lifecycle = store.lifecycle
head_queries = lifecycle.head_queries

FIRST_READ = 300
"""Number of ids in ``newest_ids``, enough for the first page of nearly every viewer."""

TRIM_EVERY = 50
"""Each delivery trims one in this many inboxes, at random, because a trim costs as much as a delivery."""


def deliver(*, activity: int, recipients: list[int], threads: int = 1) -> None:
    def deliver_to(owners: list[int]) -> None:
        # ``push_entry`` misses inboxes that are created at the same time. Their build finds the post.
        generations = store.push_entry(owners=owners, activity=activity)
        trimmed = sample(sorted(generations), k=-(-len(generations) // TRIM_EVERY))
        _trim_inboxes({owner: generations[owner] for owner in trimmed})

    run_for_parts(ids=recipients, count=threads, function=deliver_to)


def read_inbox(*, owner: int, union: UnionResult | None = None) -> InboxContents:
    head = warmup.open_inbox(store=lifecycle, owner=owner, union=union)
    if head.built_at is None:
        return InboxContents(is_building=True)
    ids, count = store.newest_ids(head=head, limit=FIRST_READ)
    current_head = lifecycle.reread_head(head=head)
    if current_head is None:
        return InboxContents()
    floor = current_head.floor
    ids = [entry_id for entry_id in ids if entry_id > floor]
    return InboxContents(
        newest_ids=ids,
        floor=floor,
        read_all=lambda: (ids, floor) if count <= FIRST_READ else _read_all(current_head),
    )


def add_older(*, owner: int, activities: list[int], floor: int) -> None:
    head = lifecycle.get_head(owner=owner)
    if head is None:
        return  # when an inbox is built, it gets these activities, too
    lifecycle.raise_floor(owner=owner, gen=head.gen, floor=floor)
    ids = [entry_id for entry_id in activities if entry_id > max(floor, head.floor)]
    store.add_entries(owner=owner, gen=head.gen, ids=ids)
    _trim_inboxes({owner: head.gen})


def build_inbox(*, owner: int) -> None:
    warmup.build_inbox(store=lifecycle, owner=owner)


def _trim_inboxes(generations: dict[int, int]) -> None:
    store.trim_inboxes(generations=generations, max_entries=int(settings.FEED_INBOX_MAX))


def _read_all(head: InboxHead) -> tuple[list[int], int]:
    ids = store.all_ids(head=head)
    current_head = lifecycle.reread_head(head=head)
    if current_head is None:
        return [], MAX_ID  # the inbox was dropped, so this page reads the posts
    return [entry_id for entry_id in ids if entry_id > current_head.floor], current_head.floor
