"""Progress of deliveries, for authors and administrators."""

from dataclasses import dataclass

from django.utils import timezone

from accounts.infra.ids import time_of
from feed.models import Post
from feed.timeline.store import deliveries

MAX_LISTED = 5000
"""Maximum number of unfinished deliveries listed for each state. Normally there are few."""


@dataclass(frozen=True, slots=True)
class DeliveryProgress:
    """The number of followers reached, dormant ones included, of those when the delivery began."""

    reached: int
    audience_size: int
    state: str


def delivery_progress(*, post_id: int, viewer: int | None) -> DeliveryProgress | None:
    """Return the progress if the viewer is the author and the post is delivered, otherwise None."""
    if viewer is None:
        return None
    delivery = deliveries.get_delivery(post=post_id)
    if delivery is None or delivery.author != viewer or not delivery.is_pushed:
        return None
    return _progress(delivery.state, delivery.reached, delivery.audience_size)


def delivery_backlog() -> tuple[int, float, int]:
    """Return ``(pending_count, oldest_age, failed_count)`` of the unfinished deliveries. Two commands.

    The age of the oldest pending delivery is in seconds. Each count is at most ``MAX_LISTED``.
    """
    pending_count, failed_count, oldest_id = deliveries.count_unfinished(limit=MAX_LISTED)
    age = (timezone.now() - time_of(id=oldest_id)).total_seconds() if oldest_id else 0.0
    return pending_count, max(age, 0.0), failed_count


def progress_of_post(*, post: Post) -> DeliveryProgress:
    """Return the progress stored in a model instance, without a database command."""
    reached = sum(part["reached"] for part in post.delivery_parts)
    return _progress(post.delivery_state, reached, post.delivery_audience_size)


def unfinished_post_ids(*, state: str | None = None) -> list[int]:
    """Return the ids of posts whose delivery is pending or failed, or only of those in ``state``."""
    post_ids: list[int] = []
    if state in (None, Post.DeliveryState.FAILED):
        post_ids += deliveries.failed_ids(limit=MAX_LISTED)
    if state in (None, Post.DeliveryState.PENDING):
        post_ids += deliveries.pending_ids(limit=MAX_LISTED)
    return post_ids


def _progress(state: str, reached: int, audience_size: int) -> DeliveryProgress:
    # If the audience changes during a delivery, ``reached`` may differ from ``audience_size`` at the end.
    reached = audience_size if state == Post.DeliveryState.DONE else min(reached, audience_size)
    return DeliveryProgress(reached=reached, audience_size=audience_size, state=state)
