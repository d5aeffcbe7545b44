"""The life of a reader's inbox, whatever it looks like: begun at the first visit, filled from the posts,
dropped when the reader stays away.

It begins empty, so that deliveries land in it, and is filled *afterwards* with what had been published
before. Who follows few people has it filled in the same request, for others a worker does it.
"""

from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from django.conf import settings
from django.utils import timezone

from accounts import selectors as people
from accounts.ids import new_id
from feed import signals
from feed.store import posts, sealing


class Inbox(Protocol):
    """What every head of an inbox tells."""

    @property
    def owner(self) -> int: ...
    @property
    def gen(self) -> int: ...
    @property
    def built_at(self) -> datetime | None: ...
    @property
    def begun_at(self) -> datetime: ...


Head = TypeVar("Head", bound=Inbox)
Head_co = TypeVar("Head_co", bound=Inbox, covariant=True)


class Store(Protocol[Head_co]):
    """What a strategy's repository offers for it; each step is safe to repeat."""

    def visit(self, *, owner: int, now: datetime) -> Head_co | None: ...
    def create_head(self, *, owner: int, gen: int, now: datetime) -> Head_co: ...
    def finish_head(
        self, *, owner: int, gen: int, missing: list[int], floor: int, now: datetime
    ) -> bool: ...
    def ask_again(self, *, owner: int, gen: int, now: datetime) -> None: ...


def opened(*, store: Store[Head], reader: int) -> Head:
    """The reader's inbox: one command if it is there. A new one is built before this returns, or for
    who follows very many people only begun, with ``built_at`` None."""
    now = timezone.now()
    inbox = store.visit(owner=reader, now=now)
    if inbox is not None and inbox.built_at is not None:
        return inbox
    is_new = inbox is None
    if inbox is None:
        inbox = store.create_head(owner=reader, gen=new_id(), now=now)
    authors = people.followees(uid=reader)
    if len(authors) <= settings.FEED_BUILD_INLINE:
        _fill(store, inbox, authors)
        return store.visit(owner=reader, now=now) or inbox
    if is_new or now - inbox.begun_at > timedelta(seconds=settings.FEED_STALLED_AFTER):
        store.ask_again(owner=reader, gen=inbox.gen, now=now)
        signals.inbox_begun.send_robust(sender=None, reader=reader)
    return inbox


def build(*, store: Store[Head], reader: int) -> None:
    """Begin and fill the reader's inbox, if that is still to be done."""
    now = timezone.now()
    inbox = store.visit(owner=reader, now=now)
    if inbox is None:
        inbox = store.create_head(owner=reader, gen=new_id(), now=now)
    if inbox.built_at is None:
        _fill(store, inbox, people.followees(uid=reader))


def _fill(store: Store[Head], inbox: Head, authors: list[int]) -> None:
    limit = settings.FEED_INBOX_MAX - sealing.SEAL_AT  # room for what arrives next
    newest = posts.ids_by_authors(
        authors=[inbox.owner, *authors], reader=inbox.owner, limit=limit + 1
    )
    missing, left_out = newest[:limit], newest[limit:]
    store.finish_head(
        owner=inbox.owner,
        gen=inbox.gen,
        missing=missing,
        floor=left_out[0] if left_out else 0,
        now=timezone.now(),
    )
