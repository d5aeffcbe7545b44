"""The life of a reader's inbox, whatever it looks like: begun at the first visit, filled from the posts,
dropped when the reader stays away.

It begins empty, so that deliveries land in it, and is filled *afterwards* with what had been published
before. Who follows few people has it filled in the same request, for others a worker does it.
"""

from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from django.conf import settings
from django.utils import timezone

from accounts.infra.ids import new_id
from accounts.selectors.follow_graph import followee_ids
from feed import signals
from feed.store import posts
from feed.timeline.store import seal


class HeadFields(Protocol):
    """What every head of an inbox tells."""

    @property
    def owner(self) -> int: ...
    @property
    def gen(self) -> int: ...
    @property
    def built_at(self) -> datetime | None: ...
    @property
    def build_requested_at(self) -> datetime: ...


Head = TypeVar("Head", bound=HeadFields)
Head_co = TypeVar("Head_co", bound=HeadFields, covariant=True)


class HeadStore(Protocol[Head_co]):
    """What a strategy's repository offers for it; each step is safe to repeat."""

    def record_visit(self, *, owner: int, now: datetime) -> Head_co | None: ...
    def create_head(self, *, owner: int, gen: int, now: datetime) -> Head_co: ...
    def finish_build(
        self, *, owner: int, gen: int, missing: list[int], floor: int, now: datetime
    ) -> bool: ...
    def mark_build_requested(self, *, owner: int, gen: int, now: datetime) -> None: ...


def open_inbox(*, store: HeadStore[Head], owner: int) -> Head:
    """The reader's inbox: one command if it is there. A new one is built before this returns, or for
    who follows very many people only begun, with ``built_at`` None."""
    now = timezone.now()
    inbox = store.record_visit(owner=owner, now=now)
    if inbox is not None and inbox.built_at is not None:
        return inbox
    is_new = inbox is None
    if inbox is None:
        inbox = store.create_head(owner=owner, gen=new_id(), now=now)
    authors = followee_ids(uid=owner)
    if len(authors) <= settings.FEED_BUILD_INLINE:
        _fill(store, inbox, authors)
        return store.record_visit(owner=owner, now=now) or inbox
    if is_new or now - inbox.build_requested_at > timedelta(seconds=settings.FEED_STALLED_AFTER):
        store.mark_build_requested(owner=owner, gen=inbox.gen, now=now)
        signals.inbox_begun.send_robust(sender=None, reader=owner)
    return inbox


def build_inbox(*, store: HeadStore[Head], owner: int) -> None:
    """Begin and fill the reader's inbox, if that is still to be done."""
    now = timezone.now()
    inbox = store.record_visit(owner=owner, now=now)
    if inbox is None:
        inbox = store.create_head(owner=owner, gen=new_id(), now=now)
    if inbox.built_at is None:
        _fill(store, inbox, followee_ids(uid=owner))


def _fill(store: HeadStore[Head], inbox: Head, authors: list[int]) -> None:
    limit = settings.FEED_INBOX_MAX - seal.SEAL_AT  # room for what arrives next
    newest = posts.ids_by_authors(
        authors=[inbox.owner, *authors], viewer=inbox.owner, limit=limit + 1
    )
    missing, left_out = newest[:limit], newest[limit:]
    store.finish_build(
        owner=inbox.owner,
        gen=inbox.gen,
        missing=missing,
        floor=left_out[0] if left_out else 0,
        now=timezone.now(),
    )
