"""Delivery of notifications. All code that notifies users calls this module."""

from collections.abc import Collection
from datetime import timedelta

from django.utils import timezone

from accounts.infra.ids import new_id, time_of
from accounts.selectors.relationships import RecipientRelationships, recipient_relationships
from notifications import signals
from notifications.kinds import find_kind
from notifications.store import boxes
from notifications.store.rows import NotificationRow

CHUNK_SIZE = 1000
NEW_ACCOUNT_AGE = timedelta(days=30)
"""Accounts younger than this are new."""

NOT_FOLLOWED, NOT_FOLLOWER, NEW_ACCOUNT = "strangers", "non_followers", "new_accounts"
"""Sender classes that recipients may filter: users they do not follow, users who do not follow
them, and new accounts."""


def notify(
    *,
    kind: str,
    actor: int,
    recipients: Collection[int],
    post: int = 0,
    comment: int = 0,
    text: str = "",
    target_id: int = 0,
) -> int:
    """Notify each recipient once, and return the number of new notifications.

    Users get no notifications about their own actions, or about actions of users whom they muted, whom they
    block, or who block them. The write itself applies each recipient's preferences. The caller must check
    that all recipients may read ``post``.

    Args:
        actor: uid of the user who caused the notification, or 0 for the site itself.
        target_id: the argument of the URL ``Kind.url_name``.

    Raises ValueError if no such kind is registered.
    """
    if find_kind(kind) is None:
        raise ValueError(f"Unknown kind of notification: {kind}.")
    delivered_count = 0
    uids = [uid for uid in dict.fromkeys(recipients) if uid != actor]
    for start in range(0, len(uids), CHUNK_SIZE):
        chunk = uids[start : start + CHUNK_SIZE]
        row = NotificationRow(new_id(), kind, actor, post, comment, text, target_id)
        classes_by_recipient = sender_classes(recipients=chunk, actor=actor)
        new_count = boxes.deliver(row=row, classes_by_recipient=classes_by_recipient)
        if new_count:
            signals.notifications_delivered.send(
                None, row_id=row.id, recipients=list(classes_by_recipient)
            )
        delivered_count += new_count
    return delivered_count


def sender_classes(*, recipients: Collection[int], actor: int) -> dict[int, list[str]]:
    """Return the actor's sender classes by recipient. Omit recipients who must not be notified."""
    if not actor:
        return {uid: [] for uid in recipients}
    relationships = recipient_relationships(recipients=recipients, actor=actor)
    excluded_uids = relationships.unreachable | relationships.muters
    is_new = time_of(id=actor) > timezone.now() - NEW_ACCOUNT_AGE
    return {
        uid: _classes_for(uid, relationships, is_new)
        for uid in recipients
        if uid not in excluded_uids
    }


def _classes_for(uid: int, relationships: RecipientRelationships, is_new: bool) -> list[str]:
    classes = {
        NOT_FOLLOWED: uid not in relationships.followers,
        NOT_FOLLOWER: uid not in relationships.followees,
        NEW_ACCOUNT: is_new,
    }
    return [name for name, applies in classes.items() if applies]
