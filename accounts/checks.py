"""System checks for the settings of this app."""

from typing import Any

from django.conf import settings
from django.core.checks import Error, register

from accounts.services.invitations import BY_INVITATION, CLOSED, OPEN

from .infra.rate_limits import parse_rate


@register()
def check_accounts_settings(**_: Any) -> list[Error]:
    errors = []
    for action, text in settings.RATE_LIMITS.items():
        try:
            parse_rate(text)
        except ValueError:
            errors.append(
                Error(
                    f"The limit of {action!r} is {text!r}.",
                    hint='Use the form "300/3h". The units are s, m, h and d.',
                    id="accounts.E001",
                )
            )
    if settings.SIGN_UP_MODE not in (OPEN, BY_INVITATION, CLOSED):
        errors.append(
            Error(
                f"SIGN_UP_MODE is {settings.SIGN_UP_MODE!r}.",
                hint=f"Choose one of: {OPEN}, {BY_INVITATION}, {CLOSED}.",
                id="accounts.E003",
            )
        )
    if settings.TRUSTED_PROXIES < 0:
        errors.append(
            Error(
                f"TRUSTED_PROXIES is {settings.TRUSTED_PROXIES}.",
                hint="Set it to the number of your own proxies in front of the site, or 0.",
                id="accounts.E002",
            )
        )
    return errors
