"""Mails about somebody's account."""

import logging
from typing import Any

from allauth.account.adapter import get_adapter
from django.conf import settings

logger = logging.getLogger(__name__)


def send_account_mail(*, to: str, template_name: str, **words: Any) -> None:
    """``about`` names the templates in ``account/email``. What goes wrong is logged: what the mail tells
    of stands."""
    try:
        context = {**words, "site_name": settings.SITE_NAME, "site_url": settings.SITE_URL}
        get_adapter().render_mail(f"account/email/{template_name}", to, context).send()
    except Exception:
        logger.exception("A mail could not be sent: %s", template_name)
