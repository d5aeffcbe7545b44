"""What people can do with posts. Each function is one write and one announcement after it."""

import logging

from django.conf import settings
from django.http import Http404

from accounts import selectors as people
from accounts.models import User

from . import signals, strategies, tasks
from .models import Post

logger = logging.getLogger(__name__)


def publish_post(*, author: int, text: str) -> int:
    """Publish a text and bring it to the author's audience; returns the post's id.

    The author sees it at once. Small audiences are delivered before this returns, larger ones by a
    worker. Should the process die anywhere after the insert, the sweeper finishes the delivery.
    """
    audience = people.audience_size(uid=author)
    post = Post.objects.create(author_id=author, text=text, delivery_buckets=audience.end)
    try:
        if audience.is_within(people=settings.FEED_INLINE_AUDIENCE):
            tasks.deliver_post(post_id=post.pk)
        else:
            strategies.current().deliver(activity=post.pk, readers=[author])
            tasks.enqueue(tasks.deliver_post, post_id=post.pk)
    except Exception:
        # The post is out. To answer with an error would make its author publish it again.
        logger.exception("The delivery of post %s waits for the sweeper", post.pk)
    signals.post_published.send_robust(sender=None, post=post.pk, author=author)
    return int(post.pk)


def delete_post(*, post_id: int, actor: User) -> None:
    """Delete one's own post, or as a moderator anybody's; timelines leave it out at the next read.

    Raises Http404 when there is no such post, and also when the actor may not delete it.
    """
    post = Post.objects.filter(pk=post_id).first()
    if post is None or not (post.author_id == actor.pk or actor.has_perm("feed.delete_post")):
        raise Http404("No such post.")
    post.delete()
    signals.post_deleted.send_robust(sender=None, post=post_id, author=post.author_id)
