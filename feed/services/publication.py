"""Insert a post with its delivery plan, and deliver the post to its audience.

With an idempotency key, a double click or a repeated request creates only one post, comment or draft.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.conf import settings

from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.selectors.follow_graph import AudienceSize, audience_size
from feed import signals
from feed.models import Post
from feed.store import conversations, home_states, idempotency_keys
from feed.store.post_rows import is_late_import, quote_attribute
from feed.timeline import delivery, strategies
from feed.timeline.store import deliveries

from .pictures import attach_pictures
from .quotes import CannotQuote, count_quote, without_quote
from .tags import register_imported_tags, update_tag_usage

logger = logging.getLogger(__name__)

OnInsert = Callable[[], None]


@dataclass(frozen=True, slots=True)
class KeyedInsert:
    """A post or comment to insert.

    Attributes:
        key: the idempotency key, "" for none.
        id: the id of the post or comment.
        is_new: False if the id belongs to an earlier insert with the same key.
    """

    author: int
    key: str
    id: int
    is_new: bool = True

    def is_repeat(self) -> bool:
        """Return whether the author has used this key before."""
        return (
            bool(self.key)
            and idempotency_keys.get_created_id(author=self.author, key=self.key) is not None
        )


def claim_key(*, insert: KeyedInsert, exists: Callable[[int], bool]) -> KeyedInsert:
    """Record an insert under its key. If the key was used before, return the earlier insert instead.

    If the earlier post or comment no longer exists, the key is used for the new insert. Call this inside
    the transaction of the insert, so that an aborted insert does not use up the key.

    Args:
        exists: returns whether the post or comment with this id still exists.
    """
    if not insert.key:
        return insert
    author, key = insert.author, insert.key
    earlier_id = idempotency_keys.claim(author=author, key=key, created_id=insert.id)
    if earlier_id is None:
        return insert
    if exists(earlier_id):
        return replace(insert, id=earlier_id, is_new=False)
    idempotency_keys.set_created_id(author=author, key=key, created_id=insert.id)
    return insert


def insert_and_deliver(
    *,
    post: Post,
    idempotency_key: str = "",
    picture_ids: Sequence[int] = (),
    on_insert: OnInsert | None = None,
) -> int:
    """Insert a post, deliver the post, send its signal and return its id.

    If the author has used ``idempotency_key`` before, insert nothing and return the id of the earlier
    post.

    Args:
        picture_ids: ids of unpublished pictures, as for ``pictures.attach_pictures``.
        on_insert: as in ``posts.publish_post``.
    """
    plan_delivery(post)
    author = post.author_id
    try:
        insert = KeyedInsert(author, idempotency_key, post.pk)
        inserted = _insert(post, insert, list(picture_ids), on_insert)
    except Refused:
        home_states.remove_merged_post(author=author, post=post.pk)
        raise
    if inserted.is_new:
        start_delivery(post)
        if post.hidden:
            signals.post_pending_review.send_robust(sender=None, post=post.pk, author=author)
            return inserted.id
        update_tag_usage(
            post_id=post.pk, post=post, old_attributes=[], new_attributes=post.attributes
        )
        signals.post_published.send_robust(sender=None, post=post.pk, author=author)
    elif not post.is_pushed:
        home_states.remove_merged_post(author=author, post=post.pk)
    return inserted.id


def _insert(
    post: Post, insert: KeyedInsert, media: list[int], on_insert: OnInsert | None
) -> KeyedInsert:
    is_direct = post.visibility == Post.Visibility.DIRECT
    if not (insert.key or media or is_direct or quote_attribute(post.attributes)):
        post.save(force_insert=True)
        return insert
    return _insert_once(post, insert, media, on_insert)


@transactional(retry_duplicate_keys=True)
def _insert_once(
    post: Post, insert: KeyedInsert, media: list[int], on_insert: OnInsert | None = None
) -> KeyedInsert:
    inserted = claim_key(insert=insert, exists=lambda pk: Post.objects.filter(pk=pk).exists())
    if inserted.is_new:
        if on_insert is not None:
            on_insert()
        attach_pictures(post=post, picture_ids=media)
        count_quote(post=post)
        post.save(force_insert=True)
        if post.visibility == Post.Visibility.DIRECT:
            participants = [post.author_id, *post.recipients]
            conversations.add_message(post=post.pk, owners=participants, id=post.pk)
    return inserted


def import_posts(
    *, posts: Sequence[Post], picture_ids_by_post: Mapping[int, Sequence[int]]
) -> None:
    """Insert older posts of one author from another site and deliver them.

    Timelines sort the imported posts by their original dates, without late imports (``LATE_IMPORT``).
    Nobody is notified, and the hashtags do not trend. If the process dies, the sweeper delivers the posts
    that were inserted.

    Args:
        picture_ids_by_post: ids of unpublished pictures by post id. Posts without pictures are missing.
    """
    if not posts:
        return
    audience = audience_size(author=posts[0].author_id)
    for post in posts:
        if is_late_import(post.origin):
            post.delivery_state = Post.DeliveryState.DONE
        else:
            plan_delivery(post, audience)
    one_by_one = [
        post for post in posts if post.pk in picture_ids_by_post or quote_attribute(post.attributes)
    ]
    Post.objects.bulk_create([post for post in posts if post not in one_by_one])
    for post in one_by_one:
        _insert_imported(post, list(picture_ids_by_post.get(post.pk, ())))
    register_imported_tags(posts=posts)
    for post in posts:
        if not is_late_import(post.origin):
            start_delivery(post)


def _insert_imported(post: Post, picture_ids: list[int]) -> None:
    insert = KeyedInsert(post.author_id, "", post.pk)
    try:
        _insert_once(post, insert, picture_ids)
    except CannotQuote:  # the quoted post does not exist (any more)
        post.attributes = without_quote(attributes=post.attributes)
        _insert_once(post, insert, picture_ids)


def plan_delivery(post: Post, audience: AudienceSize | None = None) -> None:
    """Set the delivery fields of a post before it is inserted.

    The size of the audience decides whether the post is pushed to inboxes or merged when timelines are
    read (``FEED_PUSH_LIMIT``). The decision is stored in the post, because the audience may later cross the
    limit.

    Args:
        audience: size of the author's audience. None reads the size from the database.
    """
    if post.visibility == Post.Visibility.DIRECT:
        post.delivery_audience_size = len(post.recipients)
        return
    if audience is None:
        audience = audience_size(author=post.author_id)
    post.delivery_audience_size = audience.follower_count
    if audience.follower_count > settings.FEED_PUSH_LIMIT:
        home_states.add_merged_post(author=post.author_id, post=post.pk)
        post.is_pushed, post.delivery_state = False, Post.DeliveryState.DONE
    elif not audience.is_within(max_followers=settings.FEED_INLINE_AUDIENCE_LIMIT):
        post.delivery_parts = deliveries.initial_parts(bucket_count=audience.end_seq)


def start_delivery(post: Post) -> None:
    try:
        if not post.is_pushed:
            return
        if post.delivery_parts:
            strategies.deliver(activity=post.pk, recipients=[post.author_id])
            signals.delivery_due.send(sender=None, post=post.pk)
        else:
            delivery.deliver_post(post_id=post.pk)
    except Exception:
        # The post is already published. If the author saw an error, the author would publish a duplicate.
        logger.exception("Delivery of post %s failed; the sweeper will resume it", post.pk)
