"""What people are told of what happens among them and in the feed."""

from typing import Any

from django.contrib.auth.signals import user_logged_out
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.http import HttpRequest

from accounts import signals as accounts
from accounts.models import User
from accounts.oauth.models import AccessToken
from feed import signals as feed
from feed.tasks import enqueue

from . import selectors, services, signals, store, tasks
from .pushing import keys
from .services import events, withdrawing
from .services.catching_up import catch_up

TOLD_AT_ONCE = 50
"""Of those who follow a thread so many are told in the request; more are work for a worker."""


@receiver(feed.post_published)
def tell_of_post(post: int, **_: Any) -> None:
    events.post_published(post_id=post)


@receiver(feed.post_edited)
def tell_who_is_mentioned_now(post: int, mentioned: list[int], **_: Any) -> None:
    events.post_published(post_id=post, mentioned=mentioned)


@receiver(feed.comment_published)
def tell_of_comment(comment: int, post: int, parent: int, **_: Any) -> None:
    said = {"comment_id": comment, "post_id": post, "parent": parent}
    if not events.comment_published(**said, most_followers=TOLD_AT_ONCE):
        # If no worker can be asked, they are not told, which is better than no comment.
        enqueue(tasks.tell_of_comment, **said)


@receiver(feed.comment_edited)
def tell_who_is_mentioned_in_comment_now(
    comment: int, post: int, mentioned: list[int], **_: Any
) -> None:
    events.comment_edited(comment_id=comment, post_id=post, mentioned=mentioned)


@receiver(feed.post_liked)
def tell_author_of_like(post: int, liker: int, **_: Any) -> None:
    events.post_liked(post_id=post, liker=liker)


@receiver(feed.comment_liked)
def tell_commenter_of_like(comment: int, post: int, liker: int, **_: Any) -> None:
    events.comment_liked(comment_id=comment, post_id=post, liker=liker)


@receiver(feed.post_shared)
def tell_author_of_share(post: int, sharer: int, **_: Any) -> None:
    events.post_shared(post_id=post, sharer=sharer)


@receiver(accounts.followed)
def tell_of_follower(follower: int, followee: int, is_restored: bool, **_: Any) -> None:
    withdrawing.follow_request_ended(follower=follower, followee=followee)
    if not is_restored:  # after a block, of which nobody is told
        events.followed(follower=follower, followee=followee)


@receiver(accounts.follow_requested)
def tell_of_request(follower: int, followee: int, **_: Any) -> None:
    events.follow_requested(follower=follower, followee=followee)


@receiver(accounts.follow_request_accepted)
def tell_who_asked(follower: int, followee: int, **_: Any) -> None:
    events.follow_request_accepted(follower=follower, followee=followee)


@receiver(feed.post_deleted)
def withdraw_post(post: int, **_: Any) -> None:
    withdrawing.post_deleted(post_id=post)


@receiver(feed.comment_deleted)
def withdraw_comment(comment: int, post: int, **_: Any) -> None:
    withdrawing.comment_deleted(comment_id=comment, post_id=post)


@receiver(feed.post_unliked)
def withdraw_like(post: int, liker: int, **_: Any) -> None:
    withdrawing.post_unliked(post_id=post, liker=liker)


@receiver(feed.comment_unliked)
def withdraw_like_of_comment(comment: int, post: int, liker: int, **_: Any) -> None:
    withdrawing.comment_unliked(comment_id=comment, post_id=post, liker=liker)


@receiver(feed.post_unshared)
def withdraw_share(post: int, sharer: int, **_: Any) -> None:
    withdrawing.post_unshared(post_id=post, sharer=sharer)


@receiver(accounts.unfollowed)
def withdraw_follower(follower: int, followee: int, **_: Any) -> None:
    withdrawing.unfollowed(follower=follower, followee=followee)


@receiver(accounts.follow_request_ended)
def withdraw_request(follower: int, followee: int, **_: Any) -> None:
    withdrawing.follow_request_ended(follower=follower, followee=followee)


@receiver(accounts.blocked)
def withdraw_what_they_told_each_other(owner: int, other: int, **_: Any) -> None:
    withdrawing.blocked(owner=owner, other=other)


@receiver(accounts.person_erased)
def erase_what_told_of_erased_person(uid: int, **_: Any) -> None:
    withdrawing.person_erased(uid=uid)


@receiver(accounts.muted)
def count_the_muted_no_more(owner: int, other: int, **_: Any) -> None:
    withdrawing.muted(owner=owner, other=other)


@receiver(signals.told)
def tell_devices(item: int, readers: list[int], **_: Any) -> None:
    owners = selectors.owners_of_devices(uids=readers) if keys.is_on() else []
    if len(owners) == 1:
        enqueue(tasks.push, item=item, reader=owners[0])
    elif owners:
        enqueue(tasks.push_to_many, item=item, readers=owners)


@receiver(user_logged_out)
def forget_device_of_log_in(request: HttpRequest, user: User | None, **_: Any) -> None:
    device = request.session.get(services.IN_SESSION)
    if user is not None and device is not None:
        services.remove_device(owner=user.pk, id=device)


@receiver(post_delete, sender=AccessToken)
def forget_device_of_token(instance: AccessToken, **_: Any) -> None:
    services.remove_app_device(token=instance.pk)


@receiver(feed.site_seeded)
def tell_what_was_seeded(people: list[int], **_: Any) -> None:
    for reader in people:
        catch_up(reader=reader)


@receiver(feed.muted_conversations_asked)
def say_what_is_muted(reader: int, **_: Any) -> list[int]:
    return selectors.muted_threads(uid=reader)


@receiver(feed.preferences_exported)
def add_choices_to_archive(uid: int, **_: Any) -> tuple[str, dict[str, Any]]:
    return "notifications", selectors.exported_choices(reader=uid)


def prepare_collections(**_: Any) -> None:
    """After every migrate, so that a database that has its tables has its collections too."""
    store.prepare()
