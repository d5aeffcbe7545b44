"""React to signals about users, posts and comments.

The receivers run backfills, publish activities, clean up after deletions and count stats.
"""

from collections.abc import Callable
from typing import Any

from django.dispatch import receiver

from accounts.infra.viewer_keys import user_key
from accounts.signals import (
    followed,
    followers_imported,
    signed_up,
    status_changing,
    unfollowed,
    user_erasure_started,
)
from feed.services import activity_posts, erasure, user_lists

from . import stats, store, tasks
from .signals import (
    clip_stored,
    comment_deleted,
    comment_published,
    delivery_due,
    dormant_reader_returned,
    link_card_due,
    post_deleted,
    post_edited,
    post_liked,
    post_published,
    post_shared,
)
from .stats import Metric, UniqueEvent
from .store import home_states, pending_cleanups
from .task_queue import enqueue
from .timeline import backfill
from .timeline import store as timeline_store


@receiver(followed)
def backfill_after_follow(follower: int, followee: int, **_: Any) -> None:
    # The backfill runs in the request, so that the next page shows the older posts. If the backfill
    # fails, the follow stays marked as pending and the sweeper retries.
    tasks.backfill(follower=follower, followee=followee)
    home_states.mark_unseen_older(viewer=follower)


@receiver(followed)
def publish_follow_activity(follower: int, followee: int, **_: Any) -> None:
    activity_posts.publish_follow_activity(follower=follower, followee=followee)


@receiver(unfollowed)
def withdraw_follow_activity(follower: int, followee: int, **_: Any) -> None:
    activity_posts.withdraw_follow_activity(follower=follower, followee=followee)


@receiver(unfollowed)
def end_list_membership(follower: int, followee: int, **_: Any) -> None:
    user_lists.remove_from_all_lists(owner=follower, uid=followee)


@receiver(comment_published)
def publish_comment_activity(
    comment: int, post: int, author: int, visibility: str = "", **_: Any
) -> None:
    if visibility:
        return  # a limited comment
    activity_posts.publish_comment_activity(author=author, post=post, comment=comment)


@receiver(comment_deleted)
def withdraw_comment_activity(comment: int, **_: Any) -> None:
    activity_posts.withdraw_comment_activity(comment_id=comment)


@receiver(followers_imported)
def backfill_after_import(on_progress: Callable[[int], None], **_: Any) -> None:
    backfill.run_pending_backfills(on_progress=on_progress)


@receiver(status_changing)
def plan_correction(uid: int, **_: Any) -> None:
    pending_cleanups.add_change(uid=uid)


@receiver(user_erasure_started)
def erase_user_data(uid: int, **_: Any) -> None:
    erasure.erase_user_data(uid=uid)


@receiver(delivery_due)
def enqueue_delivery(post: int, **_: Any) -> None:
    tasks.enqueue_delivery(post_id=post)


@receiver(link_card_due)
def fetch_link_card(post: int, **_: Any) -> None:
    # If this message is lost, ``fetch_missing_link_cards`` fetches the card.
    enqueue(tasks.fetch_link_card, post_id=post)


@receiver(clip_stored)
def process_clip(clip: int, **_: Any) -> None:
    # If this message is lost, ``sweep`` sends another one.
    enqueue(tasks.process_clip, clip_id=clip)


@receiver(post_edited)
def delete_removed_pictures(has_removed_pictures: bool = False, **_: Any) -> None:
    if has_removed_pictures:
        # If this message is lost, the hourly cleanup deletes the files.
        enqueue(tasks.clean_up_pictures)


@receiver(post_deleted)
def clean_up_deleted_post(post: int, **_: Any) -> None:
    enqueue(tasks.clean_up_post, post_id=post)


@receiver(comment_deleted)
def clean_up_deleted_comment(comment: int, **_: Any) -> None:
    enqueue(tasks.clean_up_comment, comment_id=comment)


@receiver(signed_up)
def count_sign_up(uid: int, **_: Any) -> None:
    stats.count(subject=stats.SITE, metric=Metric.SIGN_UPS)


@receiver(followed)
def count_follower(follower: int, followee: int, is_restored: bool = False, **_: Any) -> None:
    if not is_restored:
        event = UniqueEvent(user_key(uid=follower), followee, Metric.FOLLOWERS)
        stats.count_unique(event=event, window=stats.DAY)


@receiver(post_published)
def count_post(post: int, author: int, **_: Any) -> None:
    stats.count_unique(
        event=UniqueEvent(f"post {post}", stats.SITE, Metric.POSTS), window=stats.DAY
    )


@receiver(post_liked)
def count_like(post: int, liker: int, **_: Any) -> None:
    stats.count_unique(event=UniqueEvent(user_key(uid=liker), post, Metric.LIKES), window=stats.DAY)


@receiver(post_shared)
def count_share(post: int, sharer: int, **_: Any) -> None:
    stats.count_unique(
        event=UniqueEvent(user_key(uid=sharer), post, Metric.SHARES), window=stats.DAY
    )


@receiver(comment_published)
def count_comment(comment: int, post: int, visibility: str = "", **_: Any) -> None:
    if visibility:
        return  # the counters leave limited comments out
    stats.count_unique(
        event=UniqueEvent(f"comment {comment}", post, Metric.COMMENTS), window=stats.DAY
    )


@receiver(dormant_reader_returned)
def build_inbox(owner: int, **_: Any) -> None:
    enqueue(tasks.build_inbox, owner=owner)


def prepare_collections(**_: Any) -> None:
    """Create the indexes of collections without a model. Runs after every ``migrate``."""
    store.create_indexes()
    timeline_store.create_indexes()
