"""How far posts have come on their way to their audience: for their authors, and for who looks after it."""

from dataclasses import dataclass

from feed.models import Post
from feed.timeline.store import deliveries

MAX_LISTED = 5000
"""Of unfinished deliveries so many are looked at; there are few, unless something is very wrong."""


@dataclass(frozen=True, slots=True)
class DeliveryProgress:
    """Reached are ``reached`` of ``people``, also those who do not come any more; ``state`` is one of
    ``Post.Delivery``."""

    reached: int
    audience_size: int
    state: str


def delivery_progress(*, post_id: int, viewer: int | None) -> DeliveryProgress | None:
    """For the author alone. None for others, and for posts that are merged at read."""
    if viewer is None:
        return None
    found = deliveries.get_delivery(post=post_id)
    if found is None or found.author != viewer or not found.is_pushed:
        return None
    return _progress(found.state, found.reached, found.audience_size)


def progress_of_post(*, post: Post) -> DeliveryProgress:
    """The same of a model instance, without a command."""
    reached = sum(part["reached"] for part in post.delivery_parts)
    return _progress(post.delivery_state, reached, post.delivery_people)


def unfinished_post_ids(*, state: str | None = None) -> list[int]:
    """The newest posts whose delivery is under way or was given up, or of these ``state`` only."""
    found: list[int] = []
    if state in (None, Post.DeliveryState.FAILED):
        found += deliveries.failed_ids(limit=MAX_LISTED)
    if state in (None, Post.DeliveryState.PENDING):
        found += deliveries.pending_ids(limit=MAX_LISTED)
    return found


def _progress(state: str, reached: int, people: int) -> DeliveryProgress:
    # The audience may have grown or shrunk on the way; what is done has reached all.
    reached = people if state == Post.DeliveryState.DONE else min(reached, people)
    return DeliveryProgress(reached=reached, audience_size=people, state=state)
