"""How a new post comes out: inserted once, and brought to its audience as is planned in the same insert."""

import logging
from collections.abc import Mapping, Sequence

from django.conf import settings

from accounts import selectors as people
from accounts.selectors import AudienceSize
from accounts.transactions import transactional
from feed import signals, strategies, tasks
from feed.models import Post
from feed.store import deliveries, reading

from .once import Once, once
from .pictures import CannotAttach, attach
from .tags import count_tags, name_old_tags

logger = logging.getLogger(__name__)


def bring_out(*, post: Post, key: str = "", media: Sequence[int] = ()) -> int:
    """Insert a post, deliver it and announce it; or, if its author has used this ``key`` before, nothing of
    that. Returns the id of the post that is out. ``media``: as for ``pictures.attach``."""
    plan_delivery(post)
    author = post.author_id
    try:
        made = _insert(post, Once(author, key, post.pk), list(media))
    except CannotAttach:
        reading.forget_merged(author=author, post=post.pk)
        raise
    if made.is_new:
        deliver(post)
        if post.hidden:
            signals.post_held.send_robust(sender=None, post=post.pk, author=author)
            return made.id
        count_tags(post_id=post.pk, post=post, before=[], after=post.entities)
        signals.post_published.send_robust(sender=None, post=post.pk, author=author)
    elif not post.is_pushed:
        reading.forget_merged(author=author, post=post.pk)
    return made.id


def _insert(post: Post, wanted: Once, media: list[int]) -> Once:
    if not wanted.key and not media:
        post.save(force_insert=True)
        return wanted
    return _insert_once(post, wanted, media)


@transactional(retry_duplicate_keys=True)
def _insert_once(post: Post, wanted: Once, media: list[int]) -> Once:
    made = once(wanted=wanted, is_there=lambda pk: Post.objects.filter(pk=pk).exists())
    if made.is_new:
        attach(post=post, media=media)
        post.save(force_insert=True)
    return made


def bring_in(*, posts: Sequence[Post], media: Mapping[int, Sequence[int]]) -> None:
    """Insert posts of one author that were written long ago, somewhere else, and deliver them: they are in
    every timeline in their place. Nobody is told, and their hashtags count as those of their time.

    ``media``: by the id of a post, its pictures, as for ``pictures.attach``. Wherever this stops, the
    sweeper delivers what was inserted.
    """
    if not posts:
        return
    audience = people.audience_size(uid=posts[0].author_id)
    for post in posts:
        plan_delivery(post, audience)
    Post.objects.bulk_create([post for post in posts if post.pk not in media])
    for post in posts:
        if post.pk in media:
            _insert_once(post, Once(post.author_id, "", post.pk), list(media[post.pk]))
    name_old_tags(posts=posts)
    for post in posts:
        deliver(post)


def plan_delivery(post: Post, audience: AudienceSize | None = None) -> None:
    """Note in the post, before it is inserted, to whom it goes and how. ``audience``: its author's, if it
    is known.

    Pushed or merged at read is decided here, once for each post, so that an author who crosses the
    limit later changes nothing for what is out already.
    """
    if post.visibility == Post.Visibility.DIRECT:
        post.delivery_people = len(post.recipients)
        return
    if audience is None:
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
