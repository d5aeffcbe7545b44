"""Deliver posts to inboxes. A large audience is split into parts, and recent visitors get the post first.

Every function is safe to repeat, also after it was interrupted. ``feed.tasks`` decides which process runs a
delivery and when. The progress is stored in the post (``store.deliveries``).
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from accounts.infra import metrics
from accounts.selectors.follow_graph import audience_buckets, audience_size, followers_among
from feed import stats
from feed.models import Post
from feed.stats import Metric

from . import strategies
from .retries import run_with_retries
from .store import deliveries
from .store.deliveries import Delivery

PRIORITY_RECIPIENTS = 2000
"""Number of recent visitors in a large audience who receive a post before all other followers."""


def next_check_at() -> datetime:
    """Return the time at which a delivery without further progress counts as stalled."""
    return timezone.now() + timedelta(seconds=settings.FEED_STALLED_SECONDS)


def deliver_post(*, post_id: int, max_wait_seconds: float = 0.0) -> None:
    """Deliver a post to its author and the author's whole audience. Skip parts that are done.

    Errors are recorded in the post and raised, transient errors after ``max_wait_seconds`` of retries.
    """

    def deliver() -> None:
        if (delivery := deliveries.get_pending(post=post_id)) is not None:
            _deliver_whole(delivery)

    run_with_retries(deliver, post_id=post_id, attempt=None, max_wait_seconds=max_wait_seconds)


def _deliver_whole(delivery: Delivery) -> None:
    if delivery.parts:
        for part in delivery.unfinished_parts:
            deliver_part(delivery=delivery, part_number=part.number)
        return
    extra_recipients = [delivery.author]
    if delivery.visibility == Post.Visibility.DIRECT:
        # Only recipients who follow the author see a direct post in the home timeline. If another recipient
        # follows the author later, the backfill adds the post. With deliveries to all recipients, strangers
        # could fill inboxes and displace other posts.
        extra_recipients += followers_among(followee=delivery.author, uids=delivery.recipients)
    elif delivery.is_pushed:
        for bucket in audience_buckets(author=delivery.author):
            _deliver_to(delivery, [*extra_recipients, *bucket.uids])
            extra_recipients = []
    if extra_recipients:
        _deliver_to(delivery, extra_recipients)
    deliveries.finish(post=delivery.post, at=timezone.now())


def deliver_part(*, delivery: Delivery, part_number: int) -> None:
    """Deliver a post to one part of its audience, beginning at the first undelivered bucket.

    The author gets the post with the first bucket of the first part. If another worker delivers the same
    part, leave it to that worker.
    """
    part = delivery.parts[part_number]
    next_seq = part.next_bucket
    author = [delivery.author] if part_number == next_seq == 0 else []
    for bucket in audience_buckets(
        author=delivery.author, start_seq=next_seq, end_seq=part.end_bucket
    ):
        _deliver_to(delivery, [*author, *bucket.uids], in_threads=True)
        author = []
        if not _record_progress(delivery, part_number, next_seq, bucket.seq + 1, len(bucket.uids)):
            return
        next_seq = bucket.seq + 1
    if author:
        _deliver_to(delivery, author)
    if next_seq < part.end_bucket and not _record_progress(
        delivery, part_number, next_seq, part.end_bucket, 0
    ):
        return
    deliveries.finish_if_complete(post=delivery.post, at=timezone.now())


def deliver_priority(*, delivery: Delivery) -> None:
    """Deliver a post to the most recent visitors among the followers, with one push.

    These followers are also in the audience buckets. The second delivery to them changes nothing.
    """
    if not PRIORITY_RECIPIENTS:
        return
    recent_uids = strategies.active_strategy().lifecycle.recent_owners(limit=PRIORITY_RECIPIENTS)
    recipients = followers_among(followee=delivery.author, uids=recent_uids)
    if recipients:
        strategies.deliver_in_threads(activity=delivery.post, recipients=list(recipients))


def ensure_parts(*, delivery: Delivery) -> Delivery:
    """Return the delivery. If the audience is large, split the delivery into parts that workers share."""
    is_for_audience = delivery.is_pushed and delivery.visibility != Post.Visibility.DIRECT
    if delivery.parts or not is_for_audience:
        return delivery
    audience = audience_size(author=delivery.author)
    if audience.is_within(max_followers=settings.FEED_INLINE_AUDIENCE_LIMIT):
        return delivery
    deliveries.set_parts(
        post=delivery.post, bucket_count=audience.end_seq, audience_size=audience.follower_count
    )
    return deliveries.get_delivery(post=delivery.post) or delivery


def _deliver_to(delivery: Delivery, recipients: list[int], *, in_threads: bool = False) -> None:
    deliver = strategies.deliver_in_threads if in_threads else strategies.deliver
    deliver(activity=delivery.post, recipients=recipients)
    stats.count(subject=stats.SITE, metric=Metric.DELIVERIES, number=len(recipients))
    metrics.DELIVERIES.inc(len(recipients))


def _record_progress(
    delivery: Delivery, part_number: int, from_bucket: int, next_bucket: int, reached: int
) -> bool:
    return deliveries.record_progress(
        post=delivery.post,
        part_number=part_number,
        from_bucket=from_bucket,
        next_bucket=next_bucket,
        people=reached,
        due_at=next_check_at(),
    )
