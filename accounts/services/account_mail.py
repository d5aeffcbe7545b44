"""Mails about a user's account."""

import logging
from typing import Any

from allauth.account.adapter import get_adapter
from django.conf import settings

from accounts.brand.current import current_brand

logger = logging.getLogger(__name__)


def send_account_mail(*, to: str, template_name: str, **context: Any) -> None:
    """Send a mail with the templates ``account/email/<template_name>_*.txt``.

    Errors are logged, not raised, because the mail reports a change that is already saved.
    """
    try:
        site = {"site_name": current_brand().name, "site_url": settings.SITE_URL}
        get_adapter().render_mail(f"account/email/{template_name}", to, {**context, **site}).send()
    except Exception:
        logger.exception("Account mail %s could not be sent", template_name)
