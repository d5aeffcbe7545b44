"""How a new post comes out: inserted once, and brought to its audience as is planned in the same insert."""

import logging
from collections.abc import Mapping, Sequence

from django.conf import settings

from accounts.infra.transactions import transactional
from accounts.selectors.follow_graph import audience_size
from accounts.store.audiences import AudienceSize
from feed import signals, tasks
from feed.models import Post
from feed.store import reading
from feed.timeline import strategies
from feed.timeline.store import deliveries

from .idempotency import KeyedInsert, claim_key
from .pictures import CannotAttach, attach_pictures
from .tags import register_imported_tags, update_tag_usage

logger = logging.getLogger(__name__)


def insert_and_deliver(
    *, post: Post, idempotency_key: str = "", picture_ids: Sequence[int] = ()
) -> int:
    """Insert a post, deliver it and announce it; or, if its author has used this ``key`` before, nothing of
    that. Returns the id of the post that is out. ``media``: as for ``pictures.attach``."""
    plan_delivery(post)
    author = post.author_id
    try:
        made = _insert(post, KeyedInsert(author, idempotency_key, post.pk), list(picture_ids))
    except CannotAttach:
        reading.remove_merged_post(author=author, post=post.pk)
        raise
    if made.is_new:
        start_delivery(post)
        if post.hidden:
            signals.post_pending_review.send_robust(sender=None, post=post.pk, author=author)
            return made.id
        update_tag_usage(
            post_id=post.pk, post=post, old_attributes=[], new_attributes=post.entities
        )
        signals.post_published.send_robust(sender=None, post=post.pk, author=author)
    elif not post.is_pushed:
        reading.remove_merged_post(author=author, post=post.pk)
    return made.id


def _insert(post: Post, wanted: KeyedInsert, media: list[int]) -> KeyedInsert:
    if not wanted.key and not media:
        post.save(force_insert=True)
        return wanted
    return _insert_once(post, wanted, media)


@transactional(retry_duplicate_keys=True)
def _insert_once(post: Post, wanted: KeyedInsert, media: list[int]) -> KeyedInsert:
    made = claim_key(insert=wanted, exists=lambda pk: Post.objects.filter(pk=pk).exists())
    if made.is_new:
        attach_pictures(post=post, picture_ids=media)
        post.save(force_insert=True)
    return made


def import_posts(
    *, posts: Sequence[Post], picture_ids_by_post: Mapping[int, Sequence[int]]
) -> None:
    """Insert posts of one author that were written long ago, somewhere else, and deliver them: they are in
    every timeline in their place. Nobody is told, and their hashtags count as those of their time.

    ``media``: by the id of a post, its pictures, as for ``pictures.attach``. Wherever this stops, the
    sweeper delivers what was inserted.
    """
    if not posts:
        return
    audience = audience_size(uid=posts[0].author_id)
    for post in posts:
        plan_delivery(post, audience)
    Post.objects.bulk_create([post for post in posts if post.pk not in picture_ids_by_post])
    for post in posts:
        if post.pk in picture_ids_by_post:
            _insert_once(
                post, KeyedInsert(post.author_id, "", post.pk), list(picture_ids_by_post[post.pk])
            )
    register_imported_tags(posts=posts)
    for post in posts:
        start_delivery(post)


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
        audience = audience_size(uid=post.author_id)
    post.delivery_people = audience.follower_count
    if audience.follower_count > settings.FEED_PUSH_LIMIT:
        reading.add_merged_post(author=post.author_id, post=post.pk)
        post.is_pushed, post.delivery_state = False, Post.DeliveryState.DONE
    elif not audience.is_within(max_followers=settings.FEED_INLINE_AUDIENCE):
        post.delivery_parts = deliveries.initial_parts(bucket_count=audience.end_seq)


def start_delivery(post: Post) -> None:
    try:
        if not post.is_pushed:
            return
        if post.delivery_parts:
            strategies.deliver(activity=post.pk, recipients=[post.author_id])
            tasks.enqueue_delivery(post_id=post.pk)
        else:
            tasks.deliver_post(post_id=post.pk)
    except Exception:
        # The post is out. To answer with an error would make its author publish it again.
        logger.exception("The delivery of post %s waits for the sweeper", post.pk)
