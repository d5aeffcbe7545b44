"""Suspend, deactivate and delete accounts, and undo each. Undoing one leaves the others in place.

Inactive users can still log in. They see only the few pages that explain their status
(``accounts.inactive_users``).
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from accounts import user_cards
from accounts.models import User
from accounts.store import account_status

from .account_mail import send_account_mail


def suspend_user(*, uid: int) -> bool:
    """Hide a user from everybody, for moderators. Return False if the user was suspended already."""
    return _refresh_card(
        uid, account_status.add_reason(uid=uid, reason="suspended_at", at=timezone.now())
    )


def unsuspend_user(*, uid: int) -> bool:
    return _refresh_card(uid, account_status.remove_reason(uid=uid, reason="suspended_at"))


def deactivate_account(*, uid: int) -> bool:
    """Hide a user from everybody until they return. Return False if it was deactivated already."""
    return _refresh_card(
        uid, account_status.add_reason(uid=uid, reason="deactivated_at", at=timezone.now())
    )


def reactivate_account(*, uid: int) -> bool:
    return _refresh_card(uid, account_status.remove_reason(uid=uid, reason="deactivated_at"))


def request_deletion(*, uid: int) -> datetime:
    """Schedule the erasure of an account after ``ERASE_AFTER_DAYS``, and confirm it by mail.

    Return when it is due. A second request does not change that. ``cancel_deletion`` undoes it.
    """
    at = timezone.now() + timedelta(days=settings.ERASE_AFTER_DAYS)
    is_new = account_status.add_reason(uid=uid, reason="erase_at", at=at)
    user = User.objects.get(pk=uid)
    if _refresh_card(uid, is_new) and user.email:
        send_account_mail(
            to=user.email,
            template_name="deletion_requested",
            username=user.username,
            erase_at=user.erase_at,
        )
    return user.erase_at or at


def cancel_deletion(*, uid: int) -> bool:
    """Cancel a scheduled erasure. Return False if there is none, or it is already due."""
    is_canceled = account_status.remove_reason(
        uid=uid, reason="erase_at", only_if_after=timezone.now()
    )
    return _refresh_card(uid, is_canceled)


def _refresh_card(uid: int, is_changed: bool) -> bool:
    if is_changed:
        user_cards.refresh_card(uid=uid)
    return is_changed
