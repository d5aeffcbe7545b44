"""Recommend users to others. Suggestions of people include recommended users."""

from collections.abc import Iterable

from accounts.infra.transactions import transactional
from accounts.models import User
from accounts.services.moderation import set_recommended
from socialsite.moderation.roles import require_permission

from . import audit_log

RECOMMEND = "moderation.moderate"
"""The permission that a moderator needs."""


def recommend_users(*, moderator: User, uids: Iterable[int], is_recommended: bool) -> int:
    """Recommend users, or stop. Return the number of changed users. Raises PermissionDenied.

    Each change is one transaction with its entry in the audit log. Safe to repeat. Moderators cannot
    recommend themselves.
    """
    require_permission(moderator=moderator, permission=RECOMMEND)
    return sum(
        _recommend_user(moderator, uid, is_recommended) for uid in uids if uid != moderator.pk
    )


@transactional()
def _recommend_user(moderator: User, uid: int, is_recommended: bool) -> bool:
    if not set_recommended(uid=uid, is_recommended=is_recommended):
        return False
    event = "recommend" if is_recommended else "stop_recommending"
    audit_log.record_event(actor=moderator, event=event, user_id=uid)
    return True
