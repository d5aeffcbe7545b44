"""Whether somebody is there for others: suspended by moderators, away by their own choice, or about to be
erased. Undoing one leaves the others as they are.

Whoever is not there may still log in, to the few pages that say so (``accounts.inactive_users``).
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from accounts import user_cards
from accounts.models import User
from accounts.store import account_status

from .account_mail import send_account_mail


def suspend_user(*, uid: int) -> bool:
    """Moderators take the person off the site; False if they were."""
    return _refreshed(
        uid, account_status.add_reason(uid=uid, reason="suspended_at", at=timezone.now())
    )


def unsuspend_user(*, uid: int) -> bool:
    return _refreshed(uid, account_status.remove_reason(uid=uid, reason="suspended_at"))


def deactivate_account(*, uid: int) -> bool:
    """The person goes away, for as long as they want; False if they are."""
    return _refreshed(
        uid, account_status.add_reason(uid=uid, reason="deactivated_at", at=timezone.now())
    )


def reactivate_account(*, uid: int) -> bool:
    return _refreshed(uid, account_status.remove_reason(uid=uid, reason="deactivated_at"))


def request_deletion(*, uid: int) -> datetime:
    """Everything of the person is erased after ``ERASE_AFTER_DAYS``, unless they ``keep_account``; a mail
    says so. Returns the moment, which stays when it is asked for twice."""
    at = timezone.now() + timedelta(days=settings.ERASE_AFTER_DAYS)
    is_new = account_status.add_reason(uid=uid, reason="erase_at", at=at)
    user = User.objects.get(pk=uid)
    if _refreshed(uid, is_new) and user.email:
        send_account_mail(
            to=user.email, template_name="erasure_asked", person=user.username, at=user.erase_at
        )
    return user.erase_at or at


def cancel_deletion(*, uid: int) -> bool:
    """They do not want to be erased any more. False if it was not asked for, or is too late."""
    kept = account_status.remove_reason(uid=uid, reason="erase_at", only_if_after=timezone.now())
    return _refreshed(uid, kept)


def _refreshed(uid: int, is_changed: bool) -> bool:
    if is_changed:
        user_cards.refresh_card(uid=uid)
    return is_changed
