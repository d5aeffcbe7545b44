"""How a new post is brought to its audience: planned in the same insert, then done or asked for."""

import logging

from django.conf import settings

from accounts import selectors as people
from feed import strategies, tasks
from feed.models import Post
from feed.store import deliveries, reading

logger = logging.getLogger(__name__)


def plan_delivery(post: Post) -> None:
    """Note in the post, before it is inserted, to whom it goes and how.

    Pushed or merged at read is decided here, once for each post, so that an author who crosses the
    limit later changes nothing for what is out already.
    """
    if post.visibility == Post.Visibility.DIRECT:
        post.delivery_people = len(post.recipients)
        return
    audience = people.audience_size(uid=post.author_id)
    post.delivery_people = audience.people
    if audience.people > settings.FEED_PUSH_LIMIT:
        reading.note_merged(author=post.author_id, post=post.pk)
        post.is_pushed, post.delivery_state = False, Post.Delivery.DONE
    elif not audience.is_within(people=settings.FEED_INLINE_AUDIENCE):
        post.delivery_parts = deliveries.parts(end=audience.end)


def deliver(post: Post) -> None:
    try:
        if not post.is_pushed:
            return
        if post.delivery_parts:
            strategies.deliver(activity=post.pk, readers=[post.author_id])
            tasks.enqueue_delivery(post_id=post.pk)
        else:
            tasks.deliver_post(post_id=post.pk)
    except Exception:
        # The post is out. To answer with an error would make its author publish it again.
        logger.exception("The delivery of post %s waits for the sweeper", post.pk)
