"""Suspend, deactivate and delete accounts, and undo each.

Suspension, deactivation and requested deletion are independent reasons why an account is inactive: undoing
one reason does not remove another. Inactive users can still log in, but see only the few pages that explain
their status (``accounts.inactive_users``).
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.utils import timezone
from django.utils.translation import override

from accounts import user_cards
from accounts.brand.current import current_brand
from accounts.languages import message_language
from accounts.models import User
from accounts.selectors import access_tokens
from accounts.signals import status_changing
from accounts.store import users

logger = logging.getLogger(__name__)


def suspend_user(*, uid: int) -> bool:
    """Suspend a user, who becomes invisible to all others. Return False if already suspended.

    Only moderators call this.
    """
    return _change_status(uid, users.add_reason, reason="suspended_at", at=timezone.now())


def unsuspend_user(*, uid: int) -> bool:
    return _change_status(uid, users.remove_reason, reason="suspended_at")


def deactivate_account(*, uid: int) -> bool:
    """Hide a user who wants a break. Return False if already deactivated.

    ``reactivate_account`` undoes the deactivation.
    """
    return _change_status(uid, users.add_reason, reason="deactivated_at", at=timezone.now())


def reactivate_account(*, uid: int) -> bool:
    return _change_status(uid, users.remove_reason, reason="deactivated_at")


def request_deletion(*, uid: int) -> datetime:
    """Schedule the erasure of an account after ``ERASE_AFTER_DAYS``, and confirm it by mail.

    Returns the time of the erasure. A second request does not change the time. ``cancel_deletion`` undoes
    the request.
    """
    at = timezone.now() + timedelta(days=settings.ERASE_AFTER_DAYS)
    is_new = _change_status(uid, users.add_reason, reason="erase_at", at=at)
    user = User.objects.get(pk=uid)
    if is_new and user.email:
        send_account_mail(user=user, template_name="deletion_requested", erase_at=user.erase_at)
    return user.erase_at or at


def cancel_deletion(*, uid: int) -> bool:
    """Cancel a scheduled erasure. Return False if none is scheduled or the erasure is already due."""
    return _change_status(uid, users.remove_reason, reason="erase_at", only_if_after=timezone.now())


def _change_status(uid: int, change: Callable[..., bool], **reason: Any) -> bool:
    status_changing.send(sender=None, uid=uid)
    is_changed = change(uid=uid, **reason)
    if is_changed:
        user_cards.refresh_card(uid=uid)
        access_tokens.clear_cache()
    return is_changed


def send_account_mail(*, user: User, template_name: str, **context: Any) -> None:
    """Send a mail with the templates ``account/email/<template_name>_*.txt``, in the user's language.

    Errors are logged, not raised, because the mail reports a change that is already saved. The user may
    already be deleted.
    """
    try:
        site = {"site_name": current_brand().name, "site_url": settings.SITE_URL}
        context |= {**site, "username": user.username}
        with override(message_language(chosen=user.language)):
            get_adapter().render_mail(f"account/email/{template_name}", user.email, context).send()
    except Exception:
        logger.exception("Account mail %s could not be sent", template_name)
