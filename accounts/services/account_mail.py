"""Mails about a user's account."""

import logging
from typing import Any

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.utils.translation import override

from accounts.brand.current import current_brand
from accounts.languages import message_language
from accounts.models import User

logger = logging.getLogger(__name__)


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
