"""Fan-out on write, one document for each reader and post. How the documents look: ``store.entries``.

Fast while everything fits into memory, and in need of several times as much of it as buckets are. An inbox
may be beyond ``FEED_INBOX_MAX`` by some entries, for only a few of those delivered to are trimmed.
"""

from random import sample

from django.conf import settings

from accounts.ids import MAX_ID
from feed.store import entries as store
from feed.store.lives import Life

from . import warmth
from .entries import Entries, nothing_held

lives = store.lives

NEWEST = 300
"""Ids that come with the first question; enough for the first page of nearly every reader."""

TRIMMED_IN = 50
"""At each delivery one in so many readers is trimmed, by chance: to look costs as much as to deliver."""


def deliver(*, activity: int, readers: list[int]) -> None:
    # Who begins an inbox after ``push`` has looked fills it from the posts, this one among them.
    warm = store.push(owners=readers, activity=activity)
    some = sample(sorted(warm), k=-(-len(warm) // TRIMMED_IN))
    _trim({owner: warm[owner] for owner in some})


def entries(*, reader: int) -> Entries:
    life = warmth.opened(store=lives, reader=reader)
    if life.built_at is None:
        return nothing_held(being_built=True)
    newest, held = store.newest(life=life, limit=NEWEST)
    now = lives.same_life(life=life)
    if now is None:
        return nothing_held()
    ids = [one for one in newest if one > now.floor]
    return Entries(
        newest=ids,
        floor=now.floor,
        everything=lambda: (ids, now.floor) if held <= NEWEST else _everything(now),
        held=held,
    )


def add_older(*, reader: int, activities: list[int], floor: int) -> None:
    life = lives.get(owner=reader)
    if life is None:
        return  # the inbox will be built from the posts, these among them
    lives.raise_floor(owner=reader, gen=life.gen, floor=floor)
    kept = [one for one in activities if one > max(floor, life.floor)]
    store.add(owner=reader, gen=life.gen, ids=kept)
    _trim({reader: life.gen})


def build(*, reader: int) -> None:
    warmth.build(store=lives, reader=reader)


def _trim(lives_of: dict[int, int]) -> None:
    store.trim(lives_of=lives_of, keep=int(settings.FEED_INBOX_MAX))


def _everything(life: Life) -> tuple[list[int], int]:
    ids = store.everything(life=life)
    now = lives.same_life(life=life)
    if now is None:
        return [], MAX_ID  # dropped since; for now the posts answer
    return [one for one in ids if one > now.floor], now.floor
