"""Tell people of something: the one road into their boxes."""

from collections.abc import Collection, Iterator
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
"""So long an account is a new one."""

NOT_FOLLOWED, NOT_FOLLOWER, NEW_ACCOUNT = "strangers", "non_followers", "new_accounts"
"""By whom people may not want to be told at once: whom they do not follow, who does not follow them, and
whose account is new."""


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
    """Tell people that somebody did something, each once; returns how many were told now.

    ``actor``: 0 for the site itself. Nobody is told of themselves, nor by people they are apart from or
    have muted. What each wants to hear is decided in the same write. Whether they may read the ``post``,
    whoever calls has asked. ``about``: the id of something else that it is about (``Kind.address``).
    """
    if find_kind(kind) is None:
        raise ValueError(f"There is no such kind of notification: {kind}.")
    told = 0
    for chunk in _chunks([uid for uid in dict.fromkeys(recipients) if uid != actor]):
        item = NotificationRow(new_id(), kind, actor, post, comment, text, target_id)
        readers = _classes(chunk, actor)
        delivered = boxes.deliver(row=item, classes_by_recipient=readers)
        if delivered:
            signals.told.send(None, item=item.id, readers=list(readers))
        told += delivered
    return told


def _classes(recipients: list[int], actor: int) -> dict[int, list[str]]:
    """What the actor is to each of those who are to be told."""
    if not actor:
        return {uid: [] for uid in recipients}
    found = recipient_relationships(recipients=recipients, actor=actor)
    deaf = found.unreachable | found.muters
    is_new = time_of(id=actor) > timezone.now() - NEW_ACCOUNT_AGE
    return {uid: _class_of(uid, found, is_new) for uid in recipients if uid not in deaf}


def _class_of(uid: int, found: RecipientRelationships, is_new: bool) -> list[str]:
    classes = {
        NOT_FOLLOWED: uid not in found.followers,
        NOT_FOLLOWER: uid not in found.followees,
        NEW_ACCOUNT: is_new,
    }
    return [name for name, is_so in classes.items() if is_so]


def _chunks(uids: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(uids), CHUNK_SIZE):
        yield uids[start : start + CHUNK_SIZE]
