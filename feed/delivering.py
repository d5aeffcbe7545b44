"""How a post gets to its readers: small audiences as a whole, others in parts, whoever came last first.

Plain work, safe to repeat and to stop anywhere; ``tasks`` says who does it when. What is done stands in
the post (``store.deliveries``).
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from accounts import selectors as people

from . import stats, strategies
from .models import Post
from .stats import Metric
from .store import deliveries
from .store.deliveries import Delivery


def look_again_at() -> datetime:
    """When a delivery that has not moved since now has stopped."""
    return timezone.now() + timedelta(seconds=settings.FEED_STALLED_AFTER)


def deliver_whole(*, delivery: Delivery) -> None:
    """Bring a post to all whom it is for."""
    if delivery.parts:
        for part in delivery.unfinished:
            deliver_part(delivery=delivery, number=part.number)
        return
    own = [delivery.author]
    if delivery.visibility == Post.Visibility.DIRECT:
        # The others see it at home as soon as they follow, by the back-fill. Until then it would
        # only crowd out what they follow, and whom they block could do that to them.
        own += people.followers_among(uid=delivery.author, uids=delivery.recipients)
    elif delivery.is_pushed:
        for bucket in people.audience_buckets(uid=delivery.author):
            _deliver(delivery, [*own, *bucket.uids])
            own = []
    if own:
        _deliver(delivery, own)
    deliveries.finish(post=delivery.post, at=timezone.now())


def deliver_part(*, delivery: Delivery, number: int) -> None:
    """Bring a post to one part of its audience, bucket by bucket, from where that stopped.

    The author is served with the first. Ends early if somebody else is found doing the same.
    """
    part = delivery.parts[number]
    at = part.next
    own = [delivery.author] if number == at == 0 else []
    for bucket in people.audience_buckets(uid=delivery.author, begin=at, end=part.end):
        _deliver(delivery, [*own, *bucket.uids])
        own = []
        if not _advance(delivery, number, at, bucket.seq + 1, len(bucket.uids)):
            return
        at = bucket.seq + 1
    if own:
        _deliver(delivery, own)
    if at < part.end and not _advance(delivery, number, at, part.end, 0):
        return
    deliveries.finish_if_complete(post=delivery.post, at=timezone.now())


def deliver_to_latest(*, delivery: Delivery) -> None:
    """Bring a post to those of its audience who were here last, before all others: one push.

    They are served again with their buckets, which changes nothing for them.
    """
    if not settings.FEED_FIRST_SERVED:
        return
    latest = strategies.current().lives.seen_lately(limit=settings.FEED_FIRST_SERVED)
    readers = people.followers_among(uid=delivery.author, uids=latest)
    if readers:
        strategies.deliver(activity=delivery.post, readers=list(readers))


def with_parts(*, delivery: Delivery) -> Delivery:
    """The delivery as workers can share it: one that has no parts gets them if its audience is large.

    So it is for posts that were published before there were parts.
    """
    is_for_audience = delivery.is_pushed and delivery.visibility != Post.Visibility.DIRECT
    if delivery.parts or not is_for_audience:
        return delivery
    audience = people.audience_size(uid=delivery.author)
    if audience.is_within(people=settings.FEED_INLINE_AUDIENCE):
        return delivery
    deliveries.split(post=delivery.post, end=audience.end, people=audience.people)
    return deliveries.get(post=delivery.post) or delivery


def _deliver(delivery: Delivery, readers: list[int]) -> None:
    strategies.deliver(activity=delivery.post, readers=readers)
    stats.count(subject=stats.SITE, metric=Metric.DELIVERIES, number=len(readers))


def _advance(delivery: Delivery, number: int, begin: int, next: int, reached: int) -> bool:
    return deliveries.advance(
        post=delivery.post,
        part=number,
        begin=begin,
        next=next,
        people=reached,
        at=look_again_at(),
    )
