"""How a post gets to its readers: small audiences as a whole, others in parts, whoever came last first.

Plain work, safe to repeat and to stop anywhere; ``tasks`` says who does it when. What is done stands in
the post (``store.deliveries``).
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
    """When a delivery that has not moved since now has stopped."""
    return timezone.now() + timedelta(seconds=settings.FEED_STALLED_AFTER)


def deliver_whole(*, delivery: Delivery) -> None:
    """Bring a post to all whom it is for."""
    if delivery.parts:
        for part in delivery.unfinished_parts:
            deliver_part(delivery=delivery, part_number=part.number)
        return
    own = [delivery.author]
    if delivery.visibility == Post.Visibility.DIRECT:
        # The others see it at home as soon as they follow, by the back-fill. Until then it would
        # only crowd out what they follow, and whom they block could do that to them.
        own += followers_among(uid=delivery.author, uids=delivery.recipients)
    elif delivery.is_pushed:
        for bucket in audience_buckets(uid=delivery.author):
            _deliver(delivery, [*own, *bucket.uids])
            own = []
    if own:
        _deliver(delivery, own)
    deliveries.finish(post=delivery.post, at=timezone.now())


def deliver_part(*, delivery: Delivery, part_number: int) -> None:
    """Bring a post to one part of its audience, bucket by bucket, from where that stopped.

    The author is served with the first. Ends early if somebody else is found doing the same.
    """
    part = delivery.parts[part_number]
    at = part.next_bucket
    own = [delivery.author] if part_number == at == 0 else []
    for bucket in audience_buckets(uid=delivery.author, start_seq=at, end_seq=part.end_bucket):
        _deliver(delivery, [*own, *bucket.uids])
        own = []
        if not _advance(delivery, part_number, at, bucket.seq + 1, len(bucket.uids)):
            return
        at = bucket.seq + 1
    if own:
        _deliver(delivery, own)
    if at < part.end_bucket and not _advance(delivery, part_number, at, part.end_bucket, 0):
        return
    deliveries.finish_if_complete(post=delivery.post, at=timezone.now())


def deliver_priority(*, delivery: Delivery) -> None:
    """Bring a post to those of its audience who were here last, before all others: one push.

    They are served again with their buckets, which changes nothing for them.
    """
    if not settings.FEED_FIRST_SERVED:
        return
    latest = strategies.active_strategy().lifecycle.recent_owners(limit=settings.FEED_FIRST_SERVED)
    readers = followers_among(uid=delivery.author, uids=latest)
    if readers:
        strategies.deliver(activity=delivery.post, recipients=list(readers))


def ensure_parts(*, delivery: Delivery) -> Delivery:
    """The delivery as workers can share it: one that has no parts gets them if its audience is large.

    So it is for posts that were published before there were parts.
    """
    is_for_audience = delivery.is_pushed and delivery.visibility != Post.Visibility.DIRECT
    if delivery.parts or not is_for_audience:
        return delivery
    audience = audience_size(uid=delivery.author)
    if audience.is_within(max_followers=settings.FEED_INLINE_AUDIENCE):
        return delivery
    deliveries.set_parts(
        post=delivery.post, bucket_count=audience.end_seq, audience_size=audience.follower_count
    )
    return deliveries.get_delivery(post=delivery.post) or delivery


def _deliver(delivery: Delivery, readers: list[int]) -> None:
    strategies.deliver(activity=delivery.post, recipients=readers)
    stats.count(subject=stats.SITE, metric=Metric.DELIVERIES, number=len(readers))


def _advance(delivery: Delivery, number: int, begin: int, next: int, reached: int) -> bool:
    return deliveries.record_progress(
        post=delivery.post,
        part_number=number,
        from_bucket=begin,
        next_bucket=next,
        people=reached,
        due_at=next_check_at(),
    )
