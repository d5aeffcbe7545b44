"""Refuse to start with settings of web push that cannot work."""

from typing import Any

from django.conf import settings
from django.core.checks import Error, register

from .push import allowed_endpoints, keys


@register()
def check_web_push_settings(**_: Any) -> list[Error]:
    if not keys.is_push_enabled():
        return []
    errors = []
    try:
        keys.parse_private_key(text=settings.WEB_PUSH_PRIVATE_KEY)
    except keys.InvalidKey as error:
        # Not the key itself: what a check says is written into logs.
        errors.append(
            Error(
                f"WEB_PUSH_PRIVATE_KEY cannot be read: {error}",
                hint="'manage.py web_push_keys' makes one. Leave it empty for no web push.",
                id="notifications.E001",
            )
        )
    if not allowed_endpoints.is_contact_url(text=settings.WEB_PUSH_CONTACT):
        errors.append(
            Error(
                f"WEB_PUSH_CONTACT is {settings.WEB_PUSH_CONTACT!r}.",
                hint="Push services want to know whom to write to, such as mailto:admin@example.org.",
                id="notifications.E002",
            )
        )
    wrong = [
        one for one in settings.WEB_PUSH_HOSTS if not allowed_endpoints.is_host_pattern(text=one)
    ]
    if wrong:
        errors.append(
            Error(
                f"WEB_PUSH_HOSTS has {', '.join(wrong)}.",
                hint="Names of hosts, such as push.example.org or *.push.example.org.",
                id="notifications.E003",
            )
        )
    return errors
