"""Fan-out on write by a counter on the reader: the published design, made correct, for comparison.

How the documents look and where the design comes from: ``store.counted``. A delivery is a transaction, so
it is the slowest to write; a reader's buckets are read all at once.
"""

from django.conf import settings

from feed.store import counted as store
from feed.store import sealing

from . import warmth
from .entries import Entries, nothing_held

lives = store.lives


def deliver(*, activity: int, readers: list[int]) -> None:
    # Who begins an inbox after ``push`` has looked fills it from the posts, this one among them.
    opened = store.push(owners=readers, activity=activity)
    store.trim(lives_of=opened, keep=buckets_kept())


def entries(*, reader: int) -> Entries:
    life = warmth.opened(store=lives, reader=reader)
    if life.built_at is None:
        return nothing_held(being_built=True)
    # Late deliveries and back-fills lie in new buckets: which entries are the newest, only all tell.
    ids = store.ids_of(life=life)
    now = lives.same_life(life=life)
    if now is None:
        return nothing_held()
    held = sorted((one for one in ids if one > now.floor), reverse=True)
    return Entries(
        newest=held, floor=now.floor, everything=lambda: (held, now.floor), held=len(held)
    )


def add_older(*, reader: int, activities: list[int], floor: int) -> None:
    life = lives.get(owner=reader)
    if life is None:
        return  # the inbox will be built from the posts, these among them
    kept = [one for one in activities if one > max(floor, life.floor)]
    store.append_missing(owner=reader, gen=life.gen, ids=kept, floor=floor)
    store.trim(lives_of={reader: life.gen}, keep=buckets_kept())


def build(*, reader: int) -> None:
    warmth.build(store=lives, reader=reader)


def buckets_kept() -> int:
    """How many buckets an inbox has at most, so that it is within its limit when the last one is full."""
    return max(1, int(settings.FEED_INBOX_MAX) // sealing.BUCKET_SIZE)
