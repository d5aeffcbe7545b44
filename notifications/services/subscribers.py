"""Notify the subscribers of an author, who want a notification of each post of the author.

An author may have many subscribers, so a worker notifies them in batches. ``store.subscriber_deliveries``
records how far it came. The cursors follow the order of the follows, so a resumed delivery repeats at most
one batch, and boxes refuse a repeated notification.
"""

from datetime import timedelta

from django.utils import timezone

from accounts.selectors.follow_graph import subscribers_after
from feed.activities import activity_kind
from feed.selectors.stored_content import other_reviewers, post_row, quoted_author, uids_with_access
from feed.store.post_rows import PostRow
from notifications.store import subscriber_deliveries

from .delivery import CHUNK_SIZE, notify

STALLED_AFTER = timedelta(minutes=5)
"""A delivery without progress for this long has stalled."""


def plan_delivery(*, post_id: int) -> None:
    """Record that the author's subscribers must be notified of a new post."""
    subscriber_deliveries.insert_delivery(post=post_id, due_at=timezone.now() + STALLED_AFTER)


def notify_subscribers(*, post_id: int) -> None:
    """Notify the remaining subscribers who may read the post. Safe to repeat and to interrupt.

    Mentioned users, reviewers of the same item and the author of the quoted post are left out: they
    already have a notification.
    """
    cursor = subscriber_deliveries.claim_delivery(
        post=post_id, due_at=timezone.now() + STALLED_AFTER
    )
    while cursor is not None:
        # Each batch reads the post again, because it may be deleted or hidden meanwhile.
        post = post_row(post_id=post_id)
        page = (
            subscribers_after(followee=post.author, cursor=cursor, limit=CHUNK_SIZE)
            if post is not None
            else []
        )
        if post is None or not page:
            subscriber_deliveries.delete_delivery(post=post_id)
            return
        handled_uids = {
            *post.mentioned_uids,
            *other_reviewers(post=post),
            *quoted_author(post=post),
        }
        uids = [uid for _cursor, uid in page if uid not in handled_uids]
        recipients = uids_with_access(post=post, uids=uids) if uids else set()
        notify(
            kind="post",
            actor=post.author,
            recipients=[uid for uid in uids if uid in recipients],
            post=post_id,
        )
        cursor = page[-1][0]
        subscriber_deliveries.save_progress(
            post=post_id, cursor=cursor, due_at=timezone.now() + STALLED_AFTER
        )


def is_announced(*, post: PostRow) -> bool:
    """Return whether subscribers are notified: not of shares, nor of reports about actions."""
    return post.share_of is None and activity_kind(post.kind).is_written
