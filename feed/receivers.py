"""What follows in the feed from what happens among people, and from what happens to posts."""

from collections.abc import Callable
from typing import Any

from django.dispatch import receiver

from accounts.signals import (
    followed,
    followers_added,
    person_erased,
    signed_up,
    unfollowed,
)
from accounts.visitors import user_key

from . import backfilling, services, stats, store, tasks
from .archive import records
from .signals import (
    comment_deleted,
    comment_published,
    inbox_begun,
    post_deleted,
    post_liked,
    post_published,
    post_shared,
)
from .stats import Metric, Once
from .store import reading


@receiver(followed)
def bring_older_posts_of_followed(follower: int, followee: int, **_: Any) -> None:
    # In the request, so that the next page shows them. If it fails, the edge is still marked and
    # the sweeper does it.
    tasks.backfill(follower=follower, followee=followee)
    reading.note_older_posts(reader=follower)


@receiver(followed)
def tell_followers_of_follow(follower: int, followee: int, **_: Any) -> None:
    services.tell_of_follow(follower=follower, followee=followee)


@receiver(unfollowed)
def take_back_what_told_of_follow(follower: int, followee: int, **_: Any) -> None:
    services.take_back_follow(follower=follower, followee=followee)


@receiver(comment_published)
def tell_followers_of_comment(comment: int, post: int, author: int, **_: Any) -> None:
    services.tell_of_comment(author=author, post=post, comment=comment)


@receiver(comment_deleted)
def take_back_what_told_of_comment(comment: int, **_: Any) -> None:
    services.take_back_comment(comment=comment)


@receiver(followers_added)
def bring_older_posts_after_import(advance: Callable[[int], None], **_: Any) -> None:
    backfilling.finish_marked(advance=advance)


@receiver(person_erased)
def erase_what_erased_person_wrote_and_did(uid: int, **_: Any) -> None:
    services.erase_person(uid=uid)
    records.forget(owner=uid)


@receiver(inbox_begun)
def fill_begun_inbox(reader: int, **_: Any) -> None:
    tasks.enqueue(tasks.build_inbox, reader=reader)


@receiver(post_deleted)
def forget_what_pointed_to_deleted_post(post: int, **_: Any) -> None:
    tasks.enqueue(tasks.forget_post, post_id=post)


@receiver(comment_deleted)
def forget_likes_of_deleted_comment(comment: int, **_: Any) -> None:
    tasks.enqueue(tasks.forget_comment, comment_id=comment)


@receiver(signed_up)
def count_sign_up(uid: int, **_: Any) -> None:
    stats.count(subject=stats.SITE, metric=Metric.SIGN_UPS)


@receiver(followed)
def count_follower(follower: int, followee: int, is_restored: bool = False, **_: Any) -> None:
    if not is_restored:
        once = Once(user_key(uid=follower), followee, Metric.FOLLOWERS)
        stats.count_once(once=once, lasts=stats.DAY)


@receiver(post_published)
def count_post(post: int, author: int, **_: Any) -> None:
    stats.count_once(once=Once(f"post {post}", stats.SITE, Metric.POSTS), lasts=stats.DAY)


@receiver(post_liked)
def count_like(post: int, liker: int, **_: Any) -> None:
    stats.count_once(once=Once(user_key(uid=liker), post, Metric.LIKES), lasts=stats.DAY)


@receiver(post_shared)
def count_share(post: int, sharer: int, **_: Any) -> None:
    stats.count_once(once=Once(user_key(uid=sharer), post, Metric.SHARES), lasts=stats.DAY)


@receiver(comment_published)
def count_comment(comment: int, post: int, **_: Any) -> None:
    stats.count_once(once=Once(f"comment {comment}", post, Metric.COMMENTS), lasts=stats.DAY)


def prepare_collections(**_: Any) -> None:
    """After every migrate, so that a database that has its tables has its collections too."""
    store.prepare()
