"""Create and fill the inbox of a user who visits and has no inbox, for any strategy.

An empty inbox is created first, so that it gets deliveries. *Then* it is filled with earlier posts, so that
no post is missed in between. If the owner follows few users, the request fills the inbox, otherwise a
worker.
"""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from accounts.infra import metrics
from accounts.infra.ids import new_id
from accounts.infra.store.unions import UnionResult
from accounts.selectors.follow_graph import followee_ids
from feed import signals
from feed.store import posts
from feed.timeline.store import seal
from feed.timeline.store.lifecycle import Head, InboxLifecycle

INLINE_BUILD_LIMIT = 2000
"""Users who follow more than this many users get their inbox from a worker, not while the page waits."""


def open_inbox(
    *, store: InboxLifecycle[Head], owner: int, union: UnionResult | None = None
) -> Head:
    """Return the inbox head. One command if the inbox is built and was visited in the last hour,
    which is the normal case. None if ``union`` include the head (``InboxLifecycle.record_visit``).

    Otherwise create and fill the inbox. If the owner follows more than ``INLINE_BUILD_LIMIT`` users, a
    worker fills the inbox, and ``built_at`` of the returned head is None.
    """
    now = timezone.now()
    inbox = store.record_visit(owner=owner, now=now, union=union)
    if inbox is not None and inbox.built_at is not None:
        return inbox
    is_new = inbox is None
    if inbox is None:
        inbox = store.create_head(owner=owner, gen=new_id(), now=now)
    authors = followee_ids(follower=owner)
    if len(authors) <= INLINE_BUILD_LIMIT:
        _fill_inbox(store, inbox, authors)
        return store.record_visit(owner=owner, now=now) or inbox
    if is_new or now - inbox.build_requested_at > timedelta(seconds=settings.FEED_STALLED_SECONDS):
        store.mark_build_requested(owner=owner, gen=inbox.gen, now=now)
        signals.dormant_reader_returned.send_robust(sender=None, owner=owner)
    return inbox


def build_inbox(*, store: InboxLifecycle[Head], owner: int) -> None:
    """Create and fill the inbox unless it is already built."""
    now = timezone.now()
    inbox = store.record_visit(owner=owner, now=now)
    if inbox is None:
        inbox = store.create_head(owner=owner, gen=new_id(), now=now)
    if inbox.built_at is None:
        _fill_inbox(store, inbox, followee_ids(follower=owner))


def _fill_inbox(store: InboxLifecycle[Head], inbox: Head, authors: list[int]) -> None:
    limit = settings.FEED_INBOX_MAX - seal.SEAL_AT  # leave room for a full head
    newest_ids = posts.ids_by_authors(
        authors=[inbox.owner, *authors], viewer=inbox.owner, limit=limit + 1
    )
    missing_ids, omitted_ids = newest_ids[:limit], newest_ids[limit:]
    store.finish_build(
        owner=inbox.owner,
        gen=inbox.gen,
        missing=missing_ids,
        floor=omitted_ids[0] if omitted_ids else 0,
        now=timezone.now(),
    )
    metrics.INBOX_BUILDS.inc()
