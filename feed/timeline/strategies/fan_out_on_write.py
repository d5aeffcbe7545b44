"""Fan-out on write, one document for each reader and post. How the documents look: ``store.entries``.

Fast while everything fits into memory, and in need of several times as much of it as buckets are. An inbox
may be beyond ``FEED_INBOX_MAX`` by some entries, for only a few of those delivered to are trimmed.
"""

from random import sample

from django.conf import settings

from accounts.infra.ids import MAX_ID
from feed.timeline.store import entry_inboxes as store
from feed.timeline.store.lifecycle import InboxHead

from . import warmup
from .contents import InboxContents, empty_inbox

lifecycle = store.lifecycle

FIRST_READ = 300
"""Ids that come with the first question; enough for the first page of nearly every reader."""

TRIM_EVERY = 50
"""At each delivery one in so many readers is trimmed, by chance: to look costs as much as to deliver."""


def deliver(*, activity: int, recipients: list[int]) -> None:
    # Who begins an inbox after ``push`` has looked fills it from the posts, this one among them.
    warm = store.push_entry(owners=recipients, activity=activity)
    some = sample(sorted(warm), k=-(-len(warm) // TRIM_EVERY))
    _trim({owner: warm[owner] for owner in some})


def read_inbox(*, owner: int) -> InboxContents:
    life = warmup.open_inbox(store=lifecycle, owner=owner)
    if life.built_at is None:
        return empty_inbox(is_building=True)
    newest, held = store.newest_ids(head=life, limit=FIRST_READ)
    now = lifecycle.reread_head(head=life)
    if now is None:
        return empty_inbox()
    ids = [one for one in newest if one > now.floor]
    return InboxContents(
        newest_ids=ids,
        floor=now.floor,
        read_all=lambda: (ids, now.floor) if held <= FIRST_READ else _everything(now),
        count=held,
    )


def add_older(*, owner: int, activities: list[int], floor: int) -> None:
    life = lifecycle.get_head(owner=owner)
    if life is None:
        return  # the inbox will be built from the posts, these among them
    lifecycle.raise_floor(owner=owner, gen=life.gen, floor=floor)
    kept = [one for one in activities if one > max(floor, life.floor)]
    store.add_entries(owner=owner, gen=life.gen, ids=kept)
    _trim({owner: life.gen})


def build_inbox(*, owner: int) -> None:
    warmup.build_inbox(store=lifecycle, owner=owner)


def _trim(lives_of: dict[int, int]) -> None:
    store.trim_inboxes(generations=lives_of, max_entries=int(settings.FEED_INBOX_MAX))


def _everything(life: InboxHead) -> tuple[list[int], int]:
    ids = store.all_ids(head=life)
    now = lifecycle.reread_head(head=life)
    if now is None:
        return [], MAX_ID  # dropped since; for now the posts answer
    return [one for one in ids if one > now.floor], now.floor
