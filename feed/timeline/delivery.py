"""Deliver a post: small audiences as a whole, large ones in parts, recent visitors first.

Every function is safe to repeat and may stop anywhere. ``feed.tasks`` decides which process runs it and
when. The post records the progress (``store.deliveries``).
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from accounts.selectors.follow_graph import audience_buckets, audience_size, followers_among
from feed import stats
from feed.models import Post
from feed.stats import Metric

from . import strategies
from .store import deliveries
from .store.deliveries import Delivery


def next_check_at() -> datetime:
    """Return when a delivery counts as stalled if it makes no progress from now on."""
    return timezone.now() + timedelta(seconds=settings.FEED_STALLED_SECONDS)


def deliver_whole(*, delivery: Delivery) -> None:
    """Deliver a post to all its recipients."""
    if delivery.parts:
        for part in delivery.unfinished_parts:
            deliver_part(delivery=delivery, part_number=part.number)
        return
    extra_recipients = [delivery.author]
    if delivery.visibility == Post.Visibility.DIRECT:
        # Recipients who do not follow the author get the post by the backfill when they follow.
        # Delivered now, it would only displace other entries, and blocked users could exploit that.
        extra_recipients += followers_among(uid=delivery.author, uids=delivery.recipients)
    elif delivery.is_pushed:
        for bucket in audience_buckets(uid=delivery.author):
            _deliver_to(delivery, [*extra_recipients, *bucket.uids])
            extra_recipients = []
    if extra_recipients:
        _deliver_to(delivery, extra_recipients)
    deliveries.finish(post=delivery.post, at=timezone.now())


def deliver_part(*, delivery: Delivery, part_number: int) -> None:
    """Deliver a post to one part of its audience, bucket by bucket, from where it stopped.

    The first bucket of the first part includes the author. Return early if another worker delivers
    the same part.
    """
    part = delivery.parts[part_number]
    next_seq = part.next_bucket
    author = [delivery.author] if part_number == next_seq == 0 else []
    for bucket in audience_buckets(
        uid=delivery.author, start_seq=next_seq, end_seq=part.end_bucket
    ):
        _deliver_to(delivery, [*author, *bucket.uids])
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

    Their buckets include them again later, which changes nothing.
    """
    if not settings.FEED_PRIORITY_RECIPIENTS:
        return
    recent_uids = strategies.active_strategy().lifecycle.recent_owners(
        limit=settings.FEED_PRIORITY_RECIPIENTS
    )
    recipients = followers_among(uid=delivery.author, uids=recent_uids)
    if recipients:
        strategies.deliver(activity=delivery.post, recipients=list(recipients))


def ensure_parts(*, delivery: Delivery) -> Delivery:
    """Return the delivery, split into parts if its audience is large, so that workers can share it.

    Posts published before deliveries were split have no parts.
    """
    is_for_audience = delivery.is_pushed and delivery.visibility != Post.Visibility.DIRECT
    if delivery.parts or not is_for_audience:
        return delivery
    audience = audience_size(uid=delivery.author)
    if audience.is_within(max_followers=settings.FEED_INLINE_AUDIENCE_LIMIT):
        return delivery
    deliveries.set_parts(
        post=delivery.post, bucket_count=audience.end_seq, audience_size=audience.follower_count
    )
    return deliveries.get_delivery(post=delivery.post) or delivery


def _deliver_to(delivery: Delivery, recipients: list[int]) -> None:
    strategies.deliver(activity=delivery.post, recipients=recipients)
    stats.count(subject=stats.SITE, metric=Metric.DELIVERIES, number=len(recipients))


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
